//! The safe fix of a log's lines, and lines after edits.

use std::ops::Range;

use super::RepairContext;
use super::fix::{ByteEdit, ProblemFix, safe_fix};
use super::line_damage::{self, piece, stretch};
use super::repair_context::SafeLineFix;
use crate::format::record_reader::is_record;
use crate::model::bytes::LineBounds;
use crate::model::{Code, Document, Problem, Record};
use crate::text::json_edit::Tape;
use crate::text::json_scanner::{Newlines, ScanResult};
use crate::text::tidy_lines::tidy_lines;
use crate::text::torn_line::first_name;

/// At most this many records before and after a broken one may belong to the same memory.
const REACH: usize = 8;
/// A part of a memory with more bytes is not joined to others.
const WIDE: u64 = 1 << 16;

/// True if something can't be read. An intact memory on its line can be separated from it.
fn is_broken(code: Code) -> bool {
    matches!(code, Code::TornLine | Code::BadJson | Code::InvalidUtf8)
}

impl RepairContext<'_> {
    /// Returns the fix of a log's problem that loses nothing: everything that is safe on its lines.
    pub(super) fn safe_of_line(&self, document: &Document, problem: &Problem) -> Option<ProblemFix> {
        let (title, reason) = safe_fix(problem.code)?;
        if problem.code == Code::NoFinalNewline {
            let len = document.bytes.len();
            let edits = vec![(len..len, b"\n".to_vec())];
            return Some(ProblemFix::edit(title, 100, reason, (&document.path, edits, Vec::new())).safe());
        }
        let number = match problem.record {
            Some(number) => number as usize,
            None => document.records.iter().position(|own| own.line >= problem.line.unwrap_or(1))?,
        };
        let record = document.records.get(number)?;
        let at = record.span.start as usize;
        let is_known = |own: &SafeLineFix| own.file == document.path && own.lines.contains(&at);
        if !self.caches.last_line_fix.borrow().as_ref().is_some_and(is_known) {
            *self.caches.last_line_fix.borrow_mut() = self.tidy(document, number);
        }
        let last = self.caches.last_line_fix.borrow();
        let own = last.as_ref().filter(|own| is_known(own))?;
        if is_broken(problem.code) && !own.has_whole {
            return None;
        }
        // A record that can't be edited keeps its time. Only its line is tidied.
        if problem.code == Code::NoTimezone && !own.zoned.contains(&at) {
            return None;
        }
        let (after, out) = own.fix.clone()?;
        let out = out.into_iter().map(|(from, gone)| piece(document, problem, own.lines.start + from, gone));
        let edits = vec![(own.lines.clone(), after)];
        Some(ProblemFix::edit(title, 100, reason, (&document.path, edits, out.collect())).safe())
    }

    fn tidy(&self, document: &Document, number: usize) -> Option<SafeLineFix> {
        let mut lines = stretch(document, number)?;
        if lines.len() > line_damage::LONG && document.records.get(number)?.memory().is_none() {
            return None;
        }
        if let Some(all) = self.joined_without_noise(document, number) {
            lines = lines.start.min(all.start)..lines.end.max(all.end);
        }
        if document.records.first().is_some_and(|own| lines.contains(&(own.span.start as usize))) {
            lines.start = 0;
        }
        let before = line_damage::bytes(document, lines.clone())?;
        if self.holds_erased(document, lines.clone()) {
            let file = document.path.clone();
            return Some(SafeLineFix { file, lines, fix: None, has_whole: false, zoned: Vec::new() });
        }
        let zoned = self.zoned(document, lines.clone());
        let moved = |at: usize| {
            let come = zoned.iter().filter(|(range, with)| range.end - lines.start + with.len() <= at);
            at - come.map(|(range, with)| with.len().saturating_sub(range.len())).sum::<usize>()
        };
        let mut with_zones = before.clone();
        for (range, with) in zoned.iter().rev() {
            with_zones.splice(range.start - lines.start..range.end - lines.start, with.iter().copied());
        }
        let fix = match tidy_lines(&with_zones, &|object| self.is_record(document, object)) {
            Some(own) => {
                let out = own.removed.into_iter().map(|(at, gone)| (moved(at), gone)).collect();
                Some((own.bytes, out))
            }
            None => (with_zones != before).then(|| (with_zones.clone(), Vec::new())),
        };
        let count = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let is_parted = fix.as_ref().is_some_and(|(after, _)| count(after) > count(&before));
        let has_whole = is_parted || records_on(document, &lines).any(|(_, own)| own.memory().is_some());
        let zoned = zoned.into_iter().map(|(range, _)| range.start).collect();
        Some(SafeLineFix { file: document.path.clone(), lines, fix, has_whole, zoned })
    }

    fn joined_without_noise(&self, document: &Document, number: usize) -> Option<Range<usize>> {
        let records = &document.records;
        let gap = |next: usize| {
            let (before, own) = (records.get(next.checked_sub(1)?)?, records.get(next)?);
            line_damage::bytes(document, before.span.end as usize..own.span.start as usize)
        };
        let is_noise = |next: usize| gap(next).is_some_and(|own| own.contains(&0));
        let (from, to) = (number.saturating_sub(REACH), (number + REACH).min(records.len()));
        if !(from + 1..to).any(is_noise) {
            return None;
        }
        let broken = |at: usize| {
            let own = records.get(at).filter(|own| own.memory().is_none() && own.span.len() <= WIDE)?;
            line_damage::bytes(document, own.span.range())
        };
        (from..=number).find_map(|first| {
            let mut text = broken(first).filter(|own| own.starts_with(b"{"))?;
            let mut has_noise = false;
            for next in first + 1..to {
                has_noise |= is_noise(next);
                text.extend(gap(next)?.into_iter().filter(|byte| *byte != 0));
                text.extend(broken(next)?);
                if next >= number && has_noise && self.is_one_object(document, &text) {
                    let (start, end) = (records[first].span.start, records[next].span.end);
                    let end = document.bytes.line_end(end as usize);
                    return Some(document.bytes.line_start(start as usize)..end);
                }
            }
            None
        })
    }

    fn is_one_object(&self, document: &Document, text: &[u8]) -> bool {
        let mut tape = Tape::default();
        matches!(tape.scan(text, Newlines::Noticed), ScanResult::Whole { end, raw_newline: false } if end == text.len())
            && self.is_record(document, text)
    }

    /// Returns edits of the records of some lines whose times have no time zone: the times get UTC.
    fn zoned(&self, document: &Document, lines: Range<usize>) -> Vec<ByteEdit> {
        let zoned =
            |(number, own): (u32, &Record)| Some((own.span.range(), self.with_zones(document, number)?));
        records_on(document, &lines).filter_map(zoned).collect()
    }

    /// True if an object looks like the records of its file, or fits the format.
    pub(super) fn is_record(&self, document: &Document, object: &[u8]) -> bool {
        let facts = self.facts(document);
        let names = facts.names.get_or_init(|| {
            let whole = document.records.iter().filter(|record| record.memory().is_some()).take(SAMPLE);
            whole.filter_map(|record| Some(first_name(&document.raw(record))?.to_vec())).collect()
        });
        if first_name(object).is_some_and(|name| names.contains(name)) {
            return true;
        }
        self.format.is_some_and(|format| {
            is_record(format, (document.role, &document.path), object, self.context.now)
        })
    }
}

/// The records that begin on some lines, with their numbers.
fn records_on<'d>(document: &'d Document, lines: &Range<usize>) -> impl Iterator<Item = (u32, &'d Record)> {
    let before = |place: usize| move |own: &Record| (own.span.start as usize) < place;
    let first = document.records.partition_point(before(lines.start));
    let end = document.records.partition_point(before(lines.end));
    (first as u32..).zip(&document.records[first..end.max(first)])
}

/// At most this many records of a file show how its records begin.
const SAMPLE: usize = 1000;

/// Returns some lines of a file after edits, without the last line end.
pub(super) fn after_edits(document: &Document, lines: Range<usize>, edits: &[ByteEdit]) -> Vec<u8> {
    let mut after = line_damage::bytes(document, lines.clone()).unwrap_or_default();
    for (gone, come) in edits.iter().rev().filter(|(own, _)| own.start >= lines.start && own.end <= lines.end)
    {
        after.splice(gone.start - lines.start..gone.end - lines.start, come.iter().copied());
    }
    without_end(after)
}

pub(super) fn without_end(mut line: Vec<u8>) -> Vec<u8> {
    while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        line.pop();
    }
    line
}

/// Returns the lines that edits touch.
pub(super) fn touched(document: &Document, edits: &[ByteEdit]) -> Range<usize> {
    let start = edits.iter().map(|(own, _)| own.start).min().unwrap_or_default();
    let end = edits.iter().map(|(own, _)| own.end).max().unwrap_or_default();
    let start = document.bytes.line_start(start.min(document.bytes.len()));
    let last = end.saturating_sub(usize::from(end > start));
    start..document.bytes.line_end(last).max(end)
}
