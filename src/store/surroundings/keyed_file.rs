//! Searches a file beside the stores for values of which only digests are known, with a fixed amount of memory.

use std::io;
use std::path::Path;

use super::ByteProgress;
use crate::disk::{Disk, ItemKind};
use crate::model::Span;
use crate::text::keyed_search::KeyedSearch;

/// How much is read at once. Tests cross the ends of smaller blocks.
const BLOCK: u64 = if cfg!(test) { 64 << 10 } else { 4 << 20 };
/// The most bytes that are read again with the next block.
const OVERLAP: u64 = BLOCK / 2;
/// A program writes at most this many bytes for one byte of a value: escaped twice.
const SPELLING: u64 = 14;

/// True if a file has one of the values; `None` if the search was stopped before. Fails if it is no file, or can't be
/// read.
pub fn has_digested(
    disk: &dyn Disk,
    path: &Path,
    search: &KeyedSearch<'_>,
    progress: ByteProgress<'_>,
) -> io::Result<Option<bool>> {
    let item = disk.look(path)?;
    if item.kind != ItemKind::File {
        return Err(io::Error::other("it is no file any more"));
    }
    let Some((reader, generation)) = disk.open_ranges(path)? else {
        return Ok(Some(search.is_in(&disk.read(path, 0, None)?.0)));
    };
    let overlap = (search.longest() as u64).saturating_mul(SPELLING).min(OVERLAP);
    let mut start = 0;
    loop {
        let end = (start + BLOCK).min(generation.len);
        let block = reader.read(Span { start, end });
        let block = block.ok_or_else(|| io::Error::other("a part of it can't be read"))?;
        if search.is_in(&block) {
            return Ok(Some(true));
        }
        if end >= generation.len {
            return Ok(Some(false));
        }
        if !progress(end - start) {
            return Ok(None);
        }
        start = end - overlap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};
    use crate::text::keyed_search::ValueKey;

    #[test]
    fn a_value_is_found_by_its_digest_over_the_end_of_a_block_too() {
        let (folder, key) = (crate::folder::new(), ValueKey([7; 32]));
        let digests = [key.digest(b"marzipan and tea"), key.digest(b"another value")];
        let search = KeyedSearch::of(&key, &digests);
        let has = |path: &Path, goes: bool| has_digested(&RealDisk, path, &search, &|_| goes);
        let path = folder.path().join("log");
        for (before, value) in [(BLOCK as usize - 8, "marzipan and tea"), (BLOCK as usize, "another value")] {
            std::fs::remove_file(&path).ok();
            write_new(&path, ["-".repeat(before).as_str(), value].concat().as_bytes()).unwrap();
            assert_eq!(has(&path, true).unwrap(), Some(true));
            assert_eq!(has(&path, false).unwrap(), None);
        }
        std::fs::remove_file(&path).unwrap();
        write_new(&path, b"nothing of it").unwrap();
        assert_eq!(has(&path, true).unwrap(), Some(false));
        assert!(has(folder.path(), true).is_err());
        assert!(has(&folder.path().join("gone"), true).is_err());
    }
}
