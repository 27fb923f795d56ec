//! `session`: new, delete, archive, unarchive.

use super::{Refusal, Scene, base, plan, plan_as_it_is, session_folder, writes};
use crate::model::{Change, Entry, Plan};
use crate::store::commit::is_ours;

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
    Ok(plan_as_it_is("session delete", scene, records(scene, name), changes))
}

/// Packs a session away with all that is in it.
pub fn archive(scene: &Scene<'_>, name: &str) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.archive_session(scene, name)?;
    Ok(plan_as_it_is("session archive", scene, records(scene, name), changes))
}

/// Brings a session back, of which `packed` is the archive. `allow_large` lifts limits of size.
pub fn unarchive(scene: &Scene<'_>, name: &str, allow_large: bool, packed: &[u8]) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.unarchive_session(scene, name, allow_large, packed)?;
    // Such a file would be taken for one that we left, and acted upon.
    let ours = changes.iter().find(|change| change.path.iter().any(is_ours));
    if let Some(change) = ours {
        return Err(Refusal::corrupt(format!(
            "{} in the archive has a name that is palimp's own; it is not unpacked.",
            change.path.display()
        )));
    }
    // It comes back as it was.
    Ok(plan_as_it_is("session unarchive", scene, records(scene, name), changes))
}

/// How many records a session has.
fn records(scene: &Scene<'_>, name: &str) -> usize {
    let is_own = |entry: &&Entry| scene.store.session(entry).is_some_and(|session| session.name == name);
    scene.store.entries.iter().filter(is_own).count()
}
