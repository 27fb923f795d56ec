//! Searches raw bytes for values, as fast as they are read and with a fixed amount of memory.
//!
//! A value is found as text, as JSON writes it in a string, twice so, and in UTF-16. A database may split a value over
//! two pages; then it is not found.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::ByteProgress;
use crate::disk::Disk;
use crate::model::Span;

/// How much is read at once.
const BLOCK: u64 = 1 << 20;
/// Of a longer value only the start is searched for.
const LONGEST: usize = 1_024;
/// More bytes of values are searched for with less memory, and slower.
const MANY: usize = 64 << 10;

/// Values in the forms in which other programs write them.
pub struct RawSearch {
    finder: AhoCorasick,
    longest: usize,
}

/// What a search of one file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileSearch {
    /// The number of searched bytes.
    pub bytes: u64,
    /// How often a value was found.
    pub matches: u64,
    /// True if the search was stopped.
    pub stopped: bool,
}

impl RawSearch {
    /// Makes a search. `None` if there is nothing to search for.
    pub fn of(values: &[Vec<u8>]) -> Option<RawSearch> {
        let forms: BTreeSet<Vec<u8>> =
            values.iter().filter(|own| !own.is_empty()).flat_map(|own| forms(own)).collect();
        let longest = forms.iter().map(Vec::len).max()?;
        let bytes: usize = forms.iter().map(Vec::len).sum();
        let kind = (bytes > MANY).then_some(AhoCorasickKind::ContiguousNFA);
        let finder = AhoCorasick::builder().kind(kind).build(&forms).ok()?;
        Some(RawSearch { finder, longest })
    }

    /// Returns how often a value is in bytes. Matches do not overlap.
    pub fn count(&self, bytes: &[u8]) -> u64 {
        self.finder.find_iter(bytes).count() as u64
    }

    /// Searches a file.
    ///
    /// # Errors
    ///
    /// If it can't be read.
    pub fn file(&self, disk: &dyn Disk, path: &Path, progress: ByteProgress<'_>) -> io::Result<FileSearch> {
        let mut search = BlockSearch { own: self, kept: Vec::new(), found: FileSearch::default() };
        let Some((reader, generation)) = disk.open_ranges(path)? else {
            let (bytes, _) = disk.read(path, 0, None)?;
            search.add(&bytes);
            return Ok(search.found);
        };
        let mut at = 0;
        while at < generation.len {
            let span = Span { start: at, end: (at + BLOCK).min(generation.len) };
            // A file that became shorter has no more.
            let Some(block) = reader.read(span) else { break };
            search.add(&block);
            at = span.end;
            if !progress(span.end - span.start) {
                search.found.stopped = at < generation.len;
                break;
            }
        }
        Ok(search.found)
    }
}

/// A search that goes on from block to block.
struct BlockSearch<'a> {
    own: &'a RawSearch,
    /// The end of the last block, after its last match: it may have the start of a value.
    kept: Vec<u8>,
    found: FileSearch,
}

impl BlockSearch<'_> {
    fn add(&mut self, block: &[u8]) {
        self.found.bytes += block.len() as u64;
        let mut window = std::mem::take(&mut self.kept);
        window.extend_from_slice(block);
        let mut end = 0;
        for own in self.own.finder.find_iter(&window) {
            self.found.matches += 1;
            end = own.end();
        }
        let from = window.len().saturating_sub(self.own.longest - 1).max(end);
        self.kept = window.split_off(from);
    }
}

/// Returns the forms of a value: as text, as JSON writes it, once and twice, with all characters or with ASCII alone,
/// and as UTF-16 with both byte orders.
fn forms(value: &[u8]) -> Vec<Vec<u8>> {
    let text = match std::str::from_utf8(value) {
        Ok(text) => {
            let end = (0..=text.len().min(LONGEST)).rev().find(|at| text.is_char_boundary(*at));
            &text[..end.unwrap_or_default()]
        }
        Err(_) => return vec![value[..value.len().min(LONGEST)].to_vec()],
    };
    let mut all = vec![text.as_bytes().to_vec()];
    for once in [escaped(text), ascii(&escaped(text))] {
        all.extend([escaped(&once).into_bytes(), once.into_bytes()]);
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    all.push(units.iter().flat_map(|own| own.to_le_bytes()).collect());
    all.push(units.iter().flat_map(|own| own.to_be_bytes()).collect());
    all
}

/// Returns a JSON text with other characters than ASCII as `\\uXXXX`, as some programs write them.
fn ascii(json: &str) -> String {
    let mut units = [0; 2];
    let mut own = String::with_capacity(json.len());
    for c in json.chars() {
        match c.is_ascii() {
            true => own.push(c),
            false => {
                c.encode_utf16(&mut units).iter().for_each(|unit| own.push_str(&format!("\\u{unit:04x}")))
            }
        }
    }
    own
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};

    fn search(values: &[&str]) -> RawSearch {
        RawSearch::of(&values.iter().map(|own| own.as_bytes().to_vec()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_value_is_found_in_the_forms_of_other_programs() {
        let own = search(&["say \"hi\" to\nanna"]);
        assert_eq!(own.count(b"x say \"hi\" to\nanna y"), 1);
        assert_eq!(own.count(br#"{"a":"say \"hi\" to\nanna"}"#), 1);
        assert_eq!(own.count(br#"{"a":"{\"b\":\"say \\\"hi\\\" to\\nanna\"}"}"#), 1);
        let wide: Vec<u8> = "say \"hi\" to\nanna".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(own.count(&wide), 1);
        assert_eq!(search(&["caf\u{e9} \u{1f600}"]).count(br#"{"a":"caf\u00e9 \ud83d\ude00"}"#), 1);
        assert_eq!(own.count(b"say hi to anna"), 0);
        assert!(RawSearch::of(&[]).is_none() && RawSearch::of(&[Vec::new()]).is_none());
    }

    #[test]
    fn a_value_over_the_end_of_a_block_is_found_once() {
        let folder = crate::folder::new();
        let (path, value) = (folder.path().join("log"), "marzipan-and-tea");
        let own = search(&[value, "other value"]);
        for before in (BLOCK as usize - 20)..(BLOCK as usize + 4) {
            let text = ["x".repeat(before).as_str(), value, value, "y"].concat();
            std::fs::remove_file(&path).ok();
            write_new(&path, text.as_bytes()).unwrap();
            let found = own.file(&RealDisk, &path, &|_| true).unwrap();
            assert_eq!((found.matches, found.bytes), (2, text.len() as u64), "{before}");
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let folder = crate::folder::new();
        let path = folder.path().join("log");
        write_new(&path, &vec![b'x'; 3 * BLOCK as usize]).unwrap();
        let found = search(&["abc"]).file(&RealDisk, &path, &|_| false).unwrap();
        assert!(found.stopped && found.bytes == BLOCK);
    }
}
