//! Text that is written piece by piece, such as an index of a gigabyte of records. Compressed if it is long.

use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::json_stream::JsonOutline;
use crate::model::lazy_bytes::{BlockDigest, digest};
use crate::model::{Bytes, RangeReader, RecordReader, Span};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// Text stays uncompressed up to this number of bytes. Small in unit tests.
const HELD: usize = if cfg!(test) { 1 << 10 } else { 32 << 20 };
/// The number of bytes that are compressed together.
const BLOCK: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// Text under construction.
#[derive(Default)]
pub struct CompressedWriter {
    /// The end of the text, which is not compressed yet.
    open: Vec<u8>,
    packed: Vec<Vec<u8>>,
    blocks: Vec<BlockDigest>,
}

impl CompressedWriter {
    pub fn push(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for own in bytes.chunks(BLOCK) {
            self.open.extend_from_slice(own);
            let most = if self.packed.is_empty() { HELD } else { BLOCK };
            if self.open.len() >= most {
                let open = std::mem::take(&mut self.open);
                let whole = open.len() - open.len() % BLOCK;
                open[..whole].chunks(BLOCK).for_each(|own| self.pack(own));
                self.open = open[whole..].to_vec();
            }
        }
    }

    fn pack(&mut self, own: &[u8]) {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
        // A write to memory can't fail. If it did, the empty block would count as changed.
        let packed = packer.write_all(own).and_then(|()| packer.finish()).unwrap_or_default();
        self.packed.push(packed);
        let end = self.blocks.last().map_or(0, |last| last.end) + own.len() as u64;
        self.blocks.push(BlockDigest { end, digest: digest(own) });
    }

    pub fn finish(mut self) -> Bytes {
        if self.packed.is_empty() {
            return self.open.into();
        }
        let open = std::mem::take(&mut self.open);
        open.chunks(BLOCK).for_each(|own| self.pack(own));
        let ends = self.blocks.iter().map(|own| own.end).collect();
        let blocks: Arc<dyn RangeReader> = Arc::new(CompressedBlocks { ends, packed: self.packed });
        RecordReader::new(Arc::clone(&blocks), Vec::new(), self.blocks).bytes_from(blocks)
    }
}

impl fmt::Write for CompressedWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

struct CompressedBlocks {
    ends: Vec<u64>,
    packed: Vec<Vec<u8>>,
}

impl RangeReader for CompressedBlocks {
    fn read(&self, span: Span) -> Option<Vec<u8>> {
        let own = self.packed.get(self.ends.partition_point(|end| *end <= span.start))?;
        let mut bytes = Vec::with_capacity(span.len() as usize);
        DeflateDecoder::new(&own[..]).take(span.len()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// The new value of a member.
pub enum MemberValue<'m> {
    Text(String),
    /// A function that writes the value.
    Streamed(&'m dyn Fn(&mut CompressedWriter)),
}

/// Sets members like repeated [`json_edit::set`], without the byte order mark. `None` means an
/// empty object. `bytes` are those that `object` was read from.
pub fn with_members(
    object: Option<&JsonOutline<'_>>,
    bytes: &Bytes,
    members: &[(&str, MemberValue<'_>)],
) -> Bytes {
    // A placeholder that no JSON text contains.
    let sign = |at: usize| format!("\0{at}");
    let raw = |at: usize, member: &MemberValue<'_>| match member {
        MemberValue::Text(text) => text.clone(),
        MemberValue::Streamed(_) => sign(at),
    };
    let raws: Vec<(&str, String)> =
        members.iter().enumerate().map(|(at, (name, member))| (*name, raw(at, member))).collect();
    let made = |with: &str| {
        let own = members.iter().enumerate().find(|(at, _)| with == sign(*at))?;
        if let MemberValue::Streamed(write) = own.1.1 { Some(write) } else { None }
    };
    let new: &[u8] = b"{}";
    let text = object.map_or(new, |own| &own.text);
    let mut tape = Tape::default();
    let mut patches =
        json_edit::scan(&mut tape, text).map(|own| json_edit::put(own, &raws)).unwrap_or_default();
    patches.sort_by_key(|patch| patch.at.start);
    let (mut out, mut at) = (CompressedWriter::default(), 0);
    let stays = |out: &mut CompressedWriter, own: std::ops::Range<usize>| match object {
        Some(object) => {
            let range = object.range(own);
            for start in range.clone().step_by(STRETCH) {
                // If bytes are gone, the result is not used (`Store::whole`).
                let own = bytes.range(start..range.end.min(start + STRETCH));
                own.iter().for_each(|own| out.bytes(own));
            }
        }
        None => out.bytes(&new[own]),
    };
    for patch in &patches {
        stays(&mut out, at..patch.at.start);
        match made(&patch.with) {
            Some(write) => write(&mut out),
            None => out.push(&patch.with),
        }
        at = patch.at.end;
    }
    stays(&mut out, at..text.len());
    out.finish()
}

/// The number of bytes that are copied at a time.
const STRETCH: usize = 1 << 20;
