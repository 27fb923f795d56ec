//! palimp's files that an earlier change left in stores.

use std::path::Path;

use crate::disk::host::Host;
use crate::model::{Moment, Snapshot};
use crate::store::commit::{Writer, is_left_over};
use crate::usecase::store_with_bytes;

/// The result of looking after palimp's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// The number of rescued lines.
    pub rescued: usize,
    /// What was found and can't be repaired here. May quote the store.
    pub notes: Vec<String>,
}

/// Finishes what was interrupted in stores, and rescues late lines. What fails is done next time.
pub fn recover_stores(snapshot: &Snapshot, data: &Path, now: Moment) -> RecoveryReport {
    let host = Host::here(data, now);
    let mut tended = RecoveryReport::default();
    for store in &snapshot.stores {
        match is_left_over(host.disk, host.machine, data, store) {
            Ok(false) => {}
            Ok(true) => {
                let store = &store_with_bytes(store, now);
                let Ok(writer) = Writer::open(host, store) else { continue };
                tended.rescued += writer.rescued();
                tended.notes.extend(writer.notes());
            }
            Err(error) => tended.notes.push(error.to_string()),
        }
    }
    tended
}
