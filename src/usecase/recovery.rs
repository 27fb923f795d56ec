//! What an earlier change left in stores: finishes it now, or looks after it later.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Result;
use crate::disk::host::Host;
use crate::disk::{Disk, RealDisk};
use crate::model::{Moment, Snapshot, Store};
use crate::store::Place;
use crate::store::commit::scrub::ErasureReceipt;
use crate::store::commit::{self, Vault, Writer, is_left_over, take_stores_to_watch};

/// How long a verb that only reads waits for each lock, to finish an erasure.
const ERASING: Duration = Duration::from_secs(1);

/// The result of looking after palimp's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// The number of rescued lines.
    pub rescued: usize,
    /// What was found and can't be repaired here. May quote the store.
    pub notes: Vec<String>,
    /// True if an interrupted erasure was finished, and something of it is left.
    pub is_erasure_left: bool,
    /// The memories of an interrupted erasure that was finished: their sessions and names.
    pub erased: Vec<(Option<String>, String)>,
}

impl RecoveryReport {
    /// Returns what was done when a store was opened to change it.
    fn of(writer: &Writer<'_>) -> RecoveryReport {
        RecoveryReport {
            rescued: writer.rescued(),
            notes: writer.notes(),
            is_erasure_left: writer.finished().is_some_and(|erased| !erased.left.is_empty()),
            erased: writer.finished().into_iter().flat_map(ErasureReceipt::names).collect(),
        }
    }
}

/// Finishes what was interrupted in a store, and waits for other programs. `None` if nothing is left.
///
/// # Errors
///
/// If palimp's own data can't be read, or another program is in the way for too long.
pub fn recover(host: Host<'_>, store: &Store) -> Result<Option<RecoveryReport>> {
    let is_left = is_left_over(host.disk, host.machine, host.data, store)?;
    is_left.then(|| Ok(RecoveryReport::of(&Writer::open(host, store)?))).transpose()
}

/// Like [`recover`], only if no other program is in the way. An erasure is waited for: what it erases must not stay.
///
/// # Errors
///
/// If palimp's own data can't be read.
pub fn recover_at_once(host: Host<'_>, store: &Store) -> Result<Option<RecoveryReport>> {
    if !is_left_over(host.disk, host.machine, host.data, store)? {
        return Ok(None);
    }
    let is_erasing = Vault::open_read_only(host.disk, host.data, &store.root).erasing()?.is_some();
    let wait = if is_erasing { ERASING } else { Duration::ZERO };
    Ok(Writer::open_within(host, store, wait).ok().map(|writer| RecoveryReport::of(&writer)))
}

/// Finishes an interrupted erasure of a store. `None` if there is none.
///
/// # Errors
///
/// If palimp's own data can't be read, or it could not be finished.
pub fn finish_erasure(host: Host<'_>, store: &Store) -> Result<Option<RecoveryReport>> {
    let erasing = Vault::open_read_only(host.disk, host.data, &store.root).erasing()?;
    erasing.map(|_| Ok(RecoveryReport::of(&Writer::open(host, store)?))).transpose()
}

/// Finishes what was interrupted in stores, and rescues late lines. What fails is done next time.
pub fn recover_stores(snapshot: &Snapshot, data: &Path, now: Moment) -> RecoveryReport {
    let host = Host::here(data, now);
    let mut report = RecoveryReport::default();
    for store in &snapshot.stores {
        match is_left_over(host.disk, host.machine, data, store) {
            Ok(false) => {}
            Ok(true) => {
                let Ok(writer) = Writer::open(host, store) else { continue };
                let opened = RecoveryReport::of(&writer);
                report.rescued += opened.rescued;
                report.notes.extend(opened.notes);
                report.is_erasure_left |= opened.is_erasure_left;
            }
            Err(error) => report.notes.push(error.to_string()),
        }
    }
    report
}

/// True if an erasure of the store at `root` is not finished, or if palimp's own data can't be read.
pub fn is_erasing(data: &Path, root: &Path) -> bool {
    !matches!(Vault::open_read_only(&RealDisk, data, root).erasing(), Ok(None))
}

/// True if no change of the store at `root` was interrupted; false if palimp's own data can't be read.
pub fn is_settled(data: &Path, root: &Path) -> bool {
    commit::is_settled(&RealDisk, data, root)
}

/// Returns the folder of palimp's own data and at most `limit` stores to look after: this process left
/// old files there that others may still write to, or what waits until they pause. `None` if there are none.
pub fn stores_to_look_after(limit: usize) -> Option<(PathBuf, Vec<Place>)> {
    let mut left = take_stores_to_watch();
    left.retain(|store| store.is_due || store.names.iter().any(|name| RealDisk.look(name).is_ok()));
    let data = left.first()?.data.clone();
    Some((data, left.into_iter().take(limit).map(|store| store.place).collect()))
}

/// Looks after stores for about a minute. The next start looks after what is left then.
pub fn look_after(host: Host<'_>, places: &[Place]) {
    commit::watch(host, places);
    take_stores_to_watch();
}
