//! Large files that are not held: a digest of each block is, and their bytes are read when they are asked for.

use std::io;
use std::path::Path;

use super::long_log::LARGE_LOG;
use crate::disk::Disk;
use crate::model::{Bytes, Generation, RecordReader, Span, lazy_bytes};

/// So many bytes are read at once.
const BLOCK: u64 = 1 << 20;

/// The bytes of a file, and the state that it is in. Those of a small one are held, as are those of one that
/// can't stay open, or is cut short meanwhile.
pub fn read(disk: &dyn Disk, path: &Path) -> io::Result<(Bytes, Generation)> {
    let opened = disk.open_ranges(path).ok().flatten().filter(|(_, generation)| generation.len >= LARGE_LOG);
    // Who holds a hollow one says why it can't be.
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
