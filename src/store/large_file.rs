//! Large files are not held: palimp keeps a digest of each block, and reads bytes on demand.

use std::io;
use std::path::Path;

use super::long_log::LARGE_LOG;
use crate::disk::Disk;
use crate::model::{Bytes, Generation, RecordReader, Span, lazy_bytes};

/// The bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// Reads a file. Holds the bytes of a small file, and of one that can't stay open or gets shorter.
pub fn read(disk: &dyn Disk, path: &Path) -> io::Result<(Bytes, Generation)> {
    let opened = disk.open_ranges(path).ok().flatten().filter(|(_, generation)| generation.len >= LARGE_LOG);
    // A hollow file is read whole below: that fails and says why.
    let opened = opened.filter(|_| matches!(disk.is_hollow(path), Ok(false)));
    if let Some((opened, generation)) = opened {
        let mut blocks = Vec::new();
        let starts = (0..generation.len).step_by(BLOCK as usize);
        let is_read =
            starts.map(|start| Span { start, end: generation.len.min(start + BLOCK) }).all(|span| {
                let own = opened.read(span);
                own.iter().for_each(|own| blocks.extend(lazy_bytes::blocks(own, span.start)));
                own.is_some()
            });
        if is_read {
            return Ok((
                RecordReader::new(opened.clone(), Vec::new(), blocks).bytes_from(opened),
                generation,
            ));
        }
    }
    let (bytes, generation) = disk.read(path, 0, None)?;
    Ok((bytes.into(), generation))
}
