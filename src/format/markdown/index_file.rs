//! The index: lines that lead to files. What else it says is memories of its own.

use std::path::Path;

use super::part_reader::{PartReader, Section, not_text, sections, slug};
use super::references::file_links;
use crate::format::notes::note_file::stem;
use crate::format::record_reader::{Reading, byte_order_mark};
use crate::model::ParsedRecord;
use crate::text::lines;

/// Headings of any level start a section.
const DEEPEST: usize = 6;

/// A line of an index that leads to a file.
pub struct IndexLine<'a> {
    /// Its number from 1.
    pub line: u32,
    /// The target, relative to the folder of the index.
    pub target: &'a str,
    /// All of the line.
    pub text: &'a str,
}

/// Returns the lines that lead to files. A line of several links is returned for each.
pub fn lines(text: &str) -> impl Iterator<Item = IndexLine<'_>> {
    let numbered = (1..).zip(lines::lines(text.as_bytes()));
    numbered.flat_map(move |(line, own)| {
        let text = text.get(own.start..own.end).unwrap_or_default();
        file_links(text).map(move |target| IndexLine { line, target, text })
    })
}

/// Reads the memories that are in an index itself: a section without lines that lead to files, and else what is
/// between these lines.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    let Ok(text) = std::str::from_utf8(bytes) else { return not_text(path, bytes) };
    let mut found = IndexReader { stem: stem(path), found: PartReader::of(text) };
    sections(text, DEEPEST).iter().for_each(|own| found.section(own));
    Reading { problems: byte_order_mark(path, bytes).into_iter().collect(), records: found.found.records }
}

struct IndexReader<'a> {
    stem: String,
    found: PartReader<'a>,
}

impl IndexReader<'_> {
    fn section(&mut self, part: &Section) {
        let (title, start) = (part.title.as_deref(), part.start);
        let own = &self.found.text[start..part.end];
        let lines: Vec<_> = lines::lines(own.as_bytes()).collect();
        let text = |at: usize| own.get(lines[at].start..lines[at].end).unwrap_or_default();
        let is_index = |at: usize| file_links(text(at)).next().is_some();
        // The head of a table of links is no memory.
        let is_row = |at: usize| text(at).trim_start().starts_with('|');
        let says = |at: usize| !(text(at).trim().is_empty() || at == 0 && title.is_some());
        if !(0..lines.len()).any(is_index) {
            if (0..lines.len()).any(says) {
                self.take(title, "section", start, part.end);
            }
            return;
        }
        let mut at = 0;
        while at < lines.len() {
            if is_index(at) || is_row(at) || !says(at) {
                at += 1;
                continue;
            }
            let last = (at..lines.len()).take_while(|own| !is_index(*own)).filter(|own| says(*own)).last();
            let last = last.unwrap_or(at);
            self.take(title, "note", start + lines[at].start, start + lines[last].next);
            at = last + 1;
        }
    }

    fn take(&mut self, title: Option<&str>, kind: &'static str, start: usize, end: usize) {
        let view = ParsedRecord { kind: kind.into(), ..ParsedRecord::default() };
        self.found.take(format!("{}#{}", self.stem, slug(title)), view, (start, end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Record;

    fn ids(text: &str) -> Vec<(String, String, u32)> {
        let reading = read(Path::new("MEMORY.md"), text.as_bytes());
        let own = |record: &Record| {
            let view = record.view().unwrap();
            (view.id.unwrap().to_owned(), text[record.span.range()].to_owned(), record.line)
        };
        reading.records.iter().map(own).collect()
    }

    #[test]
    fn lines_that_lead_to_files_are_no_memories_and_all_else_is() {
        assert!(ids("# Memory\n\n- [a](a.md) — one\n- [b](b.md) — two\n").is_empty());
        let text = "# Index\n- [a](a.md) — one\nremember the milk\n\n## Rules!\nalways\nnever\n## Rules\nx";
        let own = |id: &str, text: &str, line| (format!("MEMORY#{id}"), text.to_owned(), line);
        assert_eq!(
            ids(text),
            [
                own("index", "remember the milk\n", 3),
                own("rules", "## Rules!\nalways\nnever\n", 5),
                own("rules-2", "## Rules\nx", 8),
            ]
        );
    }
}
