//! `session`: new, delete. Archiving is the format's.

use super::{Refusal, Scene, base, plan, session_folder, writes};
use crate::model::{Change, Plan};

/// Makes a session.
pub fn new(scene: &Scene<'_>, id: Option<&str>, user: &str) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.new_session(scene, id, user)?;
    plan("session new", scene, 0, changes)
}

/// Deletes a session with all that is in it.
pub fn delete(scene: &Scene<'_>, name: &str) -> Result<Plan, Refusal> {
    writes(scene.store)?;
    let folder = session_folder(scene.store, name)?;
    let own = scene.store.documents.iter().filter(|document| document.path.starts_with(folder));
    let records = scene
        .store
        .entries
        .iter()
        .filter(|entry| scene.store.session(entry).is_some_and(|session| session.name == name));
    let mut changes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    for document in own {
        if document.bytes.is_empty() && document.generation.len > 0 {
            let message =
                format!("{} was not read, and would be lost: remove it by hand.", document.path.display());
            return Err(Refusal::unfit(message));
        }
        folders.extend(document.path.parent().map(|parent| parent.to_owned()));
        changes.push(Change::remove(&document.path, base(document)));
    }
    folders.sort();
    folders.dedup();
    changes.extend(folders.into_iter().rev().map(Change::remove_folder));
    let mut plan = plan("session delete", scene, records.count(), changes)?;
    plan.derived.clear();
    Ok(plan)
}

/// Moves a session aside, whole.
pub fn archive(scene: &Scene<'_>, name: &str) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.archive_session(scene, name)?;
    let records = in_session(scene, name);
    plan("session archive", scene, records, changes)
}

/// Brings an archived session back. `packed` is its archive; beyond the limits of size only
/// where `allow_large` says so.
pub fn unarchive(scene: &Scene<'_>, name: &str, allow_large: bool, packed: &[u8]) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.unarchive_session(scene, name, allow_large, packed)?;
    let records = in_session(scene, name);
    plan("session unarchive", scene, records, changes)
}

fn in_session(scene: &Scene<'_>, name: &str) -> usize {
    let store = scene.store;
    let own = |entry: &&crate::model::Entry| store.session(entry).is_some_and(|session| session.name == name);
    store.entries.iter().filter(own).count()
}
