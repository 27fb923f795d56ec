//! Searches a file beside the stores for values of which only digests are known, with a fixed amount of memory.

use std::io;
use std::path::Path;

use super::ByteProgress;
use super::blocks::BlockReader;
use crate::disk::{Disk, ItemKind};
use crate::model::Span;
use crate::text::keyed_search::KeyedSearch;

/// How much is read at once. Tests cross the ends of smaller blocks.
const BLOCK: u64 = if cfg!(test) { 64 << 10 } else { 4 << 20 };
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
    let overlap = (search.longest() as u64).saturating_mul(SPELLING).min(BLOCK);
    let part = Span { start: 0, end: item.generation.len };
    let (mut is_in, mut is_going) = (false, true);
    let end = BlockReader { disk, path, part, block: BLOCK, overlap }.each(&mut |_, _, block| {
        is_in = search.is_in(block);
        is_going = !is_in && progress(block.len() as u64);
        is_going
    })?;
    match end < part.end {
        true if is_going => Err(io::Error::other("it became shorter meanwhile")),
        true if !is_in => Ok(None),
        _ => Ok(Some(is_in)),
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
