//! Files that stay open, and their comparison with known bytes.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use crate::model::bytes::BytesPart;
use crate::model::{Bytes, RangeReader, Span, lazy_bytes};

/// The number of bytes that are compared at a time.
const BLOCK: usize = 256 << 10;

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
    let mut block = Vec::new();
    let mut is_next = |len: usize, is: &dyn Fn(&[u8]) -> bool| {
        block.resize(len, 0);
        match opened.read_exact(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            outcome => outcome.map(|()| is(&block)),
        }
    };
    known.parts(&mut |part| match part {
        BytesPart::Block { len, digest } => is_next(len, &|own| lazy_bytes::digest(own) == digest),
        BytesPart::InMemory(known) => {
            for known in known.chunks(BLOCK) {
                if !is_next(known.len(), &|own| own == known)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    })
}
