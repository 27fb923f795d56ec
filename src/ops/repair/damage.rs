//! What is damaged, and where in the bytes: the lines that a problem is on, and what is to be done there.

use std::ops::Range;

use super::fix::{Edit, Fix, Piece};
use super::{Bench, spelling};
use crate::model::bytes::Ranges;
use crate::model::{Code, Document, Problem, Record, Role, container};
use crate::text::conflict::{Side, conflicts};
use crate::text::lines::holes;

/// Whether a document is a log that is repaired line by line.
pub(super) fn is_log(document: &Document) -> bool {
    matches!(document.role, Role::Records | Role::Tombstones | Role::Archive)
        && crate::model::is_log(&document.path)
        && container(&document.path).is_none()
}

/// What is done about a problem of that kind without a loss, where the line allows it.
pub(super) fn safe_title(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::TornLine | Code::BadJson | Code::InvalidUtf8 => "give each whole memory a line of its own",
        Code::GluedRecords => "give each memory a line of its own",
        Code::ExtraBrace => "remove the extra closing brace",
        Code::MultiLineRecord => "put the memory on one line",
        Code::NulBytes => "remove the NUL bytes",
        Code::ByteOrderMark => "remove the byte order mark",
        Code::NoFinalNewline => "end the last line",
        Code::NoTimezone => "append Z (UTC)",
        _ => return None,
    })
}

/// Why what is safe loses nothing.
pub(super) fn safe_reason(code: Code) -> &'static str {
    match code {
        Code::NoTimezone => "It is read as UTC already.",
        Code::NoFinalNewline => "The next memory can't be appended to the line then.",
        Code::MultiLineRecord => "Only line breaks between its members go.",
        _ => "Every whole memory stays as it is, and what is torn stays beside it.",
    }
}

/// The bytes of a record.
pub(super) fn range(record: &Record) -> Range<usize> {
    record.span.start as usize..record.span.end as usize
}

/// The whole lines that a record is on, with those of all records that share one of them.
pub(super) fn stretch(document: &Document, number: usize) -> Option<Range<usize>> {
    let records = &document.records;
    let own = range(records.get(number)?);
    let (mut first, mut last) = (number, number);
    let (mut start, mut end) = (document.bytes.line_start(own.start), document.bytes.line_end(own.end));
    while let Some(before) = first.checked_sub(1).and_then(|at| records.get(at)).map(range)
        && before.end > start
    {
        first -= 1;
        start = document.bytes.line_start(before.start);
    }
    while let Some(next) = records.get(last + 1).map(range)
        && next.start < end
    {
        last += 1;
        end = document.bytes.line_end(next.end).max(end);
    }
    Some(start..end)
}

/// The bytes of a part of a file.
pub(super) fn bytes(document: &Document, part: Range<usize>) -> Option<Vec<u8>> {
    Some(document.bytes.range(part)?.into_owned())
}

/// What leaves a file.
pub(super) fn piece(document: &Document, problem: &Problem, (at, bytes): (usize, Vec<u8>)) -> Piece {
    let line = problem.line.unwrap_or_default();
    Piece { file: document.path.clone(), at: at as u64, line, code: problem.code, bytes }
}

/// A record leaves with its line.
pub(super) fn leaves(document: &Document, problem: &Problem, record: &Record) -> (Vec<Edit>, Vec<Piece>) {
    let edits = holes(&document.bytes, &[record.span]);
    let out =
        |(range, _): &Edit| Some(piece(document, problem, (range.start, bytes(document, range.clone())?)));
    let pieces = edits.iter().filter_map(out).collect();
    (edits, pieces)
}

impl Bench<'_> {
    /// What can be done about a problem of a log, beside what is safe.
    pub(super) fn of_line(&self, document: &Document, problem: &Problem) -> Vec<Fix> {
        let Some(record) = problem.record.and_then(|number| document.records.get(number as usize)) else {
            return Vec::new();
        };
        if record.view().is_some() {
            return match problem.code {
                Code::DuplicateId => self.of_duplicate(document, problem, record),
                _ => self.of_schema(document, problem),
            };
        }
        let Some(content) = bytes(document, range(record)) else { return Vec::new() };
        let mut fixes = self.of_broken(document, problem, record, &content);
        let (edits, out) = leaves(document, problem, record);
        let title = "move the line to quarantine";
        let reason = "Its bytes are kept there as they are, and can be brought back.";
        fixes.push(Fix::edit(title, 20, reason, (&document.path, edits, out)));
        fixes
    }

    fn of_broken(&self, document: &Document, problem: &Problem, record: &Record, content: &[u8]) -> Vec<Fix> {
        let mut fixes = match problem.code {
            Code::ConflictMarkers => self.of_conflict(document, problem, record),
            _ => spelling::spelled(content)
                .into_iter()
                .filter(|own| self.is_record(document, &own.bytes))
                .map(|own| {
                    let at = range(record);
                    let out = own.out.into_iter().map(|(from, gone)| (at.start + from, gone));
                    let out = out.map(|own| piece(document, problem, own)).collect();
                    let edits = vec![(at, own.bytes)];
                    Fix::edit(own.title, own.confidence, own.reason, (&document.path, edits, out))
                })
                .collect(),
        };
        if problem.code != Code::ConflictMarkers {
            fixes.extend(self.of_torn(document, problem, record, content));
        }
        fixes
    }

    /// Either side of a merge, or both.
    fn of_conflict(&self, document: &Document, problem: &Problem, record: &Record) -> Vec<Fix> {
        let at = range(record).start;
        let Some(all) = bytes(document, 0..document.bytes.len()) else { return Vec::new() };
        let Some(own) = conflicts(&all).into_iter().find(|own| own.range.contains(&at)) else {
            return Vec::new();
        };
        let fix = |side, title: &str, confidence, reason: &str| {
            let goes = own.goes(side);
            let out =
                goes.iter().map(|range| piece(document, problem, (range.start, all[range.clone()].to_vec())));
            let out = out.collect();
            let edits = goes.iter().map(|range| (range.clone(), Vec::new())).collect();
            Fix::edit(title, confidence, reason, (&document.path, edits, out))
        };
        vec![
            fix(
                Side::Both,
                "keep both sides, without the markers",
                80,
                "A log has room for the memories of both.",
            ),
            fix(Side::Ours, "keep the first side", 40, "The lines of the other go to quarantine."),
            fix(Side::Theirs, "keep the second side", 40, "The lines of the other go to quarantine."),
        ]
    }
}
