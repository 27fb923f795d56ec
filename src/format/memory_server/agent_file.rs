//! `<agent>.json`: one document with three arrays, as the 1.0 writer made it. Read-only.

use std::path::Path;

use super::{layout, view};
use crate::format::fields::{Fault, Fields};
use crate::format::reading::{self, Place, Reading, Rows};
use crate::model::{Body, Code, Moment, Problem, Record, Role, Severity, Span};
use crate::text::json::{Json, Kind};
use crate::text::lines;

/// Reads a `.json` file at the root: one of the 1.0 writer, or one of another program.
pub fn read(path: &Path, bytes: &[u8], now: Moment) -> Reading {
    if !layout::is_agent_file(bytes) {
        let message = "The format has no such file; it is kept and not read.";
        let problem = Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message);
        return Reading { records: Vec::new(), problems: vec![problem] };
    }
    let skipped = if bytes.starts_with(lines::BOM) { lines::BOM.len() } else { 0 };
    let mut reading = Reading::default();
    let problems = reading::read_object(path, bytes, Code::BadJson, &mut |object, problems| {
        let message = "A document of the 1.0 writer: read, and never written.";
        problems.push(Problem::of_file(Code::UnsupportedVersion, Severity::Note, path, message));
        reading = memories(path, bytes, skipped, object, now);
    });
    let broken = problems.iter().any(|problem| problem.code == Code::BadJson);
    reading.problems.extend(problems);
    if broken {
        broken_whole(&mut reading, bytes);
    }
    reading
}

fn memories(path: &Path, bytes: &[u8], skipped: usize, object: Json<'_>, now: Moment) -> Reading {
    let mut rows = Rows::default();
    let mut at = (0, 1);
    let arrays = object.members().filter_map(|(key, array)| {
        let (_, kind) = layout::ARRAYS.iter().find(|(name, _)| key.is_text(name))?;
        Some((*kind, array))
    });
    for (kind, array) in arrays {
        for item in array.items() {
            let (start, end) = item.span();
            let span = Span { start: (start + skipped) as u64, end: (end + skipped) as u64 };
            let line = line_of(bytes, start + skipped, &mut at);
            let place = Place { span, line, lines: 1 + reading::feeds(item.raw()) };
            if item.kind() == Kind::Object {
                let mut fields = Fields::new(item, now);
                let seen = view::view(&mut fields, Some(kind), Role::Records);
                let faults = fields.into_faults().into_iter().map(lenient).collect();
                rows.push(path, place, &seen, faults);
            } else {
                let message =
                    format!("An item of `{kind}` should be an object and is {}.", item.kind().as_str());
                rows.broken(path, place, vec![(Code::NotAnObject, Severity::Error, message)]);
            }
        }
    }
    rows.finish()
}

/// The 1.0 writer had fewer fields: what is absent from its records is a note.
fn lenient((code, severity, message): Fault) -> Fault {
    let severity = if code == Code::MissingField { Severity::Note } else { severity };
    (code, severity, message)
}

/// A document that can't be parsed is one broken record, so that its bytes can be seen.
fn broken_whole(reading: &mut Reading, bytes: &[u8]) {
    let lines = lines::lines(bytes).count() as u32;
    let span = Span { start: 0, end: bytes.len() as u64 };
    for problem in reading.problems.iter_mut().filter(|problem| problem.code == Code::BadJson) {
        problem.record = Some(0);
    }
    reading.records.push(Record { span, line: 1, lines, body: Body::Broken });
}

/// The line on which a byte is, counted on from the last one asked for.
fn line_of(bytes: &[u8], place: usize, at: &mut (usize, u32)) -> u32 {
    if place < at.0 {
        *at = (0, 1);
    }
    at.1 += memchr::memchr_iter(b'\n', &bytes[at.0..place]).count() as u32;
    at.0 = place;
    at.1
}
