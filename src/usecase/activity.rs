//! What palimp did in stores, by its own log of each.

use std::path::Path;
use std::sync::Arc;

use crate::disk::RealDisk;
use crate::model::Store;
use crate::store::commit::Vault;

/// What palimp did in stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// How long each change took that was saved, in milliseconds.
    pub save_times: Vec<u64>,
    /// The number of compactions.
    pub compactions: usize,
    /// How often a lock was not free in time.
    pub lock_timeouts: usize,
}

impl Activity {
    /// Reads the logs of the stores. What can't be read does not count.
    pub fn of(data: &Path, stores: &[Arc<Store>]) -> Activity {
        let mut activity = Activity::default();
        let lines = |store: &Arc<Store>| Vault::open_read_only(&RealDisk, data, &store.root).log_lines();
        for line in stores.iter().flat_map(lines) {
            activity.lock_timeouts += usize::from(line.message.ends_with("E_LOCK_TIMEOUT"));
            if line.message.ends_with(" saved") {
                activity.compactions += usize::from(line.message.starts_with("compact"));
                activity.save_times.extend(line.metadata.get("duration_ms").and_then(|own| own.as_u64()));
            }
        }
        activity
    }
}
