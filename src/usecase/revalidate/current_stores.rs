//! Reads stores again as they are now, and finds the same memories in them.

use std::collections::HashSet;
use std::sync::Arc;

use crate::disk::host::Host;
use crate::model::{EntryRef, EntryTracker, Extent, Moment, Snapshot, Store, deleted_from};
use crate::store::{self, Place};
use crate::usecase::deleted_records::as_before;
use crate::usecase::planned_change::{memory_count, name_of};
use crate::usecase::request::ChangeRequest;
use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges, describe_change};

/// Returns the stores as they are now, the same ones if nothing changed. If a store listed its deleted memories, it
/// lists them again.
pub fn current_snapshot(snapshot: &Arc<Snapshot>, host: Host<'_>) -> Arc<Snapshot> {
    if snapshot.stores.iter().all(|own| store::is_as_read(host.disk, own)) {
        return Arc::clone(snapshot);
    }
    let as_it_is = |old: &Arc<Store>| {
        let new = store::load_from(host.disk, &Place::of(old), Extent::All, Some(old), host.now);
        match has_same_files(old, &new) {
            true => Arc::clone(old),
            false => as_before(host, old, Arc::new(new)),
        }
    };
    Arc::new(Snapshot::of(store::parallel::map_parallel(&snapshot.stores, as_it_is)))
}

/// True if the files of a store are unchanged. Listed deleted memories do not count.
pub fn has_same_files(old: &Store, new: &Store) -> bool {
    let files = |own: &Store| own.documents.iter().filter(|own| deleted_from(&own.path).is_none()).count();
    let both = || old.documents.iter().zip(&new.documents);
    let count = files(old);
    count == files(new) && both().take(count).all(|(old, new)| old.is_state_of(new))
}

/// Returns the place of a memory in stores that were read again, if the memory is unchanged.
pub fn find_unchanged(was: &Snapshot, at: EntryRef, current: &Snapshot, now: Moment) -> Option<EntryRef> {
    let is = EntryTracker::new(was, current).find(at, &|_| false)?;
    of_bound(was, &[at], current, now).is_none().then_some(is)
}

/// Returns what other programs did to memories since they were read.
pub fn of_bound(was: &Snapshot, bound: &[EntryRef], fresh: &Snapshot, now: Moment) -> ConcurrentChanges {
    let mut carry = EntryTracker::new(was, fresh);
    let mut moved = Vec::new();
    for &at in bound {
        let is = carry.find(at, &|_| false).map(|at| fresh.get(at));
        let (store, entry) = was.get(at);
        // A memory that is in no file is unchanged until it is restored.
        if is.is_none() && crate::ops::delete::is_held(store, entry) {
            continue;
        }
        if let Some(what) = describe_change((store, entry), is, now) {
            moved.push(ConcurrentChange::new(name_of(store, entry), what));
        }
    }
    ConcurrentChanges { shown: bound.len(), changes: moved }
}

/// Returns the request for the same memories, without those that are gone.
pub fn same_memories(shown: &ChangeRequest, request: ChangeRequest) -> ChangeRequest {
    let mut carry = EntryTracker::new(&shown.snapshot, &request.snapshot);
    let mut taken: HashSet<EntryRef> = HashSet::new();
    let (mut at, mut hidden) = (Vec::new(), Vec::new());
    for &own in &shown.at {
        if let Some(now) = carry.find(own, &|now| taken.contains(&now))
            && taken.insert(now)
        {
            at.push(now);
            hidden.extend(shown.is_hidden(own).then_some(now));
        }
    }
    hidden.sort_unstable();
    let beside =
        shown.beside.iter().filter_map(|own| carry.find(*own, &|now| taken.contains(&now))).collect();
    let name = match at.as_slice() {
        all if all.len() == shown.at.len() => request.name,
        [one] => {
            let (store, entry) = request.snapshot.get(*one);
            name_of(store, entry)
        }
        several => memory_count(several.len()),
    };
    ChangeRequest { at, beside, hidden, name, ..request }
}
