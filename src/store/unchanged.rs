//! Whether a store is as it was read: then it need not be read, and put together, once more.

use std::path::Path;

use super::files::{self, Found};
use crate::disk::Disk;
use crate::format::{self, Format};
use crate::model::{Document, Store, container, deleted_from};

/// Whether the files of a store that was read whole are surely as they were then. Where that can't be
/// told without reading more than those files, it says no.
pub fn is_as_read(disk: &dyn Disk, store: &Store) -> bool {
    let format = format::by_name(store.format).filter(|own| own.about().beside.is_empty());
    store.whole().is_ok() && format.is_some_and(|format| are_as_read(disk, store, format))
}

fn are_as_read(disk: &dyn Disk, store: &Store, format: &dyn Format) -> bool {
    let listing = files::walk(disk, &store.root, format);
    let is_file = |own: &&Document| container(&own.path).is_none() && deleted_from(&own.path).is_none();
    let files: Vec<&Document> = store.documents.iter().map(|own| &**own).filter(is_file).collect();
    let leads_to_one = |folder: &Path| {
        let at = files.partition_point(|own| own.path.as_path() < folder);
        files.get(at).is_some_and(|own| own.path.starts_with(folder))
    };
    let is_same = |(own, found): (&&Document, &Found)| {
        own.path == found.path && own.role == found.role && says_the_same(disk, &store.root, own, found)
    };
    listing.unread.is_empty()
        && files.len() == listing.files.len()
        // What an empty folder says of a store is in no file of it.
        && listing.folders.iter().all(|folder| leads_to_one(folder))
        && files.iter().zip(&listing.files).all(is_same)
}

/// Whether a file is as it was read. Where its time of change says nothing, as it was young then, its
/// bytes do.
fn says_the_same(disk: &dyn Disk, root: &Path, own: &Document, found: &Found) -> bool {
    let is_held = own.bytes.len() as u64 == own.len;
    let is_it = || disk.behind(&root.join(&own.path), &own.bytes);
    own.generation.holds(&found.item.generation)
        || own.generation == found.item.generation
            && (!own.role.is_content()
                || is_held
                    && is_it().is_ok_and(|(more, now)| {
                        now == own.generation && more.is_some_and(|more| more.is_empty())
                    }))
}
