//! Loads all bytes of stores that were listed without them. Large logs are read when they are needed.

use std::sync::Arc;

use crate::disk::host::Host;
use crate::model::entry_tracker::have_equal_bytes;
use crate::model::{EntryRef, EntryTracker, Extent, Moment, Snapshot, Store};
use crate::store::{Place, load};
use crate::usecase::deleted_records::as_before;
use crate::usecase::request::ChangeRequest;
use crate::usecase::revalidate::concurrent_changes::{ConcurrentChange, ConcurrentChanges};
use crate::usecase::revalidate::describe_change::describe_change;
use crate::usecase::revalidate::same_memories::same_memories;

/// Returns the stores with all their bytes, as they are now. Stores whose bytes are held stay as they are.
pub fn snapshot_with_bytes(snapshot: &Arc<Snapshot>, host: Host<'_>, now: Moment) -> Arc<Snapshot> {
    if snapshot.stores.iter().all(is_held) {
        return Arc::clone(snapshot);
    }
    let renewed = |old: &Arc<Store>| match is_held(old) {
        true => Arc::clone(old),
        false => as_before(old, store_with_bytes(old, now), host.data, now),
    };
    Arc::new(Snapshot::of(snapshot.stores.iter().map(renewed).collect()))
}

/// Like [`snapshot_with_bytes`], for one store, without its deleted memories.
pub fn store_with_bytes(store: &Arc<Store>, now: Moment) -> Arc<Store> {
    if is_held(store) {
        return Arc::clone(store);
    }
    let place = Place::of(store);
    Arc::new(load(&place, Extent::Whole, Some(store), now))
}

fn is_held(store: &Arc<Store>) -> bool {
    store.extent != Extent::Judged
}

/// Returns the place of a memory in stores that are held, if the memory is unchanged.
pub fn find_unchanged(was: &Snapshot, at: EntryRef, held: &Snapshot, now: Moment) -> Option<EntryRef> {
    let is = EntryTracker::new(was, held).find(at, &|_| false)?;
    of_bound(was, &[at], held, now).is_none().then_some(is)
}

/// Returns the request for held stores, and what other programs did to its memories since the listing.
pub(in crate::usecase) fn hold(request: ChangeRequest, host: Host<'_>) -> (ChangeRequest, ConcurrentChanges) {
    let fresh = snapshot_with_bytes(&request.snapshot, host, request.now);
    if Arc::ptr_eq(&fresh, &request.snapshot) {
        return (request, ConcurrentChanges::default());
    }
    let bound = [request.at.clone(), request.beside.clone()].concat();
    let difference = of_bound(&request.snapshot, &bound, &fresh, request.now);
    let renewed = ChangeRequest { snapshot: fresh, ..request.clone() };
    (same_memories(&request, renewed), difference)
}

/// Returns what other programs did to memories since they were read.
pub fn of_bound(was: &Snapshot, bound: &[EntryRef], fresh: &Snapshot, now: Moment) -> ConcurrentChanges {
    let mut carry = EntryTracker::new(was, fresh);
    let mut moved = Vec::new();
    for &at in bound {
        let is = carry.find(at, &|_| false).map(|at| fresh.get(at));
        let is_other = is.is_some_and(|is| !have_equal_bytes(was.get(at), is));
        let held = if is_other { was.with_bytes_of(at) } else { None };
        let (store, entry) = held.as_ref().unwrap_or(was).get(at);
        // A memory that is in no file is unchanged until it is restored.
        if is.is_none() && crate::ops::delete::is_held(store, entry) {
            continue;
        }
        if let Some(what) = describe_change((store, entry), is, now) {
            moved.push(ConcurrentChange {
                name: crate::usecase::planned_change::name_of(store, entry),
                what,
                new_effect: String::new(),
            });
        }
    }
    ConcurrentChanges { shown: bound.len(), changes: moved }
}
