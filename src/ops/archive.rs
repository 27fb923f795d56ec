//! `archive` and `unarchive`: records that are moved aside, and brought back.

use super::{Refusal, Scene, backups, check, plan, writable, writes};
use crate::format::writing::Deed;
use crate::model::{Entry, Plan, State};

/// Archives records as the format does it.
pub fn archive(scene: &Scene<'_>, entries: &[Entry]) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let mut own = Vec::new();
    for entry in entries {
        let document = scene.store.document(entry);
        writes.may(Deed::Archive, &document.path).map_err(Refusal::unfit)?;
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

/// Brings archived records back.
pub fn unarchive(scene: &Scene<'_>, entries: &[Entry]) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let own: Vec<Entry> = entries.iter().filter(|entry| entry.state == State::Archived).copied().collect();
    for entry in &own {
        writes.may(Deed::Edit, &scene.store.document(entry).path).map_err(Refusal::unfit)?;
    }
    let changes = writes.unarchive(scene, &own)?;
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let plan = plan("unarchive", scene, own.len(), all)?;
    check(scene, &plan)?;
    Ok(plan)
}
