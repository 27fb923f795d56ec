//! Files that stay open, and their comparison with known bytes.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use crate::model::{Bytes, Span};

/// The number of bytes that are compared at a time.
const BLOCK: usize = 256 << 10;

/// Reads ranges of a file that stays open.
pub trait RangeReader: Send + Sync {
    /// Returns the bytes of a range as they are now. `None` if they can't be read.
    fn read(&self, span: Span) -> Option<Vec<u8>>;
}

/// A file that stays open.
pub struct OpenFile(pub File);

impl RangeReader for OpenFile {
    fn read(&self, span: Span) -> Option<Vec<u8>> {
        let mut bytes = vec![0; span.len() as usize];
        self.0.read_exact_at(&mut bytes, span.start).ok()?;
        Some(bytes)
    }
}

/// True if the next bytes of an open file are `known`. The file is then positioned after them.
pub fn begins_with(opened: &mut File, known: &Bytes) -> io::Result<bool> {
    let Some(slices) = known.slices() else { return Ok(false) };
    let mut block = Vec::new();
    for known in slices.into_iter().flat_map(|slice| slice.chunks(BLOCK)) {
        block.resize(known.len(), 0);
        match opened.read_exact(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            outcome => outcome?,
        }
        if block != known {
            return Ok(false);
        }
    }
    Ok(true)
}
