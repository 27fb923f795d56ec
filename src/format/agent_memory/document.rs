//! A file that is one JSON value and holds records within it, with its lines.

use std::path::Path;

use super::shape::Found;
use crate::format::reading::{self, Reading};
use crate::model::{Body, Code, Packed, Parsed, Problem, Record, Severity, Span};
use crate::text::json::{Json, Kind};

/// A document while its records are read. Places are bytes of the file without its mark.
pub struct Document<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    mark: usize,
    feeds: Vec<usize>,
    reading: Reading,
}

/// Reads a file that is one value of that kind. One that can't be read is a broken record
/// of all its bytes.
pub fn read(
    path: &Path,
    bytes: &[u8],
    kind: Kind,
    take: &mut dyn FnMut(Json<'_>, &mut Document<'_>),
) -> Reading {
    let mark = bytes.len() - reading::without_mark(bytes).len();
    let feeds = memchr::memchr_iter(b'\n', bytes).collect();
    let mut document = Document { path, bytes, mark, feeds, reading: Reading::default() };
    let mut problems = reading::read_value(path, bytes, kind, Code::BadJson, &mut |value, _| {
        take(value, &mut document);
    });
    if problems.iter().any(|problem| problem.code == Code::BadJson) {
        problems = problems.into_iter().map(|problem| problem.of_record(0, None)).collect();
        let span = Span { start: 0, end: bytes.len() as u64 };
        let lines = 1 + reading::feeds(bytes.trim_ascii_end());
        document.reading.records.push(Record { span, line: 1, lines, body: Body::Broken });
    }
    problems.append(&mut document.reading.problems);
    Reading { problems, ..document.reading }
}

impl Document<'_> {
    /// Adds a value as a record.
    pub fn record(&mut self, value: Json<'_>, view: Parsed) {
        self.push(value, Body::Read(Packed::of(&view)));
    }

    /// Adds a value that can't be a record.
    pub fn broken(&mut self, value: Json<'_>, message: String) {
        self.push(value, Body::Broken);
        self.problem(Code::NotAnObject, Severity::Error, value.span().0, message);
    }

    fn push(&mut self, value: Json<'_>, body: Body) {
        let (start, end) = value.span();
        let span = Span { start: (start + self.mark) as u64, end: (end + self.mark) as u64 };
        let line = self.line(start);
        let lines = 1 + self.line(end) - line;
        self.reading.records.push(Record { span, line, lines, body });
    }

    /// The line on which a byte is.
    fn line(&self, at: usize) -> u32 {
        1 + self.feeds.partition_point(|feed| *feed < at + self.mark) as u32
    }

    /// Adds what was found, each to the record in which it is, if it is in one.
    pub fn found(&mut self, found: Vec<Found>) {
        for Found { at, fault: (code, severity, message) } in found {
            self.problem(code, severity, at, message);
        }
    }

    /// Adds a problem at a byte.
    pub fn problem(&mut self, code: Code, severity: Severity, at: usize, message: String) {
        let problem = Problem::of_file(code, severity, self.path, message).at_line(self.line(at));
        let at = (at.min(self.bytes.len()) + self.mark) as u64;
        let records = &self.reading.records;
        let last = records.partition_point(|record| record.span.start <= at).checked_sub(1);
        let own = last.filter(|&index| records.get(index).is_some_and(|record| at < record.span.end));
        self.reading.problems.push(match own {
            None => problem,
            Some(index) => {
                let id = records[index].view().and_then(|view| view.id);
                problem.of_record(index as u32, id)
            }
        });
    }
}

/// A member that is a string.
pub fn text<'a>(object: Json<'a>, name: &str) -> Option<std::borrow::Cow<'a, str>> {
    object.get(name)?.text()
}
