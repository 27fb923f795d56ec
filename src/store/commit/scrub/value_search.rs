//! Searches all files of a store, and palimp's data about it, for values by their digests.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::byte_search::{PACKED, each_content, each_file};
use crate::disk::Disk;
use crate::store::commit::CommitContext;
use crate::store::commit::vault::pending_erasure::ERASING;
use crate::store::erase::SharedText;
use crate::text::keyed_search::{FoundValue, KeyedSearch};

/// Returns the values that are still somewhere. One that is nowhere is erased.
pub(super) fn read_again(context: &CommitContext<'_>, search: &KeyedSearch<'_>) -> Vec<SharedText> {
    let mut found: BTreeSet<SharedText> = BTreeSet::new();
    let own = context.vault.path("");
    let places = [&context.place.root, &own];
    let mut take = |own: FoundValue<'_>| {
        found.insert(own.value.into());
    };
    let mut see = |bytes: &[u8]| search.each(bytes, &mut take);
    if search.is_empty() {
        return Vec::new();
    }
    for (path, _) in &context.store.outside_files {
        if let Ok((bytes, _)) = context.host.disk.read(&context.path_beside(path), 0, None) {
            each_content(&bytes, PACKED, &mut see);
        }
    }
    for place in places {
        each_file(context.host.disk, place, 0, &mut |path, outcome| {
            let read = outcome.and_then(|()| context.host.disk.read(path, 0, None));
            if let Ok((bytes, _)) = read.as_ref() {
                each_content(bytes, PACKED, &mut see);
            }
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
        let read = outcome.and_then(|()| disk.read(path, 0, None));
        unread.extend(search_read(path, read, search, see));
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
    search_read(path, disk.read(path, 0, None), search, see)
}

fn search_read<T>(
    path: &Path,
    read: io::Result<(Vec<u8>, T)>,
    search: &KeyedSearch<'_>,
    see: &mut dyn FnMut(&Path, FoundValue<'_>),
) -> Option<String> {
    let why = match read {
        Err(error) => Some(error.to_string()),
        Ok((bytes, _)) => {
            each_content(&bytes, PACKED, &mut |bytes| search.each(bytes, &mut |own| see(path, own)))
        }
    };
    why.map(|why| super::byte_search::line(path, &why))
}
