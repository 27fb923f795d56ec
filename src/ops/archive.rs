//! `archive` and `unarchive`: move records aside, and bring them back.

use std::path::PathBuf;

use super::{Refusal, Result, WriteContext, backups, check, plan, plan_and_after, writable, writes};
use crate::format::writing::Operation;
use crate::model::{Entry, Plan, State, Store};

/// Returns the compressed files whose bytes [`archive`] and [`unarchive`] need for these records.
/// `store::packed_bytes` reads them, and [`WriteContext::compressed_files`] passes them on.
pub fn packed(store: &Store, entries: &[Entry]) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(store)?;
    Ok(writes.compressed_files(store, entries))
}

/// Plans to archive records in the format's own way.
pub fn archive(scene: &WriteContext<'_>, entries: &[Entry]) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    if entries.iter().any(|entry| entry.state == State::Broken) {
        return Err(Refusal::broken());
    }
    let mut own = Vec::new();
    for entry in &writes.archive_group(scene.store, entries) {
        let document = scene.store.document(entry);
        writes.allows(Operation::Archive, &document.path).map_err(Refusal::unfit)?;
        if entry.state == State::Live {
            writable(scene.store, entry)?;
            own.push(*entry);
        }
    }
    let changes = writes.archive(scene, &own)?;
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    plan("archive", scene, own.len(), all)
}

/// Plans to bring archived records back.
pub fn unarchive(scene: &WriteContext<'_>, entries: &[Entry]) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let mut own = writes.archive_group(scene.store, entries);
    own.retain(|entry| entry.state == State::Archived);
    for entry in &own {
        writes.allows(Operation::Archive, &scene.store.document(entry).path).map_err(Refusal::unfit)?;
    }
    let changes = writes.unarchive(scene, &own)?;
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let (plan, after) = plan_and_after("unarchive", scene, own.len(), all)?;
    check(scene, &plan, &after)?;
    Ok(plan)
}

/// True if records of the store are archived, and brought back, with their whole session.
pub fn takes_sessions(store: &Store) -> bool {
    writes(store).is_ok_and(|(_, writes)| writes.archives_sessions())
}

/// Checks that archived records of the store can come back.
pub fn comes_back(store: &Store) -> Result<()> {
    let (_, writes) = writes(store)?;
    writes.no_unarchive_reason().map_or(Ok(()), |why| Err(Refusal::unfit(why)))
}
