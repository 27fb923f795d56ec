//! `session`: new, delete, archive, unarchive.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::change_plan::not_undone;
use super::{
    Command, CommandRules, Refusal, Result, StoreInput, StorePlan, WriteContext, WriteWay, may_change, plan,
    session_folder, writes,
};
use crate::model::{Act, Change, Document, Entry, PathText, Plan, Role, Store, Verb, container};
use crate::store::hidden_names::is_ours;
use crate::store::plan_effects::effects_of;
use crate::store::{CommitError, FileCompression, packed_bytes};

/// Plans to make a session.
pub fn new(context: &WriteContext<'_>, id: Option<&str>, user: &str) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let changes = writes.new_session(context, id, user)?;
    let folder = changes.iter().find(|own| own.act == Act::MakeFolder);
    let name = folder.and_then(|own| own.path.file_name()).map(|name| name.to_text().into_owned());
    let mut plan = plan(Verb::SessionNew, context, 0, changes)?;
    plan.lines.extend(name.map(|name| format!("new session {name}")));
    Ok(plan)
}

/// Plans to delete a session and everything in it.
pub fn delete(context: &WriteContext<'_>, name: &str) -> Result<Plan> {
    context.store.whole()?;
    let folder = session_folder(context.store, name)?;
    let files = archive_files(context.store, name)?;
    if files.iter().any(|file| file == folder) {
        let archives = files.iter().filter_map(|file| context.store.document_at(file));
        let changes = archives.map(|own| removed(context, own)).collect::<Result<_, _>>()?;
        return plan_as_it_is(Verb::SessionDelete, context, name, changes);
    }
    // A lock that a crash left is settled when the change takes it.
    let is_kept = |own: &Document| own.path.starts_with(folder) && own.role != Role::Lock;
    let own = || context.store.documents.iter().filter(|document| is_kept(document));
    let mut changes = own().map(|document| removed(context, document)).collect::<Result<Vec<_>, _>>()?;
    let folders: BTreeSet<&Path> = own().filter_map(|own| own.path.parent()).chain([folder]).collect();
    changes.extend(folders.into_iter().rev().map(Change::remove_folder));
    plan_as_it_is(Verb::SessionDelete, context, name, changes)
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
    Ok(files.filter(|file| store.document_at(file).is_some()).collect())
}

/// Returns the change that removes a file. Its bytes are kept in the change, to restore it.
fn removed(context: &WriteContext<'_>, own: &Document) -> Result<Change> {
    let packed = context.compressed_files.get(&own.path);
    if packed.is_none() && own.bytes.is_empty() && own.generation.len > 0 {
        let file = own.path.to_text();
        return Err(Refusal::unfit(format!("{file} was not read, and would be lost: remove it by hand.")));
    }
    Ok(Change::remove(&own.path, packed.map_or_else(|| own.bytes.clone(), |bytes| bytes.as_slice().into())))
}

/// Plans to pack a session and everything in it into an archive.
pub fn archive(context: &WriteContext<'_>, name: &str) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    context.store.whole()?;
    let changes = writes.own().archive_session.ok_or_else(no_archive)?(context, name)?;
    plan_as_it_is(Verb::SessionArchive, context, name, changes)
}

/// Plans to restore a session from `packed`, its archive. `allow_large` lifts limits of size.
pub fn unarchive(context: &WriteContext<'_>, name: &str, allow_large: bool, packed: &[u8]) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let unarchive = writes.own().unarchive_session.ok_or_else(no_archive)?;
    let changes = unarchive(context, name, allow_large, packed)?;
    // palimp would take such a file for its own, and act on it.
    if let Some(change) = changes.iter().find(|change| change.path.iter().any(is_ours)) {
        let file = change.path.to_text();
        let why = format!("{file} in the archive has a name that is palimp's own; it is not unpacked.");
        return Err(Refusal::corrupt(why));
    }
    // The session comes back as it was.
    plan_as_it_is(Verb::SessionUnarchive, context, name, changes)
}

fn no_archive() -> Refusal {
    Refusal::unfit("the format has no archive of sessions.")
}

/// Makes a plan of the complete `changes` of a session: no derived files follow from them.
fn plan_as_it_is(verb: Verb, context: &WriteContext<'_>, name: &str, changes: Vec<Change>) -> Result<Plan> {
    let store = context.store;
    may_change(store)?;
    let is_own = |entry: &&Entry| store.session(entry).is_some_and(|session| session.name == name);
    let records = store.entries.iter().filter(is_own).count();
    let effects = effects_of(store, &changes, context.now);
    let plan = Plan { records, effects, changes, ..Plan::of(verb, store.whole()?) };
    let lines = store.notes_on_replaced(&plan.changes).chain(not_undone(&plan)).collect();
    Ok(Plan { lines, ..plan })
}

/// Makes a session in a store.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The store's number in the snapshot.
    pub store: usize,
    /// Its id; palimp makes one if it is left out.
    pub id: Option<String>,
    /// The user that it belongs to.
    pub user: String,
}

impl Command for NewSession {
    fn rules(&self) -> CommandRules {
        CommandRules::of_store(self.store)
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let plan = new(&input.context(), self.id.as_deref(), &self.user)?;
        Ok(vec![StorePlan { store: input.number, plan, way: WriteWay::PlannedAgain }])
    }
}

/// Packs a session of a store into an archive.
#[derive(Clone, Debug)]
pub struct ArchiveSession {
    /// The store's number in the snapshot.
    pub store: usize,
    /// The session.
    pub id: String,
}

impl Command for ArchiveSession {
    fn rules(&self) -> CommandRules {
        CommandRules::of_store(self.store)
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        Ok(input.planned(archive(&input.context(), &self.id)?))
    }
}

/// Brings a session of a store back from its archive.
#[derive(Clone, Debug)]
pub struct UnarchiveSession {
    /// The store's number in the snapshot.
    pub store: usize,
    /// The session.
    pub id: String,
    /// True to lift limits of size.
    pub allow_large: bool,
}

impl UnarchiveSession {
    /// The session's archive, as it is on the disk; empty if there is none.
    fn packed(&self, input: &StoreInput<'_>) -> Result<Vec<u8>> {
        let is_named = |file: &Path| {
            let file = file.file_name().unwrap_or_default().to_text();
            file.strip_suffix(".tar.gz").or_else(|| file.strip_suffix(".tgz")) == Some(&*self.id)
        };
        let mut documents = input.store.documents.iter();
        let archive = documents.find(|file| container(&file.path).is_none() && is_named(&file.path));
        let Some(archive) = archive else { return Ok(Vec::new()) };
        let path = input.store.root.join(&archive.path);
        let read = input.host.disk.read(&path, 0, None);
        read.map(|(bytes, _)| bytes).map_err(|error| Refusal::unread(&path.to_text(), &error))
    }
}

impl Command for UnarchiveSession {
    fn rules(&self) -> CommandRules {
        let words = ["bringing back", "bring back", "brought back"];
        CommandRules { words, ..CommandRules::of_store(self.store) }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let packed = self.packed(input)?;
        Ok(input.planned(unarchive(&input.context(), &self.id, self.allow_large, &packed)?))
    }
}

/// Deletes a session of a store and everything in it.
#[derive(Clone, Debug)]
pub struct DeleteSession {
    /// The store's number in the snapshot.
    pub store: usize,
    /// The session.
    pub id: String,
}

impl Command for DeleteSession {
    fn rules(&self) -> CommandRules {
        CommandRules::of_store(self.store)
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let files = packed_files(input.store, &self.id)?;
        let packed = packed_bytes(input.host.disk, input.store, &files)
            .map_err(|error| Refusal::unread("the session's archive", &error))?;
        Ok(input.planned(delete(&WriteContext { compressed_files: &packed, ..input.context() }, &self.id)?))
    }
}
