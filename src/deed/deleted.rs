//! What was deleted and our own data still hold, beside the stores as they were read.

use std::path::Path;
use std::sync::Arc;

use super::held;
use crate::disk::Real;
use crate::model::{Moment, Snapshot, Store};
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

/// A store that was read again, with what was deleted from it if the one before had that.
pub(super) fn as_before(before: &Store, anew: Arc<Store>, data: &Path, now: Moment) -> Arc<Store> {
    if !holds_deleted(before) {
        return anew;
    }
    commit::with_deleted(&Real, data, &anew, now).map(Arc::new).unwrap_or(anew)
}
