//! Stores whose bytes are read on demand, held for a change: it is planned of all bytes.

use std::sync::Arc;

use super::renew::same_memories;
use super::{Difference, of_bound, read};
use crate::deed::asked::ChangeRequest;
use crate::model::{Carry, EntryRef, Extent, Moment, Snapshot, Store};
use crate::store::commit::Host;

/// The stores with all their bytes, as they are now; those that are held already stay as they are.
pub fn held(snapshot: &Arc<Snapshot>, host: Host<'_>, now: Moment) -> Arc<Snapshot> {
    let is_judged = |store: &Arc<Store>| store.extent == Extent::Judged;
    if !snapshot.stores.iter().any(is_judged) {
        return Arc::clone(snapshot);
    }
    let anew = read(snapshot, host, now);
    let stores = anew.stores.iter().zip(&snapshot.stores);
    Arc::new(Snapshot::of(
        stores.map(|(new, old)| Arc::clone(if is_judged(old) { new } else { old })).collect(),
    ))
}

/// Where a memory is in stores that are held now, if it is as it was.
pub fn same(was: &Snapshot, at: EntryRef, held: &Snapshot, now: Moment) -> Option<EntryRef> {
    let is = Carry::new(was, held).find(at, &|_| false)?;
    of_bound(was, &[at], held, now).is_none().then_some(is)
}

/// The request, of stores that are held; and what others did to its memories since they were listed.
pub(in crate::deed) fn hold(request: ChangeRequest, host: Host<'_>) -> (ChangeRequest, Difference) {
    let fresh = held(&request.snapshot, host, request.now);
    if Arc::ptr_eq(&fresh, &request.snapshot) {
        return (request, Difference::default());
    }
    let difference = of_bound(&request.snapshot, &request.at, &fresh, request.now);
    let anew = ChangeRequest { snapshot: fresh, ..request.clone() };
    (same_memories(&request, anew), difference)
}
