//! Reads a log again that was read before: only changed lines are read.
//!
//! Logs are large and change little: an agent adds lines at the end, palimp replaces a few. The lines
//! before the first changed one and after the last one are reused. The result is that of reading the
//! whole ([`Format::read`]); the tests compare both.

use crate::format::Format;
use crate::format::record_reader::Reading;
use crate::model::{Bytes, Code, Document, Moment, Problem, Record, Span, is_log};
use crate::text::lines::BOM;

/// Reads the log that `before` became. `(same, same_end)` are the numbers of bytes that are unchanged at its start and
/// end. `None` if the changed lines can't be read alone.
pub fn reread_between(
    format: &dyn Format,
    before: &Document,
    (becomes, unchanged): (&Bytes, (usize, usize)),
    now: Moment,
) -> Option<Reading> {
    is_comparable(before).then_some(())?;
    ChangedLines::between(before, becomes, unchanged).read(format, now)
}

/// True if an earlier reading is usable. A future time makes it unusable: that time may have come.
fn is_comparable(before: &Document) -> bool {
    let is_ahead = |own: &Problem| own.code == Code::FutureTimestamp;
    is_log(&before.path)
        && before.offset == 0
        && !before.records.is_empty()
        && !before.problems.iter().any(is_ahead)
}

/// The part of a log between unchanged lines.
struct ChangedLines<'a> {
    before: &'a Document,
    now: &'a Bytes,
    /// The number of unchanged records at the start.
    head: usize,
    /// The first unchanged record after the change. It is read again, to check that it is unchanged.
    tail: Option<usize>,
}

impl<'a> ChangedLines<'a> {
    /// Returns the part between `same` unchanged bytes at the start and `same_end` at the end.
    fn between(before: &'a Document, now: &'a Bytes, (same, same_end): (usize, usize)) -> ChangedLines<'a> {
        let old = &before.bytes;
        let records = &before.records;
        let within = records.partition_point(|own| own.span.end < same as u64);
        let is_same = |at: &usize| next_line(old, &records[*at]).is_some_and(|next| next <= same as u64);
        let head = (0..within).rev().find(is_same).map_or(0, |at| at + 1);
        // The line end before the record must be unchanged, too.
        let behind = (old.len() - same_end) as u64;
        let from = records.partition_point(|own| own.span.start <= behind).max(head);
        let tail = (from..records.len()).find(|at| next_line(old, &records[*at]).is_some());
        ChangedLines { before, now, head, tail }
    }

    /// Reads the file; `None` if the changed part can't be separated from the rest.
    fn read(&self, format: &dyn Format, now: Moment) -> Option<Reading> {
        let records = &self.before.records;
        let old = &self.before.bytes;
        let last = self.head.checked_sub(1).map(|at| &records[at]);
        let (start, lines) = last.map_or(Some((0, 0)), |own| Some((next_line(old, own)?, own.line)))?;
        let len = self.now.len();
        let grown = len as i64 - old.len() as i64;
        let tail = self.tail.map(|at| moved(records[at].clone(), grown, 0));
        // The changed part ends as before, in bytes that both states have.
        let ends = |at: usize| next_line(old, &records[at])?.checked_add_signed(grown);
        let end = self.tail.map_or(Some(len as u64), ends)?;
        let middle = self.now.range(start as usize..end as usize)?;
        if middle.starts_with(BOM) && start > 0 {
            return None;
        }
        let middle = format.read(self.before.role, &self.before.path, &middle, now);
        let mut whole = self.head_of(&middle);
        let own = RecordShift { bytes: start as i64, lines: i64::from(lines), records: self.head as i64 };
        own.add(middle, &mut whole);
        match (self.tail, tail) {
            (Some(at), Some(tail)) => self.with_tail(whole, at, &tail, grown),
            _ => Some(whole),
        }
    }

    /// Returns what is known of the lines before the change, and the problems of the file itself.
    fn head_of(&self, middle: &Reading) -> Reading {
        let records = self.before.records[..self.head].to_vec();
        let lines = records.last().map_or(0, |own| own.line);
        let is_of_file = |own: &Problem| own.line.is_none();
        let is_known = |own: &&Problem| own.line.is_some_and(|line| line <= lines);
        let mut problems: Vec<Problem> = self.before.problems.iter().filter(is_known).cloned().collect();
        problems.extend(middle.problems.iter().filter(|own| is_of_file(own)).cloned());
        Reading { records, problems }
    }

    /// Adds what is known of the lines after the change. `None` if the first of them is not read as
    /// before: a record before it includes its bytes.
    fn with_tail(&self, mut whole: Reading, at: usize, tail: &Record, grown: i64) -> Option<Reading> {
        let records = &self.before.records;
        let read = whole.records.last().filter(|own| own.span == tail.span && own.memory().is_some())?;
        let line = records[at].line;
        let own = RecordShift {
            bytes: grown,
            lines: i64::from(read.line) - i64::from(line),
            records: whole.records.len() as i64 - (at as i64 + 1),
        };
        whole
            .records
            .extend(records[at + 1..].iter().map(|record| moved(record.clone(), own.bytes, own.lines)));
        let is_behind = |own: &&Problem| own.line.is_some_and(|of| of > line);
        whole.problems.extend(self.before.problems.iter().filter(is_behind).map(|of| own.problem(of)));
        Some(whole)
    }
}

/// The distance from where something was read to where it is.
pub(super) struct RecordShift {
    pub bytes: i64,
    pub lines: i64,
    pub records: i64,
}

impl RecordShift {
    /// Adds what was read at another place.
    pub fn add(&self, own: Reading, to: &mut Reading) {
        to.records.extend(own.records.into_iter().map(|own| moved(own, self.bytes, self.lines)));
        let is_of_line = |own: &&Problem| own.line.is_some();
        to.problems.extend(own.problems.iter().filter(is_of_line).map(|own| self.problem(own)));
    }

    fn problem(&self, own: &Problem) -> Problem {
        let record = own.record.map(|record| (i64::from(record) + self.records) as u32);
        let line = own.line.map(|line| (i64::from(line) + self.lines) as u32);
        Problem { line, record, ..own.clone() }
    }
}

fn moved(record: Record, bytes: i64, lines: i64) -> Record {
    let to = |at: u64| at.saturating_add_signed(bytes);
    let span = Span { start: to(record.span.start), end: to(record.span.end) };
    Record { span, line: (i64::from(record.line) + lines) as u32, ..record }
}

/// Returns where the next line starts, if a record is one whole object that fills its line. However the
/// lines around it are read, it is a separate record.
fn next_line(bytes: &Bytes, record: &Record) -> Option<u64> {
    let (start, end) = (record.span.start as usize, record.span.end as usize);
    // An empty object does not end a torn record before it.
    let says = end - start > 2 && record.lines == 1 && record.memory().is_some();
    if !says || start > 0 && *bytes.range(start - 1..start)? != [b'\n'] {
        return None;
    }
    match *bytes.range(end..bytes.len().min(end + 2))? {
        [b'\n', ..] => Some(record.span.end + 1),
        [b'\r', b'\n'] => Some(record.span.end + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
