//! Bytes of files that are not in memory: read on demand, and compared with what was read before.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use foldhash::quality::RandomState;

use super::bytes::Bytes;
use super::record::{Record, Span};

/// Reads ranges of a file.
pub trait RangeReader: Send + Sync {
    /// Returns the bytes of a range as they are now. `None` if they can't be read.
    fn read(&self, span: Span) -> Option<Vec<u8>>;
}

/// Reads the bytes of records as they were when the file was read, or nothing if they have changed.
#[derive(Clone)]
pub struct RecordReader {
    blocks: Arc<dyn RangeReader>,
    /// By record.
    digests: Arc<[u64]>,
    /// All blocks of the file.
    file: Arc<[BlockDigest]>,
    has_changed: Arc<AtomicBool>,
    is_partly_reused: Arc<AtomicBool>,
}

impl RecordReader {
    /// Creates a reader of bytes with these digests, by record and block by block.
    pub fn new(blocks: Arc<dyn RangeReader>, digests: Vec<u64>, file: Vec<BlockDigest>) -> RecordReader {
        let (has_changed, is_taken_over) = Default::default();
        RecordReader {
            blocks,
            digests: digests.into(),
            file: file.into(),
            has_changed,
            is_partly_reused: is_taken_over,
        }
    }

    /// Returns all blocks of the file as it was read.
    pub fn file(&self) -> &[BlockDigest] {
        &self.file
    }

    /// Returns all bytes of the file as it was read. They are read through the open file.
    pub fn bytes_from(&self, opened: Arc<dyn RangeReader>) -> Bytes {
        let (has_changed, last) = Default::default();
        Bytes::of_file(BlockFile { blocks: opened, file: Arc::clone(&self.file), has_changed, last })
    }

    /// Marks the reader of a file that has grown: what was read in an earlier state was taken over.
    pub fn mark_reused(self) -> RecordReader {
        self.is_partly_reused.store(true, Relaxed);
        self
    }

    /// True if something was taken over from an earlier state and was not verified since.
    pub fn is_partly_reused(&self) -> bool {
        self.is_partly_reused.load(Relaxed)
    }

    /// Records the result of a check of the complete file.
    pub fn set_verified(&self, is_as_it_was: bool) {
        self.is_partly_reused.store(false, Relaxed);
        self.has_changed.store(!is_as_it_was, Relaxed);
    }

    /// Returns a digest of the bytes of each record.
    pub fn digests(&self) -> Arc<[u64]> {
        Arc::clone(&self.digests)
    }

    /// True if bytes that were asked for were gone. Then results and screens are incomplete.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Relaxed)
    }

    /// Returns the bytes of a record.
    pub fn record(&self, record: u32, span: Span) -> Option<Vec<u8>> {
        self.around(record, span, span)
    }

    /// Returns the bytes of a range around a record. `None` if the record has changed.
    pub fn around(&self, record: u32, own: Span, span: Span) -> Option<Vec<u8>> {
        let bytes = self.within(record, own, span);
        if bytes.is_none() {
            self.has_changed.store(true, Relaxed);
        }
        bytes
    }

    fn within(&self, record: u32, own: Span, span: Span) -> Option<Vec<u8>> {
        let bytes = self.blocks.read(span)?;
        let within = own.start.checked_sub(span.start)? as usize..own.end.checked_sub(span.start)? as usize;
        let is_it = self.digests.get(record as usize) == Some(&digest(bytes.get(within)?));
        is_it.then_some(bytes)
    }
}

/// The end of a block of a file, and the digest of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDigest {
    /// The place where it ends in the file. It starts where the one before it ends.
    pub end: u64,
    /// The digest of its bytes.
    pub digest: u64,
}

/// The maximum size of a block. In unit tests a log has several.
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// Returns the blocks of bytes that are at `start` of their file.
pub fn blocks(bytes: &[u8], start: u64) -> impl Iterator<Item = BlockDigest> + '_ {
    let mut end = start;
    bytes.chunks(BLOCK).map(move |own| {
        end += own.len() as u64;
        BlockDigest { end, digest: digest(own) }
    })
}

/// The maximum number of blocks in memory: a line can be in two, and so can lines of neighbouring threads.
const KEPT: usize = 2;

type NumberedBlock = (usize, Arc<[u8]>);

/// A file in the state in which it was read. Its bytes are read again on demand.
#[derive(Clone)]
pub struct BlockFile {
    blocks: Arc<dyn RangeReader>,
    file: Arc<[BlockDigest]>,
    has_changed: Arc<AtomicBool>,
    /// The blocks that were read last, the newest first. The next request is usually for one of them.
    last: Arc<Mutex<VecDeque<NumberedBlock>>>,
}

impl BlockFile {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.file.last().map_or(0, |last| last.end as usize)
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if bytes that were asked for were gone. Then results that were made of it must not be used.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Relaxed)
    }

    /// Returns its blocks in order, each with the digest that it must have.
    pub fn blocks(&self) -> impl Iterator<Item = (Span, u64)> + '_ {
        (0..self.file.len()).map(|number| (self.span(number), self.file[number].digest))
    }

    fn span(&self, number: usize) -> Span {
        let start = number.checked_sub(1).map_or(0, |before| self.file[before].end);
        Span { start, end: self.file[number].end }
    }

    /// Returns a range of it. `None` if the file has changed, or if the range is out of bounds.
    pub fn range(&self, range: Range<usize>) -> Option<Vec<u8>> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        let mut found = Vec::with_capacity(range.len());
        let mut number = self.file.partition_point(|own| own.end <= range.start as u64);
        while found.len() < range.len() {
            let (block, start) = (self.block(number)?, self.span(number).start as usize);
            let from = range.start + found.len() - start;
            found.extend_from_slice(&block[from..block.len().min(range.end - start)]);
            number += 1;
        }
        Some(found)
    }

    /// Returns all of it, with zeros where it has changed.
    pub fn whole(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        for number in 0..self.file.len() {
            match self.block(number) {
                Some(block) => whole.extend_from_slice(&block),
                None => whole.resize(self.file[number].end as usize, 0),
            }
        }
        whole
    }

    fn block(&self, number: usize) -> Option<Arc<[u8]>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.iter().find(|(of, _)| *of == number) {
            return Some(Arc::clone(known));
        }
        let read = self.blocks.read(self.span(number));
        let Some(own) = read.filter(|own| digest(own) == self.file[number].digest) else {
            self.has_changed.store(true, Relaxed);
            return None;
        };
        let own: Arc<[u8]> = own.into();
        last.truncate(KEPT - 1);
        last.push_front((number, Arc::clone(&own)));
        Some(own)
    }
}

/// Returns the digests of records in `bytes`, which start at `offset` of their file.
pub fn digests<'a>(bytes: &'a [u8], offset: u64, records: &'a [Record]) -> impl Iterator<Item = u64> + 'a {
    let at = move |place: u64| place.saturating_sub(offset) as usize;
    records.iter().map(move |own| digest(bytes.get(at(own.span.start)..at(own.span.end)).unwrap_or_default()))
}

/// Returns a digest of bytes. It has a seed per process, so that no store can have crafted collisions.
pub fn digest(bytes: &[u8]) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}
