//! Searches all files of a store, and palimp's data about it, for values by their digests.

use std::collections::BTreeSet;
use std::path::Path;

use super::byte_search::{PACKED, each_content, each_file, line};
use crate::disk::Disk;
use crate::store::erase::SharedText;
use crate::store::steps::pending_erasure::ERASING;
use crate::store::write::CommitContext;
use crate::text::keyed_search::{FoundValue, KeyedSearch};

/// Returns the values that are still somewhere. One that is nowhere is erased.
pub(super) fn read_again(context: &CommitContext<'_>, search: &KeyedSearch<'_>) -> Vec<SharedText> {
    if search.is_empty() {
        return Vec::new();
    }
    let (disk, mut found) = (context.host.disk, BTreeSet::new());
    let mut take = |_: &Path, own: FoundValue<'_>| {
        found.insert(SharedText::from(own.value));
    };
    for (path, _) in &context.store.outside_files {
        search_file(disk, &context.path_beside(path), search, &mut take);
    }
    for place in [&context.place.root, &context.vault.path("")] {
        each_file(disk, place, 0, &mut |path, outcome| {
            outcome.into_iter().for_each(|()| drop(search_file(disk, path, search, &mut take)));
        });
    }
    found.into_iter().collect()
}

/// Passes each value in the files below a folder to `see`. Returns the files that could not be searched whole.
pub fn search_values(
    disk: &dyn Disk,
    folder: &Path,
    search: &KeyedSearch<'_>,
    see: &mut dyn FnMut(&Path, FoundValue<'_>),
) -> (u64, Vec<String>) {
    let (mut files, mut unread) = (0, Vec::new());
    let pending = folder.join(ERASING);
    each_file(disk, folder, 0, &mut |path, outcome| {
        if path == pending {
            return;
        }
        files += 1;
        unread.extend(match outcome {
            Ok(()) => search_file(disk, path, search, see),
            Err(error) => Some(line(path, &error.to_string())),
        });
    });
    (files, unread)
}

/// Does the same in one file. Returns why it could not be searched whole, if so.
pub fn search_file(
    disk: &dyn Disk,
    path: &Path,
    search: &KeyedSearch<'_>,
    see: &mut dyn FnMut(&Path, FoundValue<'_>),
) -> Option<String> {
    let why = match disk.read(path, 0, None) {
        Err(error) => Some(error.to_string()),
        Ok((bytes, _)) => {
            each_content(&bytes, PACKED, &mut |bytes| search.each(bytes, &mut |own| see(path, own)))
        }
    };
    why.map(|why| line(path, &why))
}
