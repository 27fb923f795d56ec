//! Bytes of files that are not held: read when they are asked for, and held against what was read.

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
    /// The bytes of a range as they are now; `None` where they can't be read.
    fn read(&self, span: Span) -> Option<Vec<u8>>;
}

/// Where the bytes of a file's records are read from. What is given is what was read when the
/// records were, or nothing: the file may have changed since.
#[derive(Clone)]
pub struct RecordReader {
    blocks: Arc<dyn RangeReader>,
    /// By record.
    digests: Arc<[u64]>,
    /// All of the file, block by block.
    file: Arc<[BlockDigest]>,
    /// Whether something that was asked for was gone.
    has_changed: Arc<AtomicBool>,
    /// Whether not all of it was read in this state of the file.
    is_partly_reused: Arc<AtomicBool>,
}

impl RecordReader {
    /// Reads from there what has those digests, by record and block by block.
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

    /// All of the file as it was read, block by block.
    pub fn file(&self) -> &[BlockDigest] {
        &self.file
    }

    /// All bytes of the file as it was read, from where it is open.
    pub fn bytes_from(&self, opened: Arc<dyn RangeReader>) -> Bytes {
        let (has_changed, last) = Default::default();
        Bytes::of_file(BlockFile { blocks: opened, file: Arc::clone(&self.file), has_changed, last })
    }

    /// The same, of a file that grew: what was read in an earlier state was taken over.
    pub fn mark_reused(self) -> RecordReader {
        self.is_partly_reused.store(true, Relaxed);
        self
    }

    /// Whether something was taken over from an earlier state, and was not looked at since.
    pub fn is_partly_reused(&self) -> bool {
        self.is_partly_reused.load(Relaxed)
    }

    /// All of it was looked at: it is as it was, or not.
    pub fn set_verified(&self, is_as_it_was: bool) {
        self.is_partly_reused.store(false, Relaxed);
        self.has_changed.store(!is_as_it_was, Relaxed);
    }

    /// By record, what tells its bytes from others.
    pub fn digests(&self) -> Arc<[u64]> {
        Arc::clone(&self.digests)
    }

    /// Whether something that was asked for was gone: what was found and shown is not all.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Relaxed)
    }

    /// The bytes of a record.
    pub fn record(&self, record: u32, span: Span) -> Option<Vec<u8>> {
        self.around(record, span, span)
    }

    /// The bytes of a range around a record.
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

/// What tells a block of a file from others: where it ends, and a digest of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDigest {
    /// Where it ends in the file. It starts where the one before it ends.
    pub end: u64,
    /// Of its bytes.
    pub digest: u64,
}

/// A block has so many bytes at most; in tests of the library a log has several.
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// The blocks of bytes that are at `start` of their file.
pub fn blocks(bytes: &[u8], start: u64) -> impl Iterator<Item = BlockDigest> + '_ {
    let mut end = start;
    bytes.chunks(BLOCK).map(move |own| {
        end += own.len() as u64;
        BlockDigest { end, digest: digest(own) }
    })
}

/// Limits the number of blocks in memory. A line can be in two blocks, and so can lines of neighbouring
/// threads.
const KEPT: usize = 2;

/// A block and its number.
type NumberedBlock = (usize, Arc<[u8]>);

/// A file as it was when it was read, whose bytes are read again when they are asked for.
#[derive(Clone)]
pub struct BlockFile {
    blocks: Arc<dyn RangeReader>,
    file: Arc<[BlockDigest]>,
    /// Whether something that was asked for was gone.
    has_changed: Arc<AtomicBool>,
    /// The blocks that were read last, by their numbers, the last one first. The next request is usually for
    /// one of them.
    last: Arc<Mutex<VecDeque<NumberedBlock>>>,
}

impl BlockFile {
    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.file.last().map_or(0, |last| last.end as usize)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether something that was asked for was gone: what was made of it is not to be used.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Relaxed)
    }

    /// Its blocks in order, and what each has to be.
    pub fn blocks(&self) -> impl Iterator<Item = (Span, u64)> + '_ {
        (0..self.file.len()).map(|number| (self.span(number), self.file[number].digest))
    }

    fn span(&self, number: usize) -> Span {
        let start = number.checked_sub(1).map_or(0, |before| self.file[before].end);
        Span { start, end: self.file[number].end }
    }

    /// A range of it; `None` where the file changed since, and where the range is not within it.
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

    /// All of it, with zeros where it changed.
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

/// The digests of records within `bytes`, which start at `offset` of their file.
pub fn digests<'a>(bytes: &'a [u8], offset: u64, records: &'a [Record]) -> impl Iterator<Item = u64> + 'a {
    let at = move |place: u64| place.saturating_sub(offset) as usize;
    records.iter().map(move |own| digest(bytes.get(at(own.span.start)..at(own.span.end)).unwrap_or_default()))
}

/// What tells a record's bytes from others in this process; another has other digests, so that nobody
/// can make two records that share one.
pub fn digest(bytes: &[u8]) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}
