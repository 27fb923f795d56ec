//! `session`: new, delete, archive, unarchive.

use std::path::PathBuf;

use super::{Refusal, Result, WriteContext, base, plan, plan_as_it_is, session_folder, writes};
use crate::format::writing::document;
use crate::model::{Act, Change, Document, Entry, PathText, Plan, Store};
use crate::store::FileCompression;
use crate::store::hidden_names::is_ours;

/// Plans to make a session.
pub fn new(scene: &WriteContext<'_>, id: Option<&str>, user: &str) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.new_session(scene, id, user)?;
    let folder = changes.iter().find(|own| own.act == Act::MakeFolder);
    let name = folder.and_then(|own| own.path.file_name()).map(|name| name.to_text().into_owned());
    let mut plan = plan("session new", scene, 0, changes)?;
    plan.lines.extend(name.map(|name| format!("new session {name}")));
    Ok(plan)
}

/// Plans to delete a session and everything in it.
pub fn delete(scene: &WriteContext<'_>, name: &str) -> Result<Plan> {
    scene.store.whole()?;
    let folder = session_folder(scene.store, name)?;
    let files = archive_files(scene.store, name)?;
    if files.iter().any(|file| file == folder) {
        let changes = files.iter().filter_map(|file| document(&scene.store.documents, file));
        let changes = changes.map(|own| removed(scene, own)).collect::<Result<_, _>>()?;
        return plan_as_it_is("session delete", scene, records(scene, name), changes);
    }
    let own = scene.store.documents.iter().filter(|document| document.path.starts_with(folder));
    let mut changes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    for document in own {
        folders.extend(document.path.parent().map(|parent| parent.to_owned()));
        changes.push(removed(scene, document)?);
    }
    folders.sort();
    folders.dedup();
    changes.extend(folders.into_iter().rev().map(Change::remove_folder));
    plan_as_it_is("session delete", scene, records(scene, name), changes)
}

/// Returns the compressed files of a session: [`delete`] needs their bytes in the [`WriteContext`].
pub fn packed_files(store: &Store, name: &str) -> Result<Vec<PathBuf>> {
    let mut files = archive_files(store, name)?;
    files.retain(|file| FileCompression::of(file).is_some());
    Ok(files)
}

fn archive_files(store: &Store, name: &str) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(store)?;
    let mut files = writes.archive_files(name);
    files.retain(|file| document(&store.documents, file).is_some());
    Ok(files)
}

/// Returns the change that removes a file. Its bytes are kept in the change, to restore it.
fn removed(scene: &WriteContext<'_>, own: &Document) -> Result<Change> {
    let packed = scene.compressed_files.get(&own.path);
    if packed.is_none() && own.bytes.is_empty() && own.generation.len > 0 {
        return Err(Refusal::unfit(format!(
            "{} was not read, and would be lost: remove it by hand.",
            own.path.to_text()
        )));
    }
    Ok(Change::remove(&own.path, packed.map_or_else(|| base(own), |bytes| bytes.as_slice().into())))
}

/// Plans to pack a session and everything in it into an archive.
pub fn archive(scene: &WriteContext<'_>, name: &str) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    scene.store.whole()?;
    let changes = writes.archive_session(scene, name)?;
    plan_as_it_is("session archive", scene, records(scene, name), changes)
}

/// Plans to restore a session from `packed`, its archive. `allow_large` lifts limits of size.
pub fn unarchive(scene: &WriteContext<'_>, name: &str, allow_large: bool, packed: &[u8]) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    let changes = writes.unarchive_session(scene, name, allow_large, packed)?;
    // palimp would take such a file for its own, and act on it.
    let ours = changes.iter().find(|change| change.path.iter().any(is_ours));
    if let Some(change) = ours {
        return Err(Refusal::corrupt(format!(
            "{} in the archive has a name that is palimp's own; it is not unpacked.",
            change.path.to_text()
        )));
    }
    // The session comes back as it was.
    plan_as_it_is("session unarchive", scene, records(scene, name), changes)
}

fn records(scene: &WriteContext<'_>, name: &str) -> usize {
    let is_own = |entry: &&Entry| scene.store.session(entry).is_some_and(|session| session.name == name);
    scene.store.entries.iter().filter(is_own).count()
}
