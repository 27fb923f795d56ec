//! Reads a log that has grown: reuses what was read before, and reads what was added.
//!
//! Only some records are compared to see that the old part is unchanged: an agent adds to the end, and
//! reading a gigabyte for each line would take a whole core. Reused parts are marked, and
//! [`verify_reused`] checks them once writing stops. Nothing wrong is shown or planned before that:
//! bytes on demand are compared with their digests, and plans read the whole.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::incremental_read::{FileInput, is_comparable};
use super::log_chunks::{JoinedChunks, is_record};
use super::long_log::{BlockCache, ListedLog, on_demand};
use crate::disk::{Disk, RealDisk};
use crate::format::Format;
use crate::format::record_reader::Reading;
use crate::model::lazy_bytes::{self as told_apart, BlockDigest, digest};
use crate::model::{Document, Generation, Moment, Span, Store};
use crate::text::json_scanner::Tape;
use crate::text::lines::BOM;

/// The number of last records among which palimp looks for one to continue after.
const LAST: usize = 64;
/// The number of other records that are compared, to see that the file only grew.
const SOME: usize = 16;
/// If more bytes were added, the whole file is read again.
const MOST: u64 = 64 << 20;
/// The bytes that are read at a time; a longer record is read at once.
const STRETCH: u64 = 1 << 20;

/// Reads a log that was read before and may have grown. `None` if it must be read from the start.
pub(super) fn read(
    disk: &dyn Disk,
    (root, file): (&Path, &FileInput<'_>),
    (format, before): (&dyn Format, &Document),
    cache: &Arc<BlockCache>,
    now: Moment,
) -> io::Result<Option<ListedLog>> {
    let Some(known) = before.record_reader.as_ref().filter(|_| is_comparable(before, file)) else {
        return Ok(None);
    };
    let from = before.records[before.records.len().saturating_sub(LAST)].span.start.saturating_sub(1);
    let path = root.join(file.path);
    let (bytes, generation) = disk.read(&path, from, Some(before.len - from + MOST))?;
    let was = before.generation;
    let is_same_file = (was.device, was.inode) == (generation.device, generation.inode);
    let has_grown = generation.len > was.len && from + bytes.len() as u64 == generation.len;
    if !is_same_file || !has_grown {
        return Ok(None);
    }
    let digests = known.digests();
    let read_on = |at: &usize| behind(before, *at, digests[*at], (&bytes, from));
    let last = before.records.len().saturating_sub(LAST)..before.records.len();
    let Some(at) = last.rev().find(|at| read_on(at).is_some()) else { return Ok(None) };
    let start = read_on(&at).unwrap_or_default();
    if !are_there(disk, &path, before, &digests[..at])? {
        return Ok(None);
    }
    let Some(blocks) = blocks_up_to(start, known.file(), &|from, len| disk.read(&path, from, Some(len)))?
    else {
        return Ok(None);
    };
    let mut joined = head(before, at, blocks, &digests);
    let added = FileInput { bytes: &bytes[(start - from) as usize..], ..*file };
    joined.add(JoinedChunks::of(format, &added, now));
    let own = on_demand(&path, cache, joined.digests, joined.blocks).mark_reused();
    Ok(Some(ListedLog { reading: joined.reading, record_reader: own, generation }))
}

/// Returns where the line after a record starts, if its own line is unchanged and a separate record.
fn behind(before: &Document, at: usize, was: u64, (bytes, from): (&[u8], u64)) -> Option<u64> {
    let Span { start, end } = before.records[at].span;
    let (from, to) = (start.checked_sub(from)? as usize, end.checked_sub(from)? as usize);
    let line = bytes.get(from..to).filter(|line| digest(line) == was)?;
    let is_at_margin = start == 0 || bytes.get(from.checked_sub(1)?) == Some(&b'\n');
    let feed = match bytes.get(to..)? {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return None,
    };
    // A line without an end has other problems than a line with one.
    let had_end = end + feed as u64 <= before.len;
    let is_line = had_end && is_at_margin && before.records[at].lines == 1;
    let is_own = is_line && is_record(line, &mut Tape::default());
    (is_own && !bytes[to + feed..].starts_with(BOM)).then_some(end + feed as u64)
}

/// True if some sampled records are where they were.
fn are_there(disk: &dyn Disk, path: &Path, before: &Document, digests: &[u64]) -> io::Result<bool> {
    for number in 0..SOME.min(digests.len()) {
        let at = number * digests.len() / SOME.min(digests.len());
        let span = before.records[at].span;
        if digest(&disk.read(path, span.start, Some(span.len()))?.0) != digests[at] {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the blocks of the file up to `end`; reads the last one again if it was cut elsewhere.
fn blocks_up_to(
    end: u64,
    known: &[BlockDigest],
    read: &dyn Fn(u64, u64) -> io::Result<(Vec<u8>, Generation)>,
) -> io::Result<Option<Vec<BlockDigest>>> {
    let mut blocks = known[..known.partition_point(|own| own.end <= end)].to_vec();
    let from = blocks.last().map_or(0, |last| last.end);
    let (bytes, _) = read(from, end - from)?;
    blocks.extend(told_apart::blocks(&bytes, from));
    Ok((bytes.len() as u64 == end - from).then_some(blocks))
}

/// Returns what was read up to the end of a record's line.
fn head(before: &Document, at: usize, blocks: Vec<BlockDigest>, digests: &[u64]) -> JoinedChunks {
    let records = before.records[..=at].to_vec();
    let line = records[at].line;
    let is_known = |own: &&crate::model::Problem| own.line.is_none_or(|of| of <= line);
    let problems = before.problems.iter().filter(is_known).cloned().collect();
    JoinedChunks::known(Reading { records, problems }, digests[..=at].to_vec(), blocks, line)
}

/// True if all partly reused logs of a store are as they were when they were read.
pub fn verify_reused(store: &Store) -> bool {
    let of = |own: &Arc<Document>| Some((Arc::clone(own), own.record_reader.clone()?));
    let mut taken_over = store.documents.iter().filter_map(of).filter(|(_, own)| own.is_partly_reused());
    taken_over.all(|(document, known)| {
        let is_as_it_was = holds(&RealDisk, &store.root, &document, &known.digests()).unwrap_or(false);
        known.set_verified(is_as_it_was);
        is_as_it_was
    })
}

/// True if all records of a log have these digests.
fn holds(disk: &dyn Disk, root: &Path, document: &Document, digests: &[u64]) -> io::Result<bool> {
    let path = root.join(&document.path);
    let mut records = document.records.iter().zip(digests).peekable();
    while let Some((first, _)) = records.peek() {
        let start = first.span.start;
        let (bytes, _) = disk.read(&path, start, Some(first.span.len().max(STRETCH)))?;
        while let Some((record, was)) = records.peek() {
            let (from, to) = ((record.span.start - start) as usize, (record.span.end - start) as usize);
            match bytes.get(from..to) {
                Some(own) if digest(own) == **was => drop(records.next()),
                Some(_) => return Ok(false),
                // The rest is in the next stretch, unless the file ended.
                None if from > 0 => break,
                None => return Ok(false),
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::format;
    use crate::store::incremental_read::tests::{LOGS, NOW, parts, role_of, told};
    use crate::store::long_log;

    fn listed(folder: &Path, file: &FileInput<'_>, format: &dyn Format, cache: &Arc<BlockCache>) -> Document {
        let own = long_log::read(&RealDisk, (folder, file), format, cache, NOW).unwrap().unwrap();
        Document {
            record_reader: Some(own.record_reader),
            records: own.reading.records,
            problems: own.reading.problems,
            len: own.generation.len,
            generation: own.generation,
            ..Document::of_bytes(file.path.into(), file.role, Vec::new())
        }
    }

    proptest! {
        #![proptest_config(crate::tries::config(100, 6_000))]

        #[test]
        fn a_log_that_grew_is_read_as_it_is_read_whole(was in parts(), more in parts(), torn in 0..40_usize) {
            // The bytes that were read may end anywhere: an agent writes in pieces.
            let cut = was.len().saturating_sub(torn);
            let (was, more) = (was[..cut].to_vec(), [&was[cut..], &more].concat());
            for (name, relative) in LOGS {
                let folder = crate::folder::new();
                let path = folder.path().join(relative);
                crate::disk::write_new(&path, &was).unwrap();
                let (format, relative) = (format::by_name(name).unwrap(), Path::new(relative));
                let file = FileInput { role: role_of(format, relative), path: relative, bytes: &[] };
                let cache = Arc::new(BlockCache::default());
                let before = listed(folder.path(), &file, format, &cache);
                std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&more).unwrap();
                let own = read(&RealDisk, (folder.path(), &file), (format, &before), &cache, NOW).unwrap();
                let Some(own) = own else { continue };
                let bytes = [&was[..], &more].concat();
                let whole = format.read(file.role, relative, &bytes, NOW);
                let expected: Vec<u64> =
                    crate::model::lazy_bytes::digests(&bytes, 0, &whole.records).collect();
                prop_assert_eq!(&own.record_reader.digests()[..], &expected[..], "{}", name);
                prop_assert_eq!(told(own.reading), told(whole), "{}", name);
            }
        }
    }

    #[test]
    fn a_log_that_says_otherwise_than_it_did_is_not_taken_over() {
        let line = |id: usize, text: &str| {
            format!(
                "{{\"id\":\"m{id}\",\"type\":\"learning\",\"content\":\"{text}\",\"created_at\":\"2026-01-01T00:00:00Z\"}}\n"
            )
        };
        let was: String = (0..300).map(|id| line(id, "one")).collect();
        let folder = crate::folder::new();
        let path = folder.path().join("learnings.jsonl");
        let (format, relative) = (format::by_name("memory-server").unwrap(), Path::new("learnings.jsonl"));
        let file = FileInput { role: crate::model::Role::Records, path: relative, bytes: &[] };
        let cache = Arc::new(BlockCache::default());
        let grown = |before: &Document| {
            read(&RealDisk, (folder.path(), &file), (format, before), &cache, NOW).unwrap()
        };
        let written: String = (0..301).map(|id| line(id, "two")).collect();
        for (is, is_taken) in
            [(was.clone() + &line(300, "new"), true), (written, false), (was[..200].into(), false)]
        {
            std::fs::write(&path, &was).unwrap();
            let before = listed(folder.path(), &file, format, &cache);
            std::fs::write(&path, &is).unwrap();
            assert_eq!(grown(&before).is_some(), is_taken);
        }
        // A changed line in the middle, together with an added line, is found only by the full check.
        std::fs::write(&path, &was).unwrap();
        let before = listed(folder.path(), &file, format, &cache);
        let one = was.replacen(
            "\"m7\",\"type\":\"learning\",\"content\":\"one",
            "\"m7\",\"type\":\"learning\",\"content\":\"two",
            1,
        );
        std::fs::write(&path, one + &line(300, "new")).unwrap();
        let own = grown(&before).unwrap();
        let digests = own.record_reader.digests();
        let after =
            Document { records: own.reading.records, record_reader: Some(own.record_reader), ..before };
        assert!(!holds(&RealDisk, folder.path(), &after, &digests).unwrap());
        assert!(after.read(7).is_none() && after.read(8).is_some());
    }
}
