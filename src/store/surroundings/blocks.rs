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

/// How much is read at once to count lines.
const LINES: u64 = 256 << 10;

/// Returns the line with this place in a file, from 1 on; `None` if what is before it is no text, or can't be read.
pub(super) fn line_of(disk: &dyn Disk, path: &Path, place: u64) -> Option<u64> {
    let (mut line, mut is_text) = (1, true);
    let part = Span { start: 0, end: place };
    let end = BlockReader { disk, path, part, block: LINES, overlap: 0 }.each(&mut |_, _, block| {
        line += memchr::memchr_iter(b'\n', block).count() as u64;
        is_text = memchr::memchr(0, block).is_none();
        is_text
    });
    (is_text && end.ok()? == place).then_some(line)
}
