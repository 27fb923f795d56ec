//! Checks if a store is as it was read. Then it need not be read and assembled again.

use std::path::Path;
use std::sync::Arc;

use super::load::load_settings;
use super::store_walk::{self, StoreFile};
use crate::disk::Disk;
use crate::format::{self, Format};
use crate::model::{Document, Store, container, deleted_from, is_log};

/// True if a store that was read whole is certainly unchanged. False if only other files can show that.
pub fn is_as_read(disk: &dyn Disk, store: &Store) -> bool {
    let format = format::by_name(store.format).filter(|own| own.about().outside_files.is_empty());
    let is_as_set = |format: &dyn Format| load_settings(disk, &store.root, format) == store.load_settings;
    let is_same = |format: &dyn Format| are_as_read(disk, store, format) && is_as_set(format);
    store.whole().is_ok() && format.is_some_and(is_same)
}

/// True if a log that was read on has other bytes than were read: only samples of it were compared.
pub fn has_misread(disk: &dyn Disk, store: &Store) -> bool {
    let is_unsure = |own: &&Arc<Document>| !own.generation.is_settled && own.is_held() && is_log(&own.path);
    store.documents.iter().filter(is_unsure).any(|own| {
        let now = disk.read_after(&store.root.join(&own.path), &own.bytes);
        now.is_ok_and(|(more, now)| now == own.generation && more.is_none_or(|more| !more.is_empty()))
    })
}

fn are_as_read(disk: &dyn Disk, store: &Store, format: &dyn Format) -> bool {
    let listing = store_walk::walk(disk, &store.root, format, store.scope.as_deref());
    let is_file = |own: &&Document| container(&own.path).is_none() && deleted_from(&own.path).is_none();
    let files: Vec<&Document> = store.documents.iter().map(|own| &**own).filter(is_file).collect();
    let leads_to_one = |folder: &Path| {
        let at = files.partition_point(|own| own.path.as_path() < folder);
        files.get(at).is_some_and(|own| own.path.starts_with(folder))
    };
    let is_same = |(own, found): (&&Document, &StoreFile)| {
        own.path == found.path && own.role == found.role && says_the_same(disk, &store.root, own, found)
    };
    listing.unread.is_empty()
        && files.len() == listing.files.len()
        // An empty folder may matter to the store, but no file shows it.
        && listing.folders.iter().all(|folder| leads_to_one(folder))
        && files.iter().zip(&listing.files).all(is_same)
}

/// True if a file is as it was read. If it was too young to trust its time, compares its bytes.
fn says_the_same(disk: &dyn Disk, root: &Path, own: &Document, found: &StoreFile) -> bool {
    let is_it = || disk.read_after(&root.join(&own.path), &own.bytes);
    own.generation.has_same_bytes(&found.item.generation)
        || own.generation == found.item.generation
            && (!own.role.is_content()
                || own.is_held()
                    && is_it().is_ok_and(|(more, now)| {
                        now == own.generation && more.is_some_and(|more| more.is_empty())
                    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};
    use crate::model::{Extent, Moment};
    use crate::store::{Place, load};

    const LINE: &str = "{\"id\":\"mem_1\",\"session_id\":\"s\",\"type\":\"decision\",\
                        \"timestamp\":\"2026-01-01T00:00:00Z\",\"content\":{\"message\":\"one\"}}\n";

    fn is_as_read_after(change: impl FnOnce(&Path)) -> bool {
        let folder = crate::folder::new();
        let root = folder.path().join("store");
        write_new(&root.join("sessions/s/memory.jsonl"), LINE.as_bytes()).unwrap();
        write_new(&root.join("config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let place = Place::whole(root.clone(), "session-log");
        let store = load(&place, Extent::All, None, Moment(1_800_000_000_000_000));
        change(&root);
        is_as_read(&RealDisk, &store)
    }

    #[test]
    fn a_store_is_as_it_was_read_until_one_of_its_files_changes() {
        let log = "sessions/s/memory.jsonl";
        let write = |path: &str, text: &str| {
            let (path, text) = (path.to_owned(), text.to_owned());
            move |root: &Path| std::fs::write(root.join(path), text).unwrap()
        };
        assert!(is_as_read_after(|_| {}));
        assert!(!is_as_read_after(write(log, &LINE.repeat(2))));
        assert!(!is_as_read_after(write("sessions/s/tombstones.jsonl", "")));
        assert!(!is_as_read_after(|root| std::fs::remove_file(root.join(log)).unwrap()));
        assert!(!is_as_read_after(|root| std::fs::create_dir(root.join("sessions/t")).unwrap()));
        // Same length and time: the file was too young for its time to prove anything.
        assert!(!is_as_read_after(|root| {
            let file = std::fs::File::options().write(true).open(root.join(log)).unwrap();
            let time = file.metadata().unwrap().modified().unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, b"2", LINE.find("mem_1").unwrap() as u64 + 4)
                .unwrap();
            file.set_modified(time).unwrap();
        }));
    }
}
