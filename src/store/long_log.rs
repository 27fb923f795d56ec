//! Long logs that are read to be listed: their records are kept, and their bytes are read again when
//! one is looked at.

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

/// Shorter files are held: they cost little.
pub const LONG_LOG: u64 = 64 << 10;
/// The same for a change, which is fitted to what others write more easily where it has all bytes. In tests of
/// the library less is large.
pub(super) const LARGE_LOG: u64 = if cfg!(test) { 32 << 10 } else { 4 << 20 };
/// A chunk has so many bytes at least.
const STRETCH: u64 = 1 << 20;
/// A longer chunk is none: there is no end of a line, or too much is torn.
const LONGEST: usize = 256 << 20;
/// Where a chunk ends is mostly told by so many bytes behind it.
const BEHIND: u64 = 16 << 10;
/// A file that changes while it is read is begun anew so often; then it is held.
const TRIES: usize = 3;

/// A log as it was read in one state.
pub(super) struct ListedLog {
    pub reading: Reading,
    pub record_reader: RecordReader,
    pub generation: Generation,
}

/// Reads a log of that format. `None` where it is being written to again and again, and where it can't be
/// cut into chunks: it should be held.
pub(super) fn read(
    disk: &dyn Disk,
    (root, file): (&Path, &FileInput<'_>),
    format: &dyn Format,
    cache: &Arc<BlockCache>,
    now: Moment,
) -> io::Result<Option<ListedLog>> {
    let path = root.join(file.path);
    // Who holds it says why it can't be.
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

/// The records of a file of which those digests were made.
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
    /// A chunk has so many bytes at least.
    len: u64,
    read: u64,
    /// The state of the file that is read.
    of: Option<Generation>,
}

impl ChunkReader<'_> {
    /// What all of it says; `None` where it changed meanwhile.
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

    /// The next chunk, and in `rest` what was read behind it; `None` where the file changed.
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
                    // A long line is read in ever longer stretches: each time all of it is looked through.
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

    /// The next bytes, none at the end; `None` where the file changed.
    fn stretch(&mut self, len: u64) -> io::Result<Option<Vec<u8>>> {
        let (bytes, generation) = self.disk.read(self.path, self.read, Some(len))?;
        let is_same = *self.of.get_or_insert(generation) == generation;
        self.read += bytes.len() as u64;
        Ok(is_same.then_some(bytes))
    }
}

/// The blocks that were read last, of all files of a reading.
#[derive(Default)]
pub(super) struct BlockCache(Mutex<VecDeque<CachedBlock>>);

struct CachedBlock {
    path: Arc<Path>,
    start: u64,
    bytes: Vec<u8>,
}

/// A block has so many bytes.
const BLOCK: u64 = 256 << 10;
/// So many are kept.
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
        // Who lists the newest first walks towards the start of the file.
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
