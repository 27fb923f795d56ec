//! Reads a large log in chunks, side by side.
//!
//! A chunk ends after a line that is a whole object at the margin: however the lines before it are
//! read, it is a separate record, so the rest can be read without them. The result is that of reading
//! the whole; the tests compare both. One exception: the search for the ends of torn lines has a limit
//! (`text::records`), counted by chunk. Chunks are the same on every machine.

use std::path::Path;

use super::incremental_read::RecordShift;
use super::parallel;
use crate::format::Format;
use crate::format::record_reader::{Reading, feeds};
use crate::model::{Moment, Role, is_log};
use crate::text::json_scanner::{Newlines, ScanResult, Tape};
use crate::text::lines::{BOM, line_at, lines};

/// The usual size of a chunk, in bytes: fewer are read sooner than a thread is started.
const CHUNK: usize = 1 << 20;
/// The most lines that are looked at to find one after which a chunk may end.
const TRIES: usize = 1_000;

pub fn read(format: &dyn Format, file: (Role, &Path, &[u8]), now: Moment) -> Reading {
    read_by(CHUNK, format, file, now)
}

/// Reads a file in chunks of about `len` bytes.
pub(super) fn read_by(len: usize, format: &dyn Format, file: (Role, &Path, &[u8]), now: Moment) -> Reading {
    let (role, path, bytes) = file;
    let read = |bytes: &&[u8]| format.read(role, path, bytes, now);
    let chunks = if is_log(path) { chunks(bytes, len) } else { vec![bytes] };
    let mut readings = parallel::map_parallel(&chunks, read).into_iter();
    // The problems of the file itself come from its first chunk.
    let mut joined = readings.next().unwrap_or_default();
    let mut behind = RecordShift { bytes: 0, lines: 0, records: 0 };
    for (before, reading) in chunks.iter().zip(readings) {
        behind.bytes += before.len() as i64;
        behind.lines += i64::from(feeds(before));
        behind.records = joined.records.len() as i64;
        behind.add(reading, &mut joined);
    }
    joined
}

/// Cuts the bytes after lines that are records of their own.
fn chunks(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    while let Some(end) = chunk_end(rest, len) {
        let (chunk, behind) = rest.split_at(end);
        chunks.push(chunk);
        rest = behind;
    }
    chunks.push(rest);
    chunks
}

/// Finds the end of a chunk of about `len` bytes; `None` if it is the last one.
fn chunk_end(bytes: &[u8], len: usize) -> Option<usize> {
    let behind = line_at(bytes, len)?.next;
    let mut tape = Tape::default();
    let mut ends = lines(&bytes[behind..]).take(TRIES).filter_map(|line| {
        let (line, next) = (&bytes[behind + line.start..behind + line.end], behind + line.next);
        // A byte order mark at the start of a file is read differently from one within it.
        (!bytes[next..].starts_with(BOM) && is_record(line, &mut tape)).then_some(next)
    });
    ends.next().filter(|end| *end < bytes.len())
}

/// True if a line is exactly one object. An empty object does not end a torn record before it.
fn is_record(line: &[u8], tape: &mut Tape) -> bool {
    let end = ScanResult::Whole { end: line.len(), raw_newline: false };
    line.starts_with(b"{") && line.len() > 2 && tape.scan(line, Newlines::Refused) == end
}
