//! Compares an open file with known bytes.

use std::fs::File;
use std::io::{self, Read};

use crate::model::Bytes;

/// The number of bytes that are compared at a time.
const BLOCK: usize = 256 << 10;

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
