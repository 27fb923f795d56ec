//! `undelete` of what only undo data or backups hold: to the end of its file, or as the file that
//! it was.

use std::borrow::Cow;

use super::super::{Refusal, Scene, base, by_document};
use crate::format::writing::{Writes, document};
use crate::model::{Change, Entry, Store, Tell};
use crate::store::commit::{deleted_from, without_deleted};

/// Whether a record is in no file of the store, and only our own data holds it.
pub fn is_held(store: &Store, entry: &Entry) -> bool {
    deleted_from(&store.document(entry).path).is_some()
}

/// The store as it was read, to plan on.
pub fn read(store: &Store) -> Cow<'_, Store> {
    match store.documents.iter().any(|own| deleted_from(&own.path).is_some()) {
        true => Cow::Owned(without_deleted(store)),
        false => Cow::Borrowed(store),
    }
}

/// The changes that bring them back. `store` is the one that lists them, the scene's does not.
pub fn bring_back(
    writes: &dyn Writes,
    scene: &Scene<'_>,
    store: &Store,
    entries: &[Entry],
) -> Result<Vec<Change>, Refusal> {
    let mut changes = Vec::new();
    for (held, own) in by_document(store, entries) {
        let Some(path) = deleted_from(&held.path) else { continue };
        let records: Vec<u32> = own.iter().map(|entry| entry.record).collect();
        if let Some(own) = writes.bring_back(scene, &held, &records) {
            changes.extend(own?);
            continue;
        }
        let now = document(&store.documents, path).map(base);
        if path.extension().is_some_and(|end| end == "jsonl") {
            let lines = own.iter().flat_map(|entry| [store.raw(entry), b"\n"].concat());
            changes.push(Change::append(path, lines.collect::<Vec<u8>>(), now));
        } else if now.is_some() {
            return Err(Refusal::unfit(format!("another file is {} by now.", path.told())));
        } else {
            changes.push(Change::create(path, held.bytes.to_vec()));
        }
    }
    Ok(changes)
}
