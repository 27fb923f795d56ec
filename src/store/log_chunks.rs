//! Reads a large log in chunks, side by side.
//!
//! A chunk ends after a line that is a whole object at the margin: however the lines before it are
//! read, it is a separate record, so the rest can be read without them. The result is that of reading
//! the whole; the tests compare both. One exception: the search for the ends of torn lines has a limit
//! (`text::records`), counted by chunk. Chunks are the same on every machine.

use super::incremental_read::{FileInput, RecordShift};
use super::parallel;
use crate::format::Format;
use crate::format::record_reader::{Reading, feeds};
use crate::model::bytes::Ranges;
use crate::model::lazy_bytes::{self, BlockDigest};
use crate::model::{Bytes, Moment, is_log};
use crate::text::json_scanner::{Newlines, ScanResult, Tape};
use crate::text::lines::{BOM, line_at, lines};

/// The usual size of a chunk, in bytes: fewer are read sooner than a thread is started.
const CHUNK: usize = 1 << 20;

/// The most lines that are looked at to find one after which a chunk may end.
const TRIES: usize = 1_000;

pub fn read(format: &dyn Format, file: &FileInput<'_>, now: Moment) -> Reading {
    read_by(CHUNK, format, file, now)
}

/// Reads a file in chunks of about `len` bytes.
pub(super) fn read_by(len: usize, format: &dyn Format, file: &FileInput<'_>, now: Moment) -> Reading {
    if !is_log(file.path) {
        return format.read(file.role, file.path, file.bytes, now);
    }
    let one = |bytes: &&[u8]| JoinedChunks::of_reading(format, &FileInput { bytes, ..*file }, now);
    let mut joined = JoinedChunks::default();
    parallel::map_parallel(&chunks(file.bytes, len), one).into_iter().for_each(|own| joined.add(own));
    joined.reading
}

#[derive(Default)]
pub(super) struct JoinedChunks {
    pub reading: Reading,
    /// The digest of each record's bytes, if asked for.
    pub digests: Vec<u64>,
    /// The digests of all bytes, block by block, if asked for.
    pub blocks: Vec<BlockDigest>,
    bytes: u64,
    lines: u32,
}

impl JoinedChunks {
    /// Reads one chunk, with digests.
    pub fn of(format: &dyn Format, file: &FileInput<'_>, now: Moment) -> JoinedChunks {
        let own = JoinedChunks::of_reading(format, file, now);
        let digests = lazy_bytes::digests(file.bytes, 0, &own.reading.records).collect();
        JoinedChunks { digests, blocks: lazy_bytes::blocks(file.bytes, 0).collect(), ..own }
    }

    /// Returns what was read before: the first `lines` lines of a file.
    pub fn known(reading: Reading, digests: Vec<u64>, blocks: Vec<BlockDigest>, lines: u32) -> JoinedChunks {
        let bytes = blocks.last().map_or(0, |last| last.end);
        JoinedChunks { reading, digests, blocks, bytes, lines }
    }

    fn of_reading(format: &dyn Format, file: &FileInput<'_>, now: Moment) -> JoinedChunks {
        let reading = format.read(file.role, file.path, file.bytes, now);
        let (bytes, lines) = (file.bytes.len() as u64, feeds(file.bytes));
        JoinedChunks { reading, bytes, lines, ..JoinedChunks::default() }
    }

    pub fn add(&mut self, next: JoinedChunks) {
        // The problems of the file itself come from its first chunk.
        if self.bytes == 0 {
            *self = next;
            return;
        }
        let records = self.reading.records.len() as i64;
        RecordShift { bytes: self.bytes as i64, lines: self.lines.into(), records }
            .add(next.reading, &mut self.reading);
        self.digests.extend(next.digests);
        let moved = |own: BlockDigest| BlockDigest { end: own.end + self.bytes, ..own };
        self.blocks.extend(next.blocks.into_iter().map(moved));
        self.bytes += next.bytes;
        self.lines += next.lines;
    }
}

/// Cuts the bytes after lines that are records of their own.
fn chunks(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    while let ChunkEnd::At(end) = cut(rest, len, true) {
        let (chunk, behind) = rest.split_at(end);
        chunks.push(chunk);
        rest = behind;
    }
    chunks.push(rest);
    chunks
}

/// Passes bytes to `take` in chunks (held bytes in one) until it returns false. True if it never did.
pub fn each(bytes: &Bytes, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    match bytes.is_file_backed() {
        true => each_by(CHUNK, bytes, take),
        false => take(bytes),
    }
}

/// Does the same as [`each`], in chunks of about `most` bytes.
pub(super) fn each_by(most: usize, bytes: &Bytes, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let (mut chunk, mut start, mut len) = (Vec::new(), 0, most);
    while start < bytes.len() {
        let end = (start + len + BEHIND).min(bytes.len());
        chunk.clear();
        chunk.extend_from_slice(&bytes.at(start..end));
        match cut(&chunk, len, end == bytes.len()) {
            ChunkEnd::At(own) => {
                (start, len) = (start + own, most);
                chunk.truncate(own);
            }
            ChunkEnd::Never if end == bytes.len() => start = end,
            // A longer chunk is needed to find its end.
            ChunkEnd::NeedsMore | ChunkEnd::Never => {
                len *= 2;
                continue;
            }
        }
        if !take(&chunk) {
            return false;
        }
    }
    true
}

/// This many bytes after a chunk mostly show where it ends.
const BEHIND: usize = 16 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChunkEnd {
    /// After this many bytes, and more follow.
    At(usize),
    /// The bytes that follow decide it.
    NeedsMore,
    /// Nowhere before the end of the file.
    Never,
}

/// Finds the end of a chunk of about `len` bytes. `is_whole`: the file ends where the bytes do.
pub(super) fn cut(bytes: &[u8], len: usize, is_whole: bool) -> ChunkEnd {
    let unknown = || if is_whole { ChunkEnd::Never } else { ChunkEnd::NeedsMore };
    // A byte order mark at the start of a file is read differently from one within it.
    let is_known = |end: usize| is_whole || end + BOM.len() <= bytes.len();
    let Some(first) = line_at(bytes, len).filter(|own| is_known(own.next)) else { return unknown() };
    let mut tape = Tape::default();
    for own in lines(&bytes[first.next..]).take(TRIES) {
        let (start, end, next) = (own.start + first.next, own.end + first.next, own.next + first.next);
        if !is_known(next) {
            return ChunkEnd::NeedsMore;
        }
        if !bytes[next..].starts_with(BOM) && is_record(&bytes[start..end], &mut tape) {
            return if next < bytes.len() { ChunkEnd::At(next) } else { ChunkEnd::Never };
        }
    }
    let looked_at = lines(&bytes[first.next..]).take(TRIES).count();
    if looked_at == TRIES { ChunkEnd::Never } else { unknown() }
}

/// True if a line is exactly one object. An empty object does not end a torn record before it.
pub(super) fn is_record(line: &[u8], tape: &mut Tape) -> bool {
    let end = ScanResult::Whole { end: line.len(), raw_newline: false };
    line.starts_with(b"{") && line.len() > 2 && tape.scan(line, Newlines::Refused) == end
}
