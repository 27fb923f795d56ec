//! Finds the damage in a log: the lines that a problem is on, and the fixes of these lines.

use std::ops::Range;

use super::fix::{ByteEdit, FileEdits, FixAction, ProblemFix, QuarantinePiece};
use super::{RepairContext, json_syntax};
use crate::model::bytes::LineBounds;
use crate::model::{Code, Document, Problem, Record, Role, Severity};
use crate::text::json_edit::{Tape, scan};
use crate::text::lines::removal_edits;
use crate::text::merge_conflict::{ConflictSide, conflicts};

/// A fix that leaves something wrong is less sure by this. It still ranks as high as one that loses a part.
const DOUBT: u8 = 5;

/// The confidence of a fix whose result has no text. It is lower than that of a move to quarantine.
pub(super) const SILENT: u8 = 10;

/// A line of more bytes is not taken apart for its fixes.
pub(super) const LONG: usize = 1 << 20;

/// Returns the complete lines of a record, and of all records that share one of these lines.
pub(super) fn stretch(document: &Document, number: usize) -> Option<Range<usize>> {
    let records = &document.records;
    let own = records.get(number)?.span.range();
    let (mut first, mut last) = (number, number);
    let (mut start, mut end) = (document.bytes.line_start(own.start), document.bytes.line_end(own.end));
    while let Some(before) = first.checked_sub(1).and_then(|at| records.get(at)).map(|own| own.span.range())
        && before.end > start
    {
        first -= 1;
        start = document.bytes.line_start(before.start);
    }
    while let Some(next) = records.get(last + 1).map(|own| own.span.range())
        && next.start < end
    {
        last += 1;
        end = document.bytes.line_end(next.end).max(end);
    }
    Some(start..end)
}

pub(super) fn bytes(document: &Document, part: Range<usize>) -> Option<Vec<u8>> {
    Some(document.bytes.range(part)?.into_owned())
}

pub(super) fn piece(document: &Document, problem: &Problem, at: usize, bytes: Vec<u8>) -> QuarantinePiece {
    let line = problem.line.unwrap_or_default();
    QuarantinePiece { file: document.path.clone(), at: at as u64, line, code: problem.code, bytes }
}

#[derive(Clone, Copy)]
pub(super) struct ProblemRecord<'a> {
    pub document: &'a Document,
    pub problem: &'a Problem,
    pub record: &'a Record,
    /// The bytes of the record that a fix uses.
    pub content: &'a [u8],
}

impl<'a> ProblemRecord<'a> {
    /// Replaces the record with an intact one, and returns what goes to quarantine.
    pub(super) fn becomes(&self, whole: Vec<u8>) -> FileEdits<'a> {
        let at = self.record.span.range();
        let (range, becomes) = with_end(self.document, at.clone(), whole);
        // What it begins with may stay.
        let was = bytes(self.document, range.clone()).unwrap_or_default();
        let goes_on = becomes.starts_with(was.get(..at.len()).unwrap_or_default());
        let from = if goes_on { at.len() } else { 0 };
        let gone = was.get(from..).filter(|gone| !gone.is_empty());
        let out = gone.map(|gone| piece(self.document, self.problem, range.start + from, gone.to_vec()));
        (&self.document.path, vec![(range, becomes)], out.into_iter().collect())
    }
}

/// Removes a record with its line.
pub(super) fn leaves<'d>(document: &'d Document, problem: &Problem, record: &Record) -> FileEdits<'d> {
    taking(document, problem, removal_edits(&document.bytes, &[record.span]))
}

/// Returns edits with the pieces that they take out of a file.
pub(super) fn taking<'d>(document: &'d Document, problem: &Problem, edits: Vec<ByteEdit>) -> FileEdits<'d> {
    let gone = edits.iter().filter(|(range, _)| !range.is_empty());
    let out = gone.filter_map(|(range, _)| {
        Some(piece(document, problem, range.start, bytes(document, range.clone())?))
    });
    let out = out.collect();
    (&document.path, edits, out)
}

/// Replaces a record. The new record ends its line, even if it is the last one and its line had no
/// end. Spaces and NULs around the old record are removed with it.
pub(super) fn with_end(document: &Document, at: Range<usize>, mut becomes: Vec<u8>) -> ByteEdit {
    let behind = bytes(document, at.end..document.bytes.line_end(at.end)).unwrap_or_default();
    let is_last = !behind.ends_with(b"\n");
    let ends: &[u8] = if behind.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let rest = behind.strip_suffix(ends).unwrap_or(&behind);
    let is_blank = rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0));
    if is_last && is_blank {
        becomes.push(b'\n');
    }
    let line = document.bytes.line_start(at.start);
    let before = bytes(document, line..at.start).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0)).count();
    (at.start - blanks..if is_blank { at.end + rest.len() } else { at.end }, becomes)
}

pub(super) fn wrong_in(problems: &[Problem]) -> Vec<String> {
    let counts = |own: &&Problem| own.severity != Severity::Note || own.code == Code::MissingField;
    let mut all: Vec<String> = Vec::new();
    for own in problems.iter().filter(counts) {
        let field = own.message.strip_prefix('`').and_then(|rest| rest.split('`').next());
        let name = field.unwrap_or(own.code.as_str()).to_owned();
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

impl RepairContext<'_> {
    /// Returns the fixes of a log's problem, without the safe one.
    pub(super) fn of_line(&self, document: &Document, problem: &Problem) -> Vec<ProblemFix> {
        let Some(record) = problem.record.and_then(|number| document.records.get(number as usize)) else {
            return Vec::new();
        };
        if record.memory().is_some() {
            return match problem.code {
                Code::DuplicateId => {
                    let content = &document.raw(record);
                    self.of_duplicate(ProblemRecord { document, problem, record, content })
                }
                _ => self.of_schema(document, problem),
            };
        }
        let content =
            if record.span.len() as usize > LONG { None } else { bytes(document, record.span.range()) };
        let why = match &content {
            // A tombstone does not restore a memory.
            Some(_) if document.role == Role::Tombstones => None,
            Some(content) => self.why_gone(&document.path, document.role, content),
            None => Some("It is longer than a memory is, and not taken apart. Its bytes are kept.".into()),
        };
        let mut fixes = match (&content, &why) {
            (Some(content), None) => self.of_broken(ProblemRecord { document, problem, record, content }),
            _ => Vec::new(),
        };
        let line = same_line(document, record);
        let title = match line.is_shared() {
            true => "move this part of the line to quarantine",
            false => "move the line to quarantine",
        };
        let reason = why.or_else(|| self.why_comes_back(document, record)).unwrap_or_else(|| {
            "Its bytes are kept there as they are: `palimp quarantine restore` brings them back.".into()
        });
        fixes.push(ProblemFix::edit(title, 20, reason, leaves(document, problem, record)));
        match line.is_shared() {
            true => fixes.into_iter().map(|fix| line.parted(document, record, fix)).collect(),
            false => fixes,
        }
    }

    fn of_broken(&self, torn: ProblemRecord<'_>) -> Vec<ProblemFix> {
        let ProblemRecord { document, problem, record, content } = torn;
        let mut fixes = match problem.code {
            Code::ConflictMarkers => self.of_conflict(document, problem, record),
            _ => json_syntax::spelled(content)
                .into_iter()
                .filter(|own| self.is_record(document, &own.bytes))
                .filter(|own| self.why_gone(&document.path, document.role, &own.bytes).is_none())
                .map(|own| {
                    let (confidence, reason) = self.claim(document, &own);
                    let at = record.span.range();
                    let edit = with_end(document, at.clone(), own.bytes);
                    let blanks = |part: Range<usize>| (part.start, bytes(document, part).unwrap_or_default());
                    let around = [blanks(edit.0.start..at.start), blanks(at.end..edit.0.end)];
                    let out = own.out.into_iter().map(|(from, gone)| (at.start + from, gone));
                    let out = out.chain(around).filter(|(_, gone)| !gone.is_empty());
                    let out = out.map(|(at, gone)| piece(document, problem, at, gone)).collect();
                    ProblemFix::edit(own.title, confidence, reason, (&document.path, vec![edit], out))
                })
                .collect(),
        };
        match (problem.code, document.role) {
            (Code::ConflictMarkers, _) => {}
            (_, Role::Tombstones) => fixes.extend(self.of_tombstone(torn)),
            _ => fixes.extend(self.of_torn(torn)),
        }
        fixes
    }

    /// Returns how sure a respelled memory is, and why. The reason names what stays wrong.
    fn claim(&self, document: &Document, own: &json_syntax::RespelledLine) -> (u8, String) {
        if !self.says(document, &own.bytes) {
            return (SILENT, "Nothing is left of its text then.".to_owned());
        }
        let wrong = self.wrong(document, &own.bytes);
        match wrong.as_slice() {
            [] => (own.confidence, own.reason.to_owned()),
            all => {
                let reason = format!("It can be read then. What stays wrong: {}.", all.join(", "));
                (own.confidence.saturating_sub(DOUBT), reason)
            }
        }
    }

    /// Returns what is wrong with a memory as a line of a file: fields, or codes of problems.
    pub(super) fn wrong(&self, document: &Document, line: &[u8]) -> Vec<String> {
        let Some(format) = self.format else { return Vec::new() };
        let line = [line, b"\n"].concat();
        wrong_in(&format.read(document.role, &document.path, &line, self.context.now).problems)
    }

    /// True if a record of a file has a text. A tombstone needs none, because it only names a memory.
    pub(super) fn says(&self, document: &Document, object: &[u8]) -> bool {
        let mut tape = Tape::default();
        document.role == Role::Tombstones
            || self.format.is_none_or(|format| scan(&mut tape, object).is_ok_and(|own| format.has_text(own)))
    }

    fn of_conflict(&self, document: &Document, problem: &Problem, record: &Record) -> Vec<ProblemFix> {
        let at = record.span.range().start;
        let facts = self.facts(document);
        let all = facts
            .conflicts
            .get_or_init(|| conflicts(&bytes(document, 0..document.bytes.len()).unwrap_or_default()));
        let place = all.partition_point(|own| own.range.end <= at);
        let Some(own) = all.get(place).filter(|own| own.range.contains(&at)) else { return Vec::new() };
        let fix = |side, title: &str, confidence, reason: &str| {
            let edits = own.goes(side).into_iter().map(|range| (range, Vec::new())).collect();
            ProblemFix::edit(title, confidence, reason, taking(document, problem, edits))
        };
        const BOTH: &str = "A log has room for the memories of both.";
        const ONE: &str = "The lines of the other go to quarantine.";
        vec![
            fix(ConflictSide::Both, "keep both sides, without the markers", 80, BOTH),
            fix(ConflictSide::Ours, "keep the first side", 40, ONE),
            fix(ConflictSide::Theirs, "keep the second side", 40, ONE),
        ]
    }
}

/// Whether other records are on the lines of one. Line ends separate a repaired record from them.
struct SameLine {
    before: bool,
    behind: bool,
}

fn same_line(document: &Document, record: &Record) -> SameLine {
    let own = record.span.range();
    let (start, end) = (document.bytes.line_start(own.start), document.bytes.line_end(own.end));
    let at = document.records.partition_point(|other| other.span.start < record.span.start);
    let before = at.checked_sub(1).and_then(|at| document.records.get(at));
    let behind = document.records.get(at + 1);
    SameLine {
        before: before.is_some_and(|other| other.span.range().end > start),
        behind: behind.is_some_and(|other| other.span.range().start < end),
    }
}

impl SameLine {
    fn is_shared(&self) -> bool {
        self.before || self.behind
    }

    /// Changes a fix so that the new record gets a line of its own.
    fn parted(&self, document: &Document, record: &Record, mut fix: ProblemFix) -> ProblemFix {
        let FixAction::Edits(_, edits, ..) = &mut fix.act else { return fix };
        let line_end = document.bytes.line_end(record.span.range().end);
        let is_crlf = document.bytes[line_end.saturating_sub(2)..line_end] == *b"\r\n";
        let end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
        let at = record.span.range();
        // The edit may take spaces around the record as well.
        let is_of_record = |own: &Range<usize>| own.start < at.end && own.end > at.start;
        for (_, with) in edits.iter_mut().filter(|(own, with)| is_of_record(own) && !with.is_empty()) {
            if self.before {
                with.splice(0..0, end.iter().copied());
            }
            if self.behind && !with.ends_with(b"\n") {
                with.extend_from_slice(end);
            }
        }
        fix
    }
}
