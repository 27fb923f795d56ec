//! `session`: new, delete, archive, unarchive.

use std::path::PathBuf;

use super::change_plan::not_undone;
use super::{Refusal, Result, WriteContext, may_change, plan, session_folder, writes};
use crate::format::writing::document;
use crate::model::{Act, Change, Document, Entry, PathText, Plan, Store};
use crate::store::FileCompression;
use crate::store::hidden_names::is_ours;
use crate::store::plan_effects::effects_of;

/// Plans to make a session.
pub fn new(context: &WriteContext<'_>, id: Option<&str>, user: &str) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let changes = writes.new_session(context, id, user)?;
    let folder = changes.iter().find(|own| own.act == Act::MakeFolder);
    let name = folder.and_then(|own| own.path.file_name()).map(|name| name.to_text().into_owned());
    let mut plan = plan("session new", context, 0, changes)?;
    plan.lines.extend(name.map(|name| format!("new session {name}")));
    Ok(plan)
}

/// Plans to delete a session and everything in it.
pub fn delete(context: &WriteContext<'_>, name: &str) -> Result<Plan> {
    context.store.whole()?;
    let folder = session_folder(context.store, name)?;
    let files = archive_files(context.store, name)?;
    if files.iter().any(|file| file == folder) {
        let changes = files.iter().filter_map(|file| document(&context.store.documents, file));
        let changes = changes.map(|own| removed(context, own)).collect::<Result<_, _>>()?;
        return plan_as_it_is("session delete", context, name, changes);
    }
    let own = context.store.documents.iter().filter(|document| document.path.starts_with(folder));
    let mut changes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    for document in own {
        folders.extend(document.path.parent().map(|parent| parent.to_owned()));
        changes.push(removed(context, document)?);
    }
    folders.sort();
    folders.dedup();
    changes.extend(folders.into_iter().rev().map(Change::remove_folder));
    plan_as_it_is("session delete", context, name, changes)
}

/// Returns the compressed files of a session: [`delete`] needs their bytes in the [`WriteContext`].
pub fn packed_files(store: &Store, name: &str) -> Result<Vec<PathBuf>> {
    let mut files = archive_files(store, name)?;
    files.retain(|file| FileCompression::of(file).is_some());
    Ok(files)
}

fn archive_files(store: &Store, name: &str) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(store)?;
    let files = writes.own().archive_files.map(|files| files(name)).into_iter().flatten();
    Ok(files.filter(|file| document(&store.documents, file).is_some()).collect())
}

/// Returns the change that removes a file. Its bytes are kept in the change, to restore it.
fn removed(context: &WriteContext<'_>, own: &Document) -> Result<Change> {
    let packed = context.compressed_files.get(&own.path);
    if packed.is_none() && own.bytes.is_empty() && own.generation.len > 0 {
        return Err(Refusal::unfit(format!(
            "{} was not read, and would be lost: remove it by hand.",
            own.path.to_text()
        )));
    }
    Ok(Change::remove(&own.path, packed.map_or_else(|| own.bytes.clone(), |bytes| bytes.as_slice().into())))
}

/// Plans to pack a session and everything in it into an archive.
pub fn archive(context: &WriteContext<'_>, name: &str) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    context.store.whole()?;
    let changes = writes.own().archive_session.ok_or_else(no_archive)?(context, name)?;
    plan_as_it_is("session archive", context, name, changes)
}

/// Plans to restore a session from `packed`, its archive. `allow_large` lifts limits of size.
pub fn unarchive(context: &WriteContext<'_>, name: &str, allow_large: bool, packed: &[u8]) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let unarchive = writes.own().unarchive_session.ok_or_else(no_archive)?;
    let changes = unarchive(context, name, allow_large, packed)?;
    // palimp would take such a file for its own, and act on it.
    let ours = changes.iter().find(|change| change.path.iter().any(is_ours));
    if let Some(change) = ours {
        return Err(Refusal::corrupt(format!(
            "{} in the archive has a name that is palimp's own; it is not unpacked.",
            change.path.to_text()
        )));
    }
    // The session comes back as it was.
    plan_as_it_is("session unarchive", context, name, changes)
}

fn no_archive() -> Refusal {
    Refusal::unfit("the format has no archive of sessions.")
}

/// Makes a plan of the complete `changes` of a session: no derived files follow from them.
fn plan_as_it_is(
    verb: &'static str,
    context: &WriteContext<'_>,
    name: &str,
    changes: Vec<Change>,
) -> Result<Plan> {
    let store = context.store;
    may_change(store)?;
    let is_own = |entry: &&Entry| store.session(entry).is_some_and(|session| session.name == name);
    let records = store.entries.iter().filter(is_own).count();
    let effects = effects_of(store, &changes, context.now);
    let plan = Plan { records, effects, changes, ..Plan::of(verb, store.whole()?) };
    let lines = store.notes_on_replaced(&plan.changes).chain(not_undone(&plan)).collect();
    Ok(Plan { lines, ..plan })
}
