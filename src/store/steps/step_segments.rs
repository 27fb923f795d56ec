//! Segments: the files with the undo data of steps, in the order in which the steps began.
//!
//! A segment grows only at its end, so one fsync makes a step durable. Each entry is a member of a gzip file (RFC 1952),
//! whose extra field says which step it is and how long it is: `zcat` shows everything that a segment holds.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, CrcWriter};
use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::undo_step::UndoStep;
use crate::disk::{Disk, optional};
use crate::model::{Bytes, JournalLine};

/// The folder of the segments.
pub const UNDO: &str = "undo";
/// How the name of a segment ends. Before it is the number of its first step.
pub const SEGMENT_SUFFIX: &str = ".steps.gz";
/// How each member begins: gzip, deflated, with an extra field (2.3.1).
const MAGIC: &[u8] = &[0x1f, 0x8b, 8, 4];
/// The length of a member before its extra field: the fixed header, and the field's length.
const FIXED: usize = 12;
/// The length of the checksum and the length at the end of a member.
const TRAILER: u64 = 8;
/// The id and the length before our part of the extra field (2.3.1.1).
const SUBFIELD: usize = 4;
/// How much of a segment is read at once, in bytes.
const PART: u64 = 512 << 10;
/// A header is shorter than this, in bytes: its extra field has a length of 16 bits.
const LONGEST_HEADER: usize = FIXED + (1 << 16);
/// Undo data longer than this is deflated fast rather than well, in bytes.
const LONG: usize = 1 << 20;

/// The segment that grows.
#[derive(Clone, Debug)]
pub struct LastSegment {
    pub path: PathBuf,
    /// Where its last whole entry ends, in bytes.
    pub end: u64,
}

/// What an entry says about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntryHeader {
    /// The step's number.
    pub step: u64,
    /// When it was written, by the machine's clock, in microseconds since 1970.
    pub written: i64,
    /// The length of the deflated bytes.
    deflated: u64,
    /// True if the step was not done, or not finished and then undone: nothing is kept of it but its number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_void: bool,
}

/// An entry of a segment, and where it is.
#[derive(Clone, Debug)]
pub struct StepEntry {
    /// What it says about itself.
    pub header: EntryHeader,
    pub(super) segment: PathBuf,
    /// Where its member starts, and its length in bytes.
    start: u64,
    pub len: u64,
}

/// The entries of a segment that are there in full.
#[derive(Debug, Default)]
pub struct SegmentEntries {
    /// In the order in which they were written.
    pub entries: Vec<StepEntry>,
    /// The end of the last one, in bytes.
    pub end: u64,
    /// True if something else is in the segment: a crash cut a member, or the disk damaged it.
    pub is_damaged: bool,
}

impl SegmentEntries {
    /// True if something in it is no entry, or undo data that another entry of its step replaced.
    pub fn is_to_rewrite(&self) -> bool {
        let mut later = HashSet::new();
        let is_replaced = |own: &StepEntry| !later.insert(own.header.step) && !own.header.is_void;
        self.is_damaged || self.entries.iter().rev().any(is_replaced)
    }
}

/// Returns an entry as the bytes of its member: the last line of the journal, which is perhaps not durable, and the undo
/// data, if the step has any.
pub fn to_member(
    step: u64,
    written: i64,
    data: Option<&[Cow<'_, [u8]>]>,
    last: Option<&JournalLine>,
) -> io::Result<Vec<u8>> {
    let mut line = last.map(serde_json::to_vec).transpose()?.unwrap_or_default();
    line.push(b'\n');
    let parts = data.unwrap_or_default();
    let is_long = parts.iter().map(|part| part.len()).sum::<usize>() > LONG;
    let level = if is_long { Compression::fast() } else { Compression::default() };
    let mut deflater = CrcWriter::new(DeflateEncoder::new(Vec::new(), level));
    deflater.write_all(&line)?;
    parts.iter().try_for_each(|part| deflater.write_all(part))?;
    let (sum, amount) = (deflater.crc().sum(), deflater.crc().amount());
    let deflated = deflater.into_inner().finish()?;
    let header = EntryHeader { step, written, deflated: deflated.len() as u64, is_void: data.is_none() };
    let field = serde_json::to_vec(&header)?;
    let len = u16::try_from(field.len() + SUBFIELD).map_err(io::Error::other)?;
    let mut member = Vec::with_capacity(FIXED + len as usize + deflated.len() + TRAILER as usize);
    // No time, no flags of the compression, an unknown system.
    member.extend_from_slice(&[MAGIC, &[0, 0, 0, 0, 0, 255], &len.to_le_bytes()].concat());
    member.extend_from_slice(&[b"PS", &(len - SUBFIELD as u16).to_le_bytes()[..], &field].concat());
    member.extend_from_slice(&deflated);
    member.extend_from_slice(&[sum.to_le_bytes(), amount.to_le_bytes()].concat());
    Ok(member)
}

/// Finds the entries of a segment. What a long one holds is not read.
pub fn entries_of(disk: &dyn Disk, segment: &Path) -> io::Result<SegmentEntries> {
    let mut found = SegmentEntries::default();
    let Some(item) = optional(disk.look(segment))? else { return Ok(found) };
    let (file_len, mut part_start) = (item.generation.len, 0);
    while part_start < file_len {
        let part = disk.read(segment, part_start, Some(PART))?.0;
        let mut at = 0;
        while at < part.len() {
            let rest = &part[at..];
            let start = part_start + at as u64;
            let entry = header_of(rest).and_then(|(header, before)| {
                let len = header.deflated.checked_add(before as u64 + TRAILER)?;
                Some(StepEntry { header, segment: segment.to_owned(), start, len })
            });
            if let Some(entry) = entry.filter(|own| own.len <= file_len - start) {
                at += entry.len as usize;
                found.end = start + entry.len;
                found.entries.push(entry);
            } else if at > 0 && rest.len() < LONGEST_HEADER && start + (rest.len() as u64) < file_len {
                // The header goes on in the next part, which begins with it.
                break;
            } else {
                found.is_damaged = true;
                // The beginning of a member may be the end of this part.
                let end = (rest.len() + 1).saturating_sub(MAGIC.len()).max(1);
                at += memmem::find(&rest[1..], MAGIC).map_or(end, |next| next + 1);
            }
        }
        if part.is_empty() {
            break;
        }
        part_start += at as u64;
    }
    Ok(found)
}

/// Returns the header, and where the deflated bytes start.
fn header_of(bytes: &[u8]) -> Option<(EntryHeader, usize)> {
    let len = bytes.get(FIXED - 2..FIXED).filter(|_| bytes.starts_with(MAGIC))?;
    let end = FIXED + usize::from(u16::from_le_bytes([len[0], len[1]]));
    let header = serde_json::from_slice(bytes.get(FIXED + SUBFIELD..end)?).ok()?;
    Some((header, end))
}

impl StepEntry {
    /// Returns where it is: the segment, and the offset in it.
    pub fn place(&self) -> (&Path, u64) {
        (&self.segment, self.start)
    }

    /// Reads its member as it is on disk; `None` if another is in its place.
    pub fn member(&self, disk: &dyn Disk) -> io::Result<Option<Vec<u8>>> {
        let read = optional(disk.read(&self.segment, self.start, Some(self.len)))?;
        let is_it = |own: &EntryHeader| {
            (own.step, own.written, own.deflated)
                == (self.header.step, self.header.written, self.header.deflated)
        };
        // The segment may have been rewritten since.
        Ok(read.map(|(member, _)| member).filter(|own| header_of(own).is_some_and(|(own, _)| is_it(&own))))
    }

    /// Returns its member with other undo data, and without the line of the journal.
    pub fn with(&self, step: &UndoStep) -> io::Result<Vec<u8>> {
        to_member(self.header.step, self.header.written, Some(&step.parts()), None)
    }

    /// Reads the undo data. `None` if it was removed, or a crash cut it, so that its checksum is wrong.
    pub fn data(&self, disk: &dyn Disk) -> io::Result<Option<Bytes>> {
        if self.header.is_void {
            return Ok(None);
        }
        let content = self.content(disk)?.map(Bytes::from);
        Ok(content.and_then(|own| Some(own.part(memchr::memchr(b'\n', &own)? + 1..own.len()))))
    }

    /// Reads the line of the journal that it has.
    pub fn last_line(&self, disk: &dyn Disk) -> io::Result<Option<JournalLine>> {
        let content = self.content(disk)?.unwrap_or_default();
        let line = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(serde_json::from_slice(line).ok())
    }

    fn content(&self, disk: &dyn Disk) -> io::Result<Option<Vec<u8>>> {
        let inflate = |member: Vec<u8>| {
            let mut content = Vec::new();
            GzDecoder::new(&member[..]).read_to_end(&mut content).ok().map(|_| content)
        };
        Ok(self.member(disk)?.and_then(inflate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    fn segment(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = crate::folder::new();
        let path = folder.path().join("000001.steps.gz");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn steps(found: &SegmentEntries) -> Vec<u64> {
        found.entries.iter().map(|own| own.header.step).collect()
    }

    #[test]
    fn entries_are_found_behind_others_of_any_length_and_behind_damage() {
        let noise: Vec<u8> =
            (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let members: Vec<Vec<u8>> = [&b"short"[..], &noise, b"", b"last"]
            .iter()
            .zip(1..)
            .map(|(data, step)| to_member(step, 7, Some(&[data[..].into()]), None).unwrap())
            .collect();
        let whole = members.concat();
        let (_folder, path) = segment(&whole);
        let found = entries_of(&RealDisk, &path).unwrap();
        assert_eq!(
            (steps(&found), found.end, found.is_damaged),
            (vec![1, 2, 3, 4], whole.len() as u64, false)
        );
        assert_eq!(found.entries[1].data(&RealDisk).unwrap().as_deref(), Some(&noise[..]));
        assert!(crate::text::unpack::gunzip(&whole, 1 << 20).fault.is_none(), "it is a gzip file");
        let damaged = [&members[0][..], &vec![b'x'; 70_000], &members[2], &members[3]].concat();
        let (_folder, path) = segment(&damaged);
        let found = entries_of(&RealDisk, &path).unwrap();
        assert_eq!((steps(&found), found.is_damaged), (vec![1, 3, 4], true));
    }

    #[test]
    fn a_member_that_a_crash_cut_anywhere_holds_nothing() {
        let first = to_member(1, 7, Some(&[b"one"[..].into()]), None).unwrap();
        let member = to_member(2, 7, Some(&[b"what was replaced"[..].into()]), None).unwrap();
        for cut in 0..member.len() {
            let (_folder, path) = segment(&[&first[..], &member[..cut]].concat());
            let found = entries_of(&RealDisk, &path).unwrap();
            assert_eq!((steps(&found), found.end), (vec![1], first.len() as u64), "cut at {cut}");
            let zeros = [&first[..], &member[..cut], &vec![0; member.len() - cut]].concat();
            if zeros.ends_with(&member) {
                continue;
            }
            let (_folder, path) = segment(&zeros);
            let found = entries_of(&RealDisk, &path).unwrap();
            let data = found.entries.get(1).map(|own| own.data(&RealDisk).unwrap());
            assert!(matches!(data, None | Some(None)), "zeros behind {cut}");
        }
    }
}
