//! Searches raw bytes for values, as fast as they are read and with a fixed amount of memory.
//!
//! A value is found as text, as JSON writes it in a string, twice so, and in UTF-16. A database may split a value over
//! two pages; then it is not found.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use aho_corasick::{AhoCorasick, MatchKind, packed};
use unicode_normalization::UnicodeNormalization;

use super::ByteProgress;
use super::blocks::BlockReader;
use crate::disk::Disk;
use crate::model::{SecretValues, Span};
use crate::text::{line_ends, pattern_search};

/// How much is read at once. More does not fit into the caches of a core.
const BLOCK: u64 = 256 << 10;
/// Of a longer value only the start is searched for.
const LONGEST: usize = 1_024;
/// A shorter word is found by chance.
pub const SHORTEST_WORD: usize = 3;

/// What is searched for beside the stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoughtTexts {
    /// Values, and texts of memories. They are found as they are.
    pub values: Vec<Vec<u8>>,
    /// Words and phrases of a topic. They are found without regard to case.
    pub words: Vec<String>,
}

impl SoughtTexts {
    /// Searches for values alone.
    pub fn of_values(values: Vec<Vec<u8>>) -> SoughtTexts {
        SoughtTexts { values, words: Vec::new() }
    }

    /// True if there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.words.is_empty()
    }

    /// Returns of each value the part that is searched for.
    pub fn searched_values(&self) -> SecretValues {
        SecretValues::of(self.values.iter().map(|own| searched_part(own)).filter(|own| !own.is_empty()))
    }

    /// Returns the number of words that are too short to be searched for.
    pub fn short_words(&self) -> usize {
        self.words.iter().filter(|own| own.len() < SHORTEST_WORD).count()
    }
}

/// Values and words in the forms in which other programs write them.
pub struct RawSearch {
    values: Option<FormFinder>,
    words: Option<FormFinder>,
}

/// How often something was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCount {
    /// Values and texts of memories.
    pub values: u64,
    /// Words of a topic.
    pub words: u64,
}

impl MatchCount {
    /// True if nothing was found.
    pub fn is_zero(self) -> bool {
        self == MatchCount::default()
    }

    /// Adds another count.
    pub fn add(&mut self, other: MatchCount) {
        self.values += other.values;
        self.words += other.words;
    }
}

/// What a search of a part of a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileSearch {
    /// The number of searched bytes.
    pub bytes: u64,
    /// How often something was found.
    pub matches: MatchCount,
    /// The place of the last byte of the first match.
    pub first: Option<u64>,
    /// True if the search was stopped.
    pub stopped: bool,
}

impl FileSearch {
    /// Adds the search of another part.
    pub fn add(&mut self, part: FileSearch) {
        self.bytes += part.bytes;
        self.matches.add(part.matches);
        self.first = self.first.into_iter().chain(part.first).min();
        self.stopped |= part.stopped;
    }
}

impl RawSearch {
    /// Makes a search. `None` if there is nothing to search for.
    pub fn of(sought: &SoughtTexts) -> Option<RawSearch> {
        let values =
            sought.values.iter().filter(|own| !own.is_empty()).flat_map(|own| line_ends::variants(own));
        let values = values.flat_map(|own| forms(&own));
        let words = sought.words.iter().filter(|own| own.len() >= SHORTEST_WORD);
        let values = FormFinder::of(values.collect(), false);
        let spelled = words.flat_map(|own| spellings(own));
        let words = FormFinder::of(spelled.flat_map(|own| forms(own.as_bytes())).collect(), true);
        (values.is_some() || words.is_some()).then_some(RawSearch { values, words })
    }

    /// Returns how often something is in bytes. Matches do not overlap.
    pub fn count(&self, bytes: &[u8]) -> MatchCount {
        let mut scan = BlockScan::of(self);
        scan.add(0, 0, bytes);
        scan.found
    }

    /// Returns how often a value is in bytes. Words do not count.
    pub fn count_values(&self, bytes: &[u8]) -> u64 {
        self.count(bytes).values
    }

    /// True if a value is in bytes. Words do not count.
    pub fn has_value(&self, bytes: &[u8]) -> bool {
        self.values.as_ref().is_some_and(|own| own.automaton.is_match(bytes))
    }

    /// Returns how many bytes before a part may have the start of what is found in it.
    fn overlap(&self) -> u64 {
        let all = [&self.values, &self.words].into_iter().flatten();
        all.map(|own| own.longest as u64 - 1).max().unwrap_or_default()
    }

    /// Searches a part of a file, for what ends in it. Fails if it can't be read.
    pub fn part(
        &self,
        disk: &dyn Disk,
        (path, part): (&Path, Span),
        progress: ByteProgress<'_>,
    ) -> io::Result<FileSearch> {
        let mut scan = BlockScan::of(self);
        let mut is_going = progress(0);
        if !is_going {
            return Ok(FileSearch { stopped: true, ..FileSearch::default() });
        }
        let reader = BlockReader { disk, path, part, block: BLOCK, overlap: self.overlap() };
        let end = reader.each(&mut |start, from, block| {
            scan.add(start, from, block);
            is_going = progress(start + block.len() as u64 - from);
            is_going
        })?;
        let (bytes, stopped) = (end - part.start, !is_going && end < part.end);
        Ok(FileSearch { bytes, matches: scan.found, first: scan.first, stopped })
    }
}

struct FormFinder {
    automaton: AhoCorasick,
    /// The same forms for the vectors of the processor, if they are few. The automaton looks for their first bytes instead,
    /// which a usual text has everywhere.
    packed: Option<packed::Searcher>,
    longest: usize,
}

impl FormFinder {
    fn of(forms: BTreeSet<Vec<u8>>, is_any_case: bool) -> Option<FormFinder> {
        let longest = forms.iter().map(Vec::len).max()?;
        let packed = || {
            packed::Config::new()
                .match_kind(packed::MatchKind::LeftmostFirst)
                .builder()
                .extend(&forms)
                .build()
        };
        let packed = if is_any_case { None } else { packed() };
        let mut builder = pattern_search::builder(forms.iter().map(Vec::len));
        // Only a leftmost search uses the vectors of the processor: it is five times as fast with a few values.
        // Of a character in UTF-16 that is not ASCII a byte may look like a letter: a rare other one fits, too.
        builder.match_kind(MatchKind::LeftmostFirst).ascii_case_insensitive(is_any_case);
        Some(FormFinder { automaton: builder.build(&forms).ok()?, packed, longest })
    }

    /// Returns where the matches end, in order, without overlaps.
    fn ends<'a>(&'a self, bytes: &'a [u8]) -> Box<dyn Iterator<Item = usize> + 'a> {
        match &self.packed {
            Some(own) => Box::new(own.find_iter(bytes).map(|found| found.end())),
            None => Box::new(self.automaton.find_iter(bytes).map(|found| found.end())),
        }
    }
}

/// A search that goes on from block to block.
struct BlockScan<'a> {
    own: &'a RawSearch,
    /// Where the last match of a value and of a word ended.
    ends: [u64; 2],
    found: MatchCount,
    /// The place of the last byte of the first match.
    first: Option<u64>,
}

impl BlockScan<'_> {
    fn of(own: &RawSearch) -> BlockScan<'_> {
        BlockScan { own, ends: [0; 2], found: MatchCount::default(), first: None }
    }

    /// Searches a block that begins at `start`. What ends before `from` is counted already.
    fn add(&mut self, start: u64, from: u64, block: &[u8]) {
        let own = self.own;
        let counts = [&mut self.found.values, &mut self.found.words];
        for ((finder, count), last) in [&own.values, &own.words].into_iter().zip(counts).zip(&mut self.ends) {
            let Some(finder) = finder else { continue };
            let overlap = finder.longest as u64 - 1;
            let first = from.saturating_sub(overlap).max(start).max(*last);
            for found in finder.ends(block.get((first - start) as usize..).unwrap_or_default()) {
                let end = first + found as u64;
                if end > from {
                    *count += 1;
                    *last = end;
                    self.first = Some(self.first.map_or(end - 1, |first| first.min(end - 1)));
                }
            }
        }
    }
}

/// Returns the start of a value that is searched for: whole characters, if it is text.
fn searched_part(value: &[u8]) -> &[u8] {
    let end = match std::str::from_utf8(value) {
        Ok(text) => (0..=text.len().min(LONGEST)).rev().find(|at| text.is_char_boundary(*at)),
        Err(_) => Some(value.len().min(LONGEST)),
    };
    &value[..end.unwrap_or_default()]
}

/// Returns the forms of a value: as text, as JSON writes it, once and twice, with all characters or with ASCII alone,
/// and as UTF-16 with both byte orders.
fn forms(value: &[u8]) -> Vec<Vec<u8>> {
    let part = searched_part(value);
    let Ok(text) = std::str::from_utf8(part) else { return vec![part.to_vec()] };
    let mut all = vec![text.as_bytes().to_vec()];
    for once in [escaped(text), ascii(&escaped(text))] {
        all.extend([escaped(&once).into_bytes(), once.into_bytes()]);
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        all.push(units.iter().flat_map(|own| order(*own)).collect());
    }
    all
}

/// Returns a word as it is, in small letters, in capitals, and with capitals at the start of each word, each with composed
/// and with decomposed letters. Of ASCII the search itself leaves the case out.
fn spellings(word: &str) -> BTreeSet<String> {
    if word.is_ascii() {
        return BTreeSet::from([word.to_owned()]);
    }
    let cases = [word.to_owned(), word.to_lowercase(), word.to_uppercase(), with_capitals(word)];
    cases.iter().flat_map(|own| [own.clone(), own.nfc().collect(), own.nfd().collect()]).collect()
}

fn with_capitals(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut is_inside = false;
    for c in text.nfc() {
        match is_inside {
            true => own.extend(c.to_lowercase()),
            false => own.extend(c.to_uppercase()),
        }
        is_inside = c.is_alphanumeric();
    }
    own
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
    use proptest::prelude::*;

    use super::*;
    use crate::disk::RealDisk;

    fn search(values: &[&str]) -> RawSearch {
        let values = values.iter().map(|own| own.as_bytes().to_vec()).collect();
        RawSearch::of(&SoughtTexts::of_values(values)).unwrap()
    }

    fn words(words: &[&str]) -> Option<RawSearch> {
        let words = words.iter().map(|own| (*own).to_owned()).collect();
        RawSearch::of(&SoughtTexts { words, ..SoughtTexts::default() })
    }

    fn utf_16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_value_is_found_in_the_forms_of_other_programs() {
        let own = search(&["say \"hi\" to\nanna"]);
        assert_eq!(own.count(b"x say \"hi\" to\nanna y").values, 1);
        assert_eq!(own.count(br#"{"a":"say \"hi\" to\nanna"}"#).values, 1);
        assert_eq!(own.count(br#"{"a":"{\"b\":\"say \\\"hi\\\" to\\nanna\"}"}"#).values, 1);
        assert_eq!(own.count(&utf_16("say \"hi\" to\nanna")).values, 1);
        assert_eq!(search(&["caf\u{e9} \u{1f600}"]).count(br#"{"a":"caf\u00e9 \ud83d\ude00"}"#).values, 1);
        assert!(own.count(b"say hi to anna").is_zero() && own.count(b"Say \"hi\" to\nanna").is_zero());
        assert!(RawSearch::of(&SoughtTexts::of_values(vec![Vec::new()])).is_none());
    }

    #[test]
    fn words_are_found_in_capitals_too_and_counted_apart_from_values() {
        let own = words(&["acme", "ab", "Z\u{fc}rich office"]).unwrap();
        let count = |bytes: &[u8]| own.count(bytes);
        assert_eq!(count(b"Acme, ACME and acme: AB ab").words, 3);
        assert_eq!(count(&utf_16("the ACME group")).words, 1);
        assert_eq!(count("z\u{fc}rich Office".as_bytes()).words, 1);
        assert_eq!(count(br#"{"a":"Z\u00FCrich office"}"#).words, 1);
        assert_eq!(count(b"Acme").values, 0);
        let both = SoughtTexts { values: vec![b"acme-7".to_vec()], words: vec!["acme".into()] };
        let found = RawSearch::of(&both).unwrap().count(b"acme-7, ACME-7");
        assert_eq!((found.values, found.words), (1, 2));
        assert!(words(&["ab", ""]).is_none());
    }

    #[test]
    fn words_with_other_letters_than_ascii_are_found_in_any_usual_case_and_composition() {
        let own = words(&["Caf\u{e9} \u{c9}mile", "\u{43c}\u{43e}\u{441}\u{43a}\u{432}\u{430}"]).unwrap();
        let count = |text: &str| own.count(text.as_bytes()).words;
        for text in [
            "CAF\u{c9} \u{c9}MILE",
            "caf\u{e9} \u{e9}mile",
            "Caf\u{e9} \u{c9}mile",
            "Cafe\u{301} E\u{301}mile",
            "CAFE\u{301} E\u{301}MILE",
            "\u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{430}",
            "\u{41c}\u{41e}\u{421}\u{41a}\u{412}\u{410}",
            r#""CAF\u00c9 \u00c9MILE""#,
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
        assert_eq!(own.count(&utf_16("CAF\u{c9} \u{c9}MILE")).words, 1);
        assert_eq!(count("Cafe Emile"), 0);
        let decomposed = words(&["cafe\u{301}"]).unwrap();
        assert_eq!(decomposed.count("CAF\u{c9}".as_bytes()).words, 1);
    }

    proptest! {
        #![proptest_config(crate::tries::config(100, 20_000))]

        #[test]
        fn few_forms_are_found_where_the_automaton_finds_them(
            values in prop::collection::vec("[ab\"\u{e9}]{2,5}", 1..5),
            text in "[ab\"\u{e9}\\\\\\x00]{0,80}",
        ) {
            let forms: BTreeSet<Vec<u8>> = values.iter().flat_map(|own| forms(own.as_bytes())).collect();
            let mut own = FormFinder::of(forms, false).unwrap();
            let few: Vec<usize> = own.ends(text.as_bytes()).collect();
            own.packed = None;
            prop_assert_eq!(few, own.ends(text.as_bytes()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let folder = crate::folder::new();
        let path = folder.path().join("log");
        std::fs::write(&path, vec![b'x'; 3 * BLOCK as usize]).unwrap();
        let part = Span { start: 0, end: 3 * BLOCK };
        let found = search(&["abc"]).part(&RealDisk, (&path, part), &|bytes| bytes == 0).unwrap();
        assert!(found.stopped && found.bytes == BLOCK);
    }

    #[test]
    fn a_value_over_the_end_of_a_block_or_of_a_part_is_found_once() {
        let folder = crate::folder::new();
        let (path, value) = (folder.path().join("log"), "marzipan-and-tea");
        let own = search(&[value, "other value"]);
        let part = |start, end| own.part(&RealDisk, (&path, Span { start, end }), &|_| true).unwrap();
        for before in (BLOCK as usize - 40)..(BLOCK as usize + 4) {
            let text = ["x".repeat(before).as_str(), value, value, "y"].concat();
            std::fs::write(&path, &text).unwrap();
            let found = part(0, text.len() as u64);
            assert_eq!((found.matches.values, found.bytes), (2, text.len() as u64), "{before}");
        }
        let text = [value, value, "y"].concat();
        std::fs::write(&path, &text).unwrap();
        for middle in 0..text.len() as u64 {
            let (first, second) = (part(0, middle), part(middle, text.len() as u64));
            assert_eq!(first.matches.values + second.matches.values, 2, "{middle}");
        }
    }
}
