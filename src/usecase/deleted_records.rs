//! Deleted memories that palimp's own data still holds, beside the stores.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::current_snapshot;
use super::failure::ChangeFailure;
use crate::disk::host::Host;
use crate::model::{Snapshot, State, Store};
use crate::ops::delete::holds_deleted;
use crate::store::steps;

/// Returns the stores with the deleted memories that can be restored.
pub fn with_deleted(snapshot: &Arc<Snapshot>, host: Host<'_>) -> Result<Arc<Snapshot>, String> {
    let snapshot = current_snapshot(snapshot, host);
    let with = |own: &Arc<Store>| match store_with_deleted(host, own) {
        Ok(store) => Ok(Arc::new(store)),
        Err(failed) => Err(format!("what was deleted can't be listed: {}", failed.message)),
    };
    let stores = snapshot.stores.iter().map(with).collect::<Result<_, _>>()?;
    let snapshot = Arc::new(Snapshot::of(stores));
    // The references are made here, so that the screens need not wait for them.
    snapshot.references();
    Ok(snapshot)
}

/// Returns a store with its deleted memories that can be restored.
/// Fails if the erasure list can't be read: erased memories could be among the deleted ones.
pub fn store_with_deleted(host: Host<'_>, store: &Store) -> Result<Store, ChangeFailure> {
    Ok(steps::with_deleted(host, store, &BTreeSet::new())?)
}

/// Returns a store with its memories in palimp's own archive.
/// Fails if palimp's own data can't be read.
pub fn store_with_archived(host: Host<'_>, store: &Store) -> Result<Store, ChangeFailure> {
    Ok(steps::with_archived(host.disk, host.data, store, host.now)?)
}

/// At most this many bytes of stores are read to count what palimp's data still holds.
const COUNTED: u64 = 64 << 20;

/// At most this many bytes of undo data and backups are read for that, at each start and after each change.
const HELD: u64 = 4 << 20;

/// How many memories searches for deleted and archived ones find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetAsideCount {
    /// With those that undo data and backups have.
    pub deleted: usize,
    /// With those that palimp's own data has.
    pub archived: usize,
}

/// Counts the deleted and archived memories; `None` if that would read too much. Only stores of which
/// undo data or backups hold something are read.
pub fn deleted_count(snapshot: &Arc<Snapshot>, host: Host<'_>) -> Option<SetAsideCount> {
    let stores = snapshot.stores.iter();
    let held = stores.clone().map(|own| steps::held_bytes(host.disk, host.data, own));
    let held: Vec<u64> = held.collect::<Option<_>>()?;
    let read: u64 = stores.clone().zip(&held).filter(|(_, held)| **held > 0).map(|(own, _)| own.bytes).sum();
    if read > COUNTED || held.iter().sum::<u64>() > HELD {
        return None;
    }
    let with = |(own, held): (&Arc<Store>, u64)| match held {
        0 => store_with_archived(host, own).ok(),
        _ => store_with_deleted(host, own).ok(),
    };
    let stores: Vec<Store> = stores.zip(held).map(with).collect::<Option<_>>()?;
    let count = |state| stores.iter().map(|own| own.count(state)).sum();
    Some(SetAsideCount { deleted: count(State::Deleted), archived: count(State::Archived) })
}

/// Returns the numbers of deleted and archived memories of one store, with those that palimp's own data has, as the
/// screens count them.
pub fn set_aside_count(store: &Arc<Store>, host: Option<Host<'_>>) -> SetAsideCount {
    let alone = Arc::new(Snapshot::of(vec![Arc::clone(store)]));
    let counted = host.and_then(|host| deleted_count(&alone, host));
    counted.unwrap_or_else(|| {
        let with = host.and_then(|host| store_with_archived(host, store).ok());
        let archived = with.as_ref().unwrap_or(store).count(State::Archived);
        SetAsideCount { deleted: store.count(State::Deleted), archived }
    })
}

/// Adds deleted memories to a store that was read again, if the store before had them.
pub(super) fn as_before(host: Host<'_>, before: &Store, reloaded: Arc<Store>) -> Arc<Store> {
    if !holds_deleted(before) {
        return reloaded;
    }
    store_with_deleted(host, &reloaded).map(Arc::new).unwrap_or(reloaded)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::disk::RealDisk;
    use crate::model::{Extent, Moment};
    use crate::store::steps::Vault;
    use crate::store::{Place, load};

    #[test]
    fn deleted_memories_are_counted_only_if_little_has_to_be_read_for_that() {
        let folder = crate::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let line = |id: &str| {
            format!(
                "{{\"id\":\"{id}\",\"session_id\":\"s\",\"type\":\"decision\",\
                 \"timestamp\":\"2026-01-01T00:00:00Z\",\"content\":{{\"message\":\"{id}\"}}}}\n"
            )
        };
        let log = Path::new("sessions/s/memory.jsonl");
        crate::disk::write_new(&root.join(log), line("mem_1").as_bytes()).unwrap();
        crate::disk::write_new(&root.join("config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let now = Moment(1_800_000_000_000_000);
        let place = Place::whole(root.clone(), "session-log");
        let store = Arc::new(load(&place, Extent::All, None, now));
        let snapshot = Arc::new(Snapshot::of(vec![store]));
        let count = || deleted_count(&snapshot, Host::here(&data, now)).map(|own| own.deleted);
        assert_eq!(count(), Some(0));
        let vault = Vault::open(&RealDisk, &data, &root).unwrap();
        vault.copy(log, (line("mem_1") + &line("mem_2")).as_bytes(), now).unwrap();
        assert_eq!(count(), Some(1));
        let large = vault.path("undo/000001.steps.gz");
        crate::disk::write_new(&large, &vec![b' '; HELD as usize]).unwrap();
        assert_eq!(count(), None, "undo data counts");
        std::fs::remove_file(&large).unwrap();
        assert_eq!(count(), Some(1));
        vault.copy(log, line("mem_3").repeat(HELD as usize / line("mem_3").len()).as_bytes(), now).unwrap();
        assert_eq!(count(), None, "backups count");
    }
}
