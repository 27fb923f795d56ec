//! A file of entries between lines of `§`.

use std::path::Path;

use super::part_reader::not_text;
use crate::format::notes::note_file::stem;
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, PackedView, ParsedRecord, Problem, Record, RecordBody, Severity, Span};

/// What is between two entries.
pub const DELIMITER: &str = "\n§\n";

/// The limits of the two files in characters, with the delimiters.
const LIMITS: [(&str, usize); 2] = [("MEMORY", 2_200), ("USER", 1_375)];

/// Returns the limit of a file in characters.
pub fn limit_of(path: &Path) -> Option<usize> {
    let stem = stem(path);
    LIMITS.iter().find(|(name, _)| *name == stem).map(|(_, limit)| *limit)
}

/// Reads the entries of a file. An entry's id is its file and its place, from 0.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    let stem = stem(path);
    let mut reading = Reading { problems: Vec::new(), records: Vec::new() };
    let Ok(text) = std::str::from_utf8(bytes) else { return not_text(path, bytes) };
    let (mut line, mut at) = (1, 0);
    for own in entries(text) {
        line += record_reader::feeds(&bytes[at..own.start]);
        at = own.start;
        let number = reading.records.len();
        let id = format!("{stem}.{number}");
        let view = ParsedRecord {
            id: Some(id.clone().into()),
            kind: "entry".into(),
            importance: 0.5,
            ..ParsedRecord::default()
        };
        let lines = 1 + record_reader::feeds(&bytes[own.clone()]);
        let span = Span { start: own.start as u64, end: own.end as u64 };
        reading.records.push(Record { span, line, lines, body: RecordBody::Read(PackedView::of(&view)) });
    }
    reading.problems.extend(problems(path, text));
    reading
}

/// Returns where the entries are, without white space around them.
fn entries(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in text.split(DELIMITER) {
        let lead = part.len() - part.trim_start().len();
        let own = start + lead..start + lead + part.trim().len();
        if !own.is_empty() {
            found.push(own);
        }
        start += part.len() + DELIMITER.len();
    }
    found
}

/// Returns the bytes that Hermes writes for entries.
pub fn joined<'a>(entries: impl Iterator<Item = &'a str>) -> String {
    entries.map(str::trim).filter(|own| !own.is_empty()).collect::<Vec<_>>().join(DELIMITER)
}

fn problems(path: &Path, text: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    let own = entries(text);
    if joined(own.iter().map(|own| &text[own.clone()])) != text.trim() {
        let message =
            "Hermes would write these memories in another way, and refuses to replace or remove one.";
        found.push(Problem::of_file(Code::RoundTrip, Severity::Warning, path, message).at_line(1));
    }
    let count = text.trim().chars().count();
    if let Some(limit) = limit_of(path) {
        let message = format!("It has {count} characters; {limit} are loaded.");
        let severity = |code, severity| Problem::of_file(code, severity, path, message.clone()).at_line(1);
        match count {
            _ if count > limit => found.push(severity(Code::LimitExceeded, Severity::Error)),
            _ if count * 10 > limit * 9 => found.push(severity(Code::LimitNear, Severity::Warning)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_between_lines_of_the_delimiter() {
        let text = "one\n§\ntwo\nlines § here\n§\nthree";
        let own: Vec<&str> = entries(text).into_iter().map(|own| &text[own]).collect();
        assert_eq!(own, ["one", "two\nlines § here", "three"]);
        assert_eq!(joined(own.into_iter()), text);
        assert!(problems(Path::new("MEMORY.md"), text).is_empty());
        assert!(entries("").is_empty() && entries("\n§\n \n§\n").is_empty());
    }

    #[test]
    fn what_hermes_would_write_in_another_way_is_a_problem() {
        for text in ["one\n§\n\n§\ntwo", "one \n§\ntwo"] {
            let own = problems(Path::new("MEMORY.md"), text);
            assert_eq!(own.iter().map(|own| own.code).collect::<Vec<_>>(), [Code::RoundTrip], "{text:?}");
        }
        let long = "x".repeat(2_201);
        assert_eq!(problems(Path::new("MEMORY.md"), &long)[0].code, Code::LimitExceeded);
        assert!(problems(Path::new("MEMORY.md"), &"é".repeat(1_900)).is_empty());
    }
}
