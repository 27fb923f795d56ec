//! Reads the records of one id in a long log without the others: a change of one record needs no more.

use std::ops::Range;

use memchr::memmem;

use crate::format::Format;
use crate::format::record_reader::Reading;
use crate::model::bytes::Ranges;
use crate::model::plan::apply;
use crate::model::{Bytes, Change, Document, Moment, Record, Role, Span, Splice};

/// Reads the records of an id in a log. `None` if a search for the id in quotes is not certain to find
/// them all, or finds a line that is no whole record.
pub fn read(format: &dyn Format, log: &Document, id: &str, now: Moment) -> Option<Reading> {
    let bytes = log.bytes.at(0..log.bytes.len());
    // Other characters may be written in several ways.
    let is_plain = !id.is_empty() && id.bytes().all(is_plain);
    (is_plain && !has_plain_escaped(&bytes)).then_some(())?;
    let needle = format!("\"{id}\"");
    let mut reading = Reading::default();
    let mut end = 0;
    for at in memmem::find_iter(&bytes, &needle) {
        if at < end {
            continue;
        }
        let start = log.bytes.line_start(at);
        end = log.bytes.line_end(at);
        let own = read_line(format, log, &bytes[start..end], now)?;
        let is_it = own.records.iter().all(|own| own.view().is_some_and(|view| view.id == Some(id)));
        if is_it {
            let number = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count();
            push(&mut reading, own, start, number as u32);
        }
    }
    Some(reading)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte)
}

/// True if a character that an id may have is escaped: another record may have the id in that form.
fn has_plain_escaped(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, "\\u00").any(|at| {
        let code = bytes.get(at + 4..at + 6).and_then(|code| std::str::from_utf8(code).ok());
        code.and_then(|code| u8::from_str_radix(code, 16).ok()).is_none_or(is_plain)
    })
}

/// Returns the log after a change of its lines, with the records that were read as they are then.
/// `None` for any other change.
pub fn after(format: &dyn Format, log: &Document, change: &Change, now: Moment) -> Option<Document> {
    let is_it = |base: &&Bytes| base.is_same(&log.bytes);
    let (base, splices) = (change.base.as_ref().filter(is_it)?, change.splices()?);
    let bytes = Bytes::spliced(base, splices.clone());
    let (mut reading, mut grown, mut done) = (Reading::default(), 0_isize, 0);
    for record in &log.records {
        let line = line_of(&log.bytes, record);
        let (first, last) = (line.start as u64, line.end as u64);
        let is_within = |own: &&Splice| first <= own.start && own.end() <= last;
        let within: Vec<Splice> = splices
            .iter()
            .filter(is_within)
            .map(|own| Splice { start: own.start - first, ..own.clone() })
            .collect();
        done += within.len();
        let becomes = apply(&log.bytes.at(line.clone()), &within);
        let start = line.start.checked_add_signed(grown)?;
        grown += becomes.len() as isize - line.len() as isize;
        push(&mut reading, read_line(format, log, &becomes, now)?, start, record.line);
    }
    (done == splices.len()).then_some(())?;
    let len = bytes.len() as u64;
    let own = Document::of_bytes(log.path.clone(), log.role, bytes);
    Some(Document { len, records: reading.records, problems: reading.problems, ..own })
}

fn line_of(bytes: &Bytes, record: &Record) -> Range<usize> {
    bytes.line_start(record.span.start as usize)..bytes.line_end(record.span.start as usize)
}

/// Reads a line; `None` if it is not one whole record.
fn read_line(format: &dyn Format, log: &Document, line: &[u8], now: Moment) -> Option<Reading> {
    let reading = format.read(Role::Records, &log.path, line, now);
    let is_whole = matches!(reading.records.as_slice(), [own] if own.view().is_some());
    is_whole.then_some(reading)
}

/// Adds what was read of a line to what was read of the log.
fn push(all: &mut Reading, own: Reading, start: usize, line: u32) {
    let number = all.records.len() as u32;
    let at = |span: Span| Span { start: span.start + start as u64, end: span.end + start as u64 };
    all.records.extend(own.records.into_iter().map(|own| Record { span: at(own.span), line, ..own }));
    all.problems.extend(own.problems.into_iter().map(|mut own| {
        own.record = own.record.map(|_| number);
        own.line = own.line.map(|_| line);
        own
    }));
}
