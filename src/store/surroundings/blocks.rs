//! Reads files of any length with a fixed amount of memory.

use std::io;
use std::path::Path;

use crate::disk::Disk;
use crate::model::Span;

/// A part of a file, and how it is read.
pub(super) struct BlockReader<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) path: &'a Path,
    pub(super) part: Span,
    /// How much is read at once.
    pub(super) block: u64,
    /// How many bytes before a block are passed with it: they may have the start of what is found in it.
    pub(super) overlap: u64,
}

impl BlockReader<'_> {
    /// Passes each block to `see`, with its place and the place up to which bytes were passed already. Ends if that returns
    /// false. Returns the place up to which bytes were passed: a file that became shorter has no more.
    pub(super) fn each(&self, see: &mut dyn FnMut(u64, u64, &[u8]) -> bool) -> io::Result<u64> {
        let mut at = self.part.start;
        while at < self.part.end {
            let start = at.saturating_sub(self.overlap);
            let end = (at + self.block).min(self.part.end);
            let (bytes, _) = self.disk.read(self.path, start, Some(end - start))?;
            let (from, is_short) = (at, (bytes.len() as u64) < end - start);
            at = (start + bytes.len() as u64).clamp(at, end);
            if !see(start, from, &bytes) || is_short {
                break;
            }
        }
        Ok(at)
    }
}
