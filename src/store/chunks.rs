//! Reading a large log in chunks, side by side.
//!
//! A chunk ends behind a line that is a whole object at the margin: however the lines before it are
//! read, it is a record of its own, so what is behind it can be read without them. The result is
//! that of reading the whole; the tests hold both equal. The one exception is a file with so many torn
//! lines that looking for their ends is given up (`text::records`): that is counted chunk by chunk,
//! and chunks are the same on every machine.

use super::crowd;
use super::reread::{File, Moved, is_log};
use crate::format::Format;
use crate::format::reading::{Reading, feeds};
use crate::model::Moment;
use crate::text::lines::{BOM, Line, line_at, lines};
use crate::text::scan::{Newlines, Scan, Tape};

/// A chunk has about so many bytes: less is read sooner than a thread is started.
const CHUNK: usize = 1 << 20;

/// So many lines are looked at to find one behind which a chunk may end.
const TRIES: usize = 1_000;

/// Reads a file.
pub fn read(format: &dyn Format, file: &File<'_>, now: Moment) -> Reading {
    read_by(CHUNK, format, file, now)
}

/// Reads a file in chunks of about that many bytes.
pub(super) fn read_by(len: usize, format: &dyn Format, file: &File<'_>, now: Moment) -> Reading {
    let one = |bytes: &[u8]| format.read(file.role, file.path, bytes, now);
    let chunks = if is_log(file.path) { chunks(file.bytes, len) } else { vec![file.bytes] };
    let mut readings = crowd::each(&chunks, |chunk| (one(chunk), i64::from(feeds(chunk)))).into_iter();
    let (Some((mut whole, mut lines)), mut bytes) = (readings.next(), chunks[0].len()) else {
        return one(file.bytes);
    };
    for ((own, more), chunk) in readings.zip(&chunks[1..]) {
        Moved { bytes: bytes as i64, lines, records: whole.records.len() as i64 }.add(own, &mut whole);
        (lines, bytes) = (lines + more, bytes + chunk.len());
    }
    whole
}

/// The bytes, cut behind lines that are records of their own.
fn chunks(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    while let Some(end) = end_of_chunk(rest, len).filter(|end| *end < rest.len()) {
        let (chunk, behind) = rest.split_at(end);
        chunks.push(chunk);
        rest = behind;
    }
    chunks.push(rest);
    chunks
}

fn end_of_chunk(bytes: &[u8], len: usize) -> Option<usize> {
    let from = bytes.get(..len).map(|_| len)?;
    let first = line_at(bytes, from)?.next;
    let mut tape = Tape::default();
    let behind = lines(&bytes[first..]).take(TRIES);
    let own =
        behind.map(|own| Line { start: own.start + first, end: own.end + first, next: own.next + first });
    // A byte order mark at the start of a file is told otherwise than one within it.
    let is_end =
        |own: &Line| !bytes[own.next..].starts_with(BOM) && is_record(&bytes[own.start..own.end], &mut tape);
    own.into_iter().find(is_end).map(|own| own.next)
}

/// Whether a line is all one object. An empty one does not end a torn one before it.
fn is_record(line: &[u8], tape: &mut Tape) -> bool {
    let end = Scan::Whole { end: line.len(), raw_newline: false };
    line.starts_with(b"{") && line.len() > 2 && tape.scan(line, Newlines::Refused) == end
}
