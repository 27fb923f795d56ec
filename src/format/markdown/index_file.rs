//! The index: lines that lead to files. What else it says is memories of its own.

use std::collections::HashMap;
use std::path::Path;

use super::references::file_links;
use crate::format::notes::note_file::stem;
use crate::format::notes::sections::headings;
use crate::format::record_reader::{self, Reading, byte_order_mark};
use crate::model::{Code, PackedView, ParsedRecord, Problem, Record, RecordBody, Severity, Span};
use crate::text::front_matter::Note;
use crate::text::lines;

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
    let Ok(text) = std::str::from_utf8(bytes) else {
        let problem = Problem::of_file(Code::InvalidUtf8, Severity::Error, path, "The file is not UTF-8.");
        let span = Span { start: 0, end: bytes.len() as u64 };
        let lines = 1 + record_reader::feeds(bytes);
        let records = vec![Record { span, line: 1, lines, body: RecordBody::Broken }];
        return Reading { problems: vec![problem.at_line(1).of_record(0, None)], records };
    };
    let body = Note::read(text).body;
    let mut starts: Vec<(usize, Option<String>)> = vec![(body.start, None)];
    let title = |own: &str| own.trim_start_matches('#').trim().to_owned();
    starts.extend(headings(&text[body.clone()]).map(|own| {
        let start = body.start + own.start;
        (start, text.get(start..body.start + own.end).map(title))
    }));
    let ends = starts.iter().skip(1).map(|own| own.0).chain([text.len()]);
    let mut found = IndexReader { stem: stem(path), text, slugs: HashMap::new(), records: Vec::new() };
    let sections: Vec<_> = starts.iter().cloned().zip(ends).collect();
    sections.into_iter().for_each(|((start, title), end)| found.section(title.as_deref(), start, end));
    Reading { problems: byte_order_mark(path, bytes).into_iter().collect(), records: found.records }
}

struct IndexReader<'a> {
    stem: String,
    text: &'a str,
    /// How often a slug was given.
    slugs: HashMap<String, usize>,
    records: Vec<Record>,
}

impl IndexReader<'_> {
    fn section(&mut self, title: Option<&str>, start: usize, end: usize) {
        let own = &self.text[start..end];
        let lines: Vec<_> = lines::lines(own.as_bytes()).collect();
        let text = |at: usize| own.get(lines[at].start..lines[at].end).unwrap_or_default();
        let is_index = |at: usize| file_links(text(at)).next().is_some();
        let says = |at: usize| !(text(at).trim().is_empty() || at == 0 && title.is_some());
        if !(0..lines.len()).any(is_index) {
            if (0..lines.len()).any(says) {
                self.take(title, "section", start, end);
            }
            return;
        }
        let mut at = 0;
        while at < lines.len() {
            if is_index(at) || !says(at) {
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
        let slug = title.map(slug).filter(|own| !own.is_empty()).unwrap_or_else(|| "note".to_owned());
        let count = self.slugs.entry(slug.clone()).or_default();
        *count += 1;
        let again = if *count > 1 { format!("-{count}") } else { String::new() };
        let view = ParsedRecord {
            id: Some(format!("{}#{slug}{again}", self.stem).into()),
            kind: kind.into(),
            importance: 0.5,
            ..ParsedRecord::default()
        };
        let before = record_reader::feeds(&self.text.as_bytes()[..start]);
        let own = &self.text.as_bytes()[start..end];
        let lines = record_reader::feeds(own) + u32::from(!own.ends_with(b"\n"));
        self.records.push(Record {
            span: Span { start: start as u64, end: end as u64 },
            line: 1 + before,
            lines,
            body: RecordBody::Read(PackedView::of(&view)),
        });
    }
}

/// Returns a heading as a part of an id: lower-case letters, digits, `_` and `-`, spaces as `-`, all else dropped.
fn slug(title: &str) -> String {
    let one = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    title.chars().filter_map(one).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

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
