//! What was deleted and our own data still hold, beside the stores as they were read.

use std::path::Path;
use std::sync::Arc;

use super::held;
use crate::disk::Real;
use crate::model::{Moment, Snapshot, State, Store};
use crate::ops::delete::holds_deleted;
use crate::store::commit::{self, Host};

/// The stores with what was deleted from them and can be brought back.
pub fn with_deleted(snapshot: &Arc<Snapshot>, data: &Path, now: Moment) -> Result<Arc<Snapshot>, String> {
    let host = Host::here(data, now);
    let snapshot = held(snapshot, host, now);
    let with = |own: &Arc<Store>| match commit::with_deleted(&Real, data, own, now) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(format!("what was deleted can't be listed: {error}")),
    };
    let stores = snapshot.stores.iter().map(with).collect::<Result<_, _>>()?;
    let snapshot = Arc::new(Snapshot::of(stores));
    // Sorted out here, so that the screens need not wait for it.
    snapshot.references();
    Ok(snapshot)
}

/// Limits how many bytes of a store are read to count what palimp's data still holds. Counting reads all of
/// them.
const COUNTED: u64 = 64 << 20;

/// How many memories a search for deleted memories finds, or `None` if that can't be counted.
pub fn deleted_count(snapshot: &Arc<Snapshot>, data: &Path, now: Moment) -> Option<usize> {
    let holds = |own: &Arc<Store>| commit::holds_any(&Real, data, own);
    let snapshot = match snapshot.stores.iter().any(holds) {
        false => Arc::clone(snapshot),
        true if snapshot.stores.iter().map(|own| own.bytes).sum::<u64>() > COUNTED => return None,
        true => with_deleted(snapshot, data, now).ok()?,
    };
    let entries = snapshot.stores.iter().flat_map(|store| &store.entries);
    Some(entries.filter(|entry| entry.state == State::Deleted).count())
}

/// A store that was read again, with what was deleted from it if the one before had that.
pub(super) fn as_before(before: &Store, anew: Arc<Store>, data: &Path, now: Moment) -> Arc<Store> {
    if !holds_deleted(before) {
        return anew;
    }
    commit::with_deleted(&Real, data, &anew, now).map(Arc::new).unwrap_or(anew)
}
