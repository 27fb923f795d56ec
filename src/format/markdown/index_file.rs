//! The index: lines that lead to files. What else it says is memories of its own.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use super::part_reader::{PartReader, Section, sections, slug};
use super::references::{TextLink, file_links, links_in};
use crate::format::notes::note_file::{not_text, stem};
use crate::format::record_reader::{Reading, byte_order_mark};
use crate::model::StoredMemory;
use crate::text::lines;
use crate::text::markdown_blocks::{COMMENT, block_at, hidden, shown_parts};
use crate::text::merge_conflict::is_marker;

/// Headings of any level start a section.
const DEEPEST: usize = 6;

/// Returns the links of an index that lead to files. A line of several links is returned for each.
pub fn lines(text: &str) -> impl Iterator<Item = TextLink<'_>> {
    links_in(text).into_iter().filter(|link| !link.is_name)
}

/// Reads the memories that are in an index itself: a section without lines that lead to files, and else what is
/// between these lines.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    let Ok(text) = std::str::from_utf8(bytes) else { return not_text(path, bytes) };
    let mut found = IndexReader {
        stem: stem(path),
        leading: lines(text).map(|link| link.span.range().start).collect(),
        hidden: hidden(text),
        found: PartReader::of(text),
    };
    sections(text, DEEPEST).iter().for_each(|own| found.section(own));
    Reading { problems: byte_order_mark(path, bytes).into_iter().collect(), records: found.found.records }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Leads,
    /// It is the head of a table of links.
    Row,
    Text,
    Code,
    /// It is empty, a comment or the heading of its section.
    Silent,
}

struct IndexReader<'a> {
    stem: String,
    /// Where the lines start that lead to files.
    leading: HashSet<usize>,
    hidden: Vec<Range<usize>>,
    found: PartReader<'a>,
}

impl IndexReader<'_> {
    fn section(&mut self, part: &Section) {
        let (title, start) = (part.title.as_deref(), part.start);
        let spans = lines::lines(&self.found.text.as_bytes()[start..part.end]);
        let spans: Vec<_> = spans.map(|line| start + line.start..start + line.next).collect();
        let mut kinds: Vec<LineKind> = spans.iter().map(|line| self.kind_of(line)).collect();
        if let Some(heading) = kinds.first_mut().filter(|kind| title.is_some() && **kind != LineKind::Leads) {
            *heading = LineKind::Silent;
        }
        let has = |kind| kinds.contains(&kind);
        if !has(LineKind::Leads) {
            // Code alone that leads to files shows how to write the index.
            let text = self.found.text;
            let is_example = || spans.iter().any(|line| file_links(&text[line.clone()]).next().is_some());
            if has(LineKind::Text) || has(LineKind::Row) || has(LineKind::Code) && !is_example() {
                self.take(title, "section", start, part.end);
            }
            return;
        }
        let mut at = 0;
        for between in kinds.split(|kind| *kind == LineKind::Leads) {
            let first = between.iter().position(|kind| *kind == LineKind::Text);
            let last = between.iter().rposition(|kind| *kind != LineKind::Silent);
            if let (Some(first), Some(last)) = (first, last) {
                self.take(title, "note", spans[at + first].start, spans[at + last].end);
            }
            at += between.len() + 1;
        }
    }

    fn kind_of(&self, line: &Range<usize>) -> LineKind {
        let text = self.found.text;
        let is_code = |block: &Range<usize>| !text[block.start..].starts_with(COMMENT);
        let shown = || shown_parts(text, line.clone(), &self.hidden).map(str::trim);
        match () {
            () if self.leading.contains(&line.start) => LineKind::Leads,
            () if block_at(&self.hidden, line.start).is_some_and(is_code) => LineKind::Code,
            () if shown().all(|part| part.is_empty() || is_marker(part)) => LineKind::Silent,
            () if shown().next().is_some_and(|part| part.starts_with('|')) => LineKind::Row,
            () => LineKind::Text,
        }
    }

    fn take(&mut self, title: Option<&str>, kind: &'static str, start: usize, end: usize) {
        let memory = StoredMemory { kind: kind.into(), ..StoredMemory::default() };
        self.found.take(format!("{}#{}", self.stem, slug(title)), memory, (start, end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Record;

    fn ids(text: &str) -> Vec<(String, String, u32)> {
        let reading = read(Path::new("MEMORY.md"), text.as_bytes());
        let own = |record: &Record| {
            let memory = record.memory().unwrap();
            (memory.id().unwrap().to_owned(), text[record.span.range()].to_owned(), record.line)
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
