//! Long logs that are only listed: palimp keeps their records, and reads bytes again on demand.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::incremental_read::FileInput;
use super::log_chunks::{ChunkEnd, JoinedChunks, cut};
use super::parallel;
use crate::disk::{Disk, RealDisk};
use crate::format::Format;
use crate::format::record_reader::Reading;
use crate::model::lazy_bytes::BlockDigest;
use crate::model::{Generation, Moment, RangeReader, RecordReader, Span};

/// Shorter files are held: that costs little.
pub const LONG_LOG: u64 = 64 << 10;
/// The same for a change, which adapts more easily to others' writes with all bytes. Less in tests.
pub(super) const LARGE_LOG: u64 = if cfg!(test) { 32 << 10 } else { 4 << 20 };
/// The smallest size of a chunk, in bytes.
const STRETCH: u64 = 1 << 20;
/// The largest size of a chunk: a longer one has no line ends, or too much is torn.
const LONGEST: usize = 256 << 20;
/// This many bytes after a chunk mostly show where it ends.
const BEHIND: u64 = 16 << 10;
/// The number of attempts at a file that changes while it is read; then it is held.
const TRIES: usize = 3;

/// A log as it was read in one state.
pub(super) struct ListedLog {
    pub reading: Reading,
    pub record_reader: RecordReader,
    pub generation: Generation,
}

/// Reads a log. `None` if it should be held: it changes in every attempt, or can't be cut into chunks.
pub(super) fn read(
    disk: &dyn Disk,
    (root, file): (&Path, &FileInput<'_>),
    format: &dyn Format,
    cache: &Arc<BlockCache>,
    now: Moment,
) -> io::Result<Option<ListedLog>> {
    let path = root.join(file.path);
    // The caller then reads the file whole, which fails and says why.
    if disk.is_hollow(&path)? {
        return Ok(None);
    }
    for _ in 0..TRIES {
        let mut stretches = ChunkReader { disk, path: &path, len: STRETCH, read: 0, of: None };
        if let Some(joined) = stretches.all(format, file, now)? {
            let on_demand = on_demand(&path, cache, joined.digests, joined.blocks);
            let (reading, generation) = (joined.reading, stretches.of.unwrap_or_default());
            return Ok(Some(ListedLog { reading, record_reader: on_demand, generation }));
        }
    }
    Ok(None)
}

/// Returns the reader of a file's records that have these digests.
pub(super) fn on_demand(
    path: &Path,
    cache: &Arc<BlockCache>,
    digests: Vec<u64>,
    file: Vec<BlockDigest>,
) -> RecordReader {
    let blocks = CachedFile { path: path.into(), cache: Arc::clone(cache) };
    RecordReader::new(Arc::new(blocks), digests, file)
}

/// A file that is read from its start, stretch by stretch.
struct ChunkReader<'a> {
    disk: &'a dyn Disk,
    path: &'a Path,
    /// The smallest size of a chunk, in bytes.
    len: u64,
    read: u64,
    /// The state of the file at the first read.
    of: Option<Generation>,
}

impl ChunkReader<'_> {
    /// Reads all of it; `None` if it changed during that, or can't be cut.
    fn all(
        &mut self,
        format: &dyn Format,
        file: &FileInput<'_>,
        now: Moment,
    ) -> io::Result<Option<JoinedChunks>> {
        let one = |bytes: &Vec<u8>| JoinedChunks::of(format, &FileInput { bytes, ..*file }, now);
        let (mut joined, mut rest, mut is_last) = (JoinedChunks::default(), Vec::new(), false);
        while !is_last {
            let mut chunks = Vec::new();
            while chunks.len() < parallel::thread_limit() && !is_last {
                let Some(more) = self.chunk(&mut rest, &mut is_last)? else { return Ok(None) };
                chunks.push(more);
            }
            parallel::map_parallel(&chunks, one).into_iter().for_each(|own| joined.add(own));
        }
        Ok(Some(joined))
    }

    /// Returns a chunk; `rest` keeps the bytes after it. `None` if the file changed or it is too long.
    fn chunk(&mut self, rest: &mut Vec<u8>, is_last: &mut bool) -> io::Result<Option<Vec<u8>>> {
        let mut is_whole = false;
        loop {
            match cut(rest, self.len as usize, is_whole) {
                ChunkEnd::At(end) => {
                    let behind = rest.split_off(end);
                    return Ok(Some(std::mem::replace(rest, behind)));
                }
                ChunkEnd::Never if rest.len() > LONGEST && !is_whole => return Ok(None),
                ChunkEnd::Never if is_whole => {
                    *is_last = true;
                    return Ok(Some(std::mem::take(rest)));
                }
                // Nothing can be cut off: all of it is one chunk.
                ChunkEnd::Never => {
                    while !is_whole && rest.len() <= LONGEST {
                        let Some(more) = self.stretch(self.len)? else { return Ok(None) };
                        is_whole = more.is_empty();
                        rest.extend_from_slice(&more);
                    }
                }
                ChunkEnd::NeedsMore if rest.len() > LONGEST => return Ok(None),
                ChunkEnd::NeedsMore => {
                    let read = rest.len() as u64;
                    // A long line is read in ever longer stretches: all of it is searched again after
                    // each.
                    let lacking =
                        (self.len + BEHIND).checked_sub(read).filter(|own| *own > 0).unwrap_or(read);
                    let Some(more) = self.stretch(lacking)? else { return Ok(None) };
                    is_whole = more.is_empty();
                    rest.reserve_exact(more.len());
                    rest.extend_from_slice(&more);
                }
            }
        }
    }

    /// Reads the next bytes, none at the end; `None` if the file changed.
    fn stretch(&mut self, len: u64) -> io::Result<Option<Vec<u8>>> {
        let (bytes, generation) = self.disk.read(self.path, self.read, Some(len))?;
        let is_same = *self.of.get_or_insert(generation) == generation;
        self.read += bytes.len() as u64;
        Ok(is_same.then_some(bytes))
    }
}

/// The blocks that were read last, of all files of one load.
#[derive(Default)]
pub(super) struct BlockCache(Mutex<VecDeque<CachedBlock>>);

struct CachedBlock {
    path: Arc<Path>,
    start: u64,
    bytes: Vec<u8>,
}

/// The size of a block, in bytes.
const BLOCK: u64 = 256 << 10;
/// The most blocks that are kept.
const BLOCKS: usize = 32;

struct CachedFile {
    path: Arc<Path>,
    cache: Arc<BlockCache>,
}

impl CachedFile {
    fn within(&self, block: &CachedBlock, span: Span) -> Option<Vec<u8>> {
        let is_it = Arc::ptr_eq(&block.path, &self.path);
        let from = span.start.checked_sub(block.start).filter(|_| is_it)? as usize;
        Some(block.bytes.get(from..from + span.len() as usize)?.to_vec())
    }
}

impl RangeReader for CachedFile {
    fn read(&self, span: Span) -> Option<Vec<u8>> {
        let mut blocks = self.cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = blocks.iter().rev().find_map(|block| self.within(block, span)) {
            return Some(found);
        }
        drop(blocks);
        if span.len() > BLOCK {
            let (bytes, _) = RealDisk.read(&self.path, span.start, Some(span.len())).ok()?;
            return (bytes.len() as u64 == span.len()).then_some(bytes);
        }
        // A list with the newest records first reads towards the start of the file.
        let aligned = span.start / BLOCK * BLOCK;
        let start = if span.end <= aligned + BLOCK { aligned } else { span.start };
        let (bytes, _) = RealDisk.read(&self.path, start, Some(BLOCK)).ok()?;
        let block = CachedBlock { path: Arc::clone(&self.path), start, bytes };
        let found = self.within(&block, span)?;
        blocks = self.cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.push_back(block);
        let surplus = blocks.len().saturating_sub(BLOCKS);
        blocks.drain(..surplus);
        Some(found)
    }
}

#[cfg(test)]
pub(super) mod tests;
