//! `delete` and `undelete`.

mod vault_restore;

pub use vault_restore::{holds_deleted, is_held, read as as_read};

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::erase::ErasedRecords;
use super::{
    Refusal, WriteContext, backups, base, by_document, check_brought, plan, plan_and_after, writable, writes,
};
use crate::format::writing::{
    self, DeletionKind, FormatDeletion, FormatWriter, Operation, RefusalList, document, removals,
};
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, Entry, PathText, Plan, Role, State, Store};
use crate::store::commit::deleted_from;
use crate::text::lines;

/// Why a record is not deleted if it is deprecated and its format keeps it.
pub const DEPRECATED: &str = "it is already deprecated; --remove removes the file itself.";

/// Why nothing is restored.
pub const NOT_DELETED: &str =
    "none of these is deleted. `palimp list is:deleted` lists what can be restored.";

/// The options of a deletion.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeleteRequest<'a> {
    /// A code, not a sentence; `user_request` if it is absent.
    pub reason: Option<&'a str>,
    /// The memory that replaces the deleted one.
    pub replaced_by: Option<&'a str>,
    /// True to remove the bytes at once, even if the format would keep them.
    pub remove: bool,
}

/// Plans to delete records in the format's own way.
pub fn delete(
    scene: &WriteContext<'_>,
    entries: &[Entry],
    asked: DeleteRequest<'_>,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let reason = writing::reason(asked.reason.unwrap_or("user_request"))?;
    let mut removed: Vec<Entry> = Vec::new();
    let mut own_way: Vec<Entry> = Vec::new();
    let mut tombstones = NewTombstones::of(scene.store, entries);
    let (mut count, mut deprecated) = (0, 0);
    let mut faults = RefusalList::default();
    for entry in entries {
        let document = writable(scene.store, entry)?;
        writes.allows(Operation::Delete, &document.path).map_err(Refusal::unfit)?;
        let deletion = writes.deletion(&document.path);
        let is_deprecated = is_deprecated(scene.store, writes, entry);
        if !asked.remove && (entry.state == State::Deleted || is_deprecated) {
            deprecated += usize::from(is_deprecated);
            continue;
        }
        if asked.replaced_by.is_some() && (asked.remove || deletion != DeletionKind::Deprecated) {
            let message = "--replaced-by is only for what is marked as deprecated: leave it out.";
            return Err(Refusal::unfit(message));
        }
        count += 1;
        match deletion {
            DeletionKind::Canonical => own_way.push(*entry),
            DeletionKind::Deprecated if !asked.remove && entry.state != State::Broken => own_way.push(*entry),
            DeletionKind::Tombstone if !asked.remove && entry.state != State::Broken => {
                faults.collect(entry, tombstones.add(scene, entry, reason))?;
            }
            // A broken record has no id that a tombstone could name.
            _ => removed.push(*entry),
        }
    }
    if count == 0 && deprecated > 0 {
        return Err(Refusal::unfit(DEPRECATED));
    }
    faults.finish()?;
    let mut changes: Vec<Change> = Vec::new();
    for (path, lines) in tombstones.files {
        let current = document(&scene.store.documents, &path).map(base);
        changes.push(Change::append(path, lines, current));
    }
    if !own_way.is_empty() {
        let asked = FormatDeletion { reason, replaced_by: asked.replaced_by, remove: asked.remove };
        changes.extend(writes.delete(scene, &own_way, asked)?);
    }
    changes.extend(removals(scene.store, &removed));
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let mut plan = plan("delete", scene, count, all)?;
    if deprecated > 0 {
        plan.lines.push(format!("left out: {}: {DEPRECATED}", count_with_noun(deprecated as u64, "memory")));
    }
    let broken = removed.iter().filter(|entry| entry.state == State::Broken).count();
    if broken > 0 {
        let message = "the bytes are removed as they are. `palimp repair --all-safe` repairs what it can, and keeps broken lines in quarantine.";
        plan.lines.push(format!("{}: {message}", count_with_noun(broken as u64, "broken memory")));
    }
    Ok(plan)
}

/// True if a deletion would only deprecate a record that is deprecated already.
pub fn is_deprecated(store: &Store, writes: &dyn FormatWriter, entry: &Entry) -> bool {
    let is_faded = store.view(entry).is_some_and(|view| view.faded);
    is_faded && writes.deletion(&store.document(entry).path) == DeletionKind::Deprecated
}

/// True if a deletion changes other parts of the file. Then it can be refused because of them.
pub fn changes_others(store: &Store) -> bool {
    has(store, DeletionKind::Canonical)
}

/// True if a plan deletes each record that [`super::may`] allows. A tombstone hides all with the same id.
pub fn takes_each(store: &Store) -> bool {
    let shares_ids = || store.problems.iter().any(|problem| problem.code == Code::DuplicateId);
    !(changes_others(store) || has(store, DeletionKind::Tombstone) && shares_ids())
}

fn has(store: &Store, deletion: DeletionKind) -> bool {
    let own =
        |writes: &dyn FormatWriter| store.documents.iter().any(|own| writes.deletion(&own.path) == deletion);
    writes(store).is_ok_and(|(_, writes)| own(writes))
}

struct NewTombstones<'a> {
    files: BTreeMap<PathBuf, Vec<u8>>,
    known: HashSet<(PathBuf, Vec<u8>)>,
    /// The records that stay and share an id with a deleted one, by session and id.
    stay: HashMap<(Option<u32>, &'a str), Entry>,
}

impl<'a> NewTombstones<'a> {
    /// Starts without lines. `entries` are the records to delete.
    fn of(store: &'a Store, entries: &[Entry]) -> NewTombstones<'a> {
        let chosen: HashSet<(u32, u32)> = entries.iter().map(|own| (own.document, own.record)).collect();
        let stays = |own: &&Entry| own.state == State::Live && !chosen.contains(&(own.document, own.record));
        let name = |own: &Entry| (own.session, store.view(own).and_then(|view| view.id));
        let asked: HashSet<(Option<u32>, &str)> =
            entries.iter().map(name).map(|(session, id)| (session, id.unwrap_or_default())).collect();
        let named = |own: &Entry| {
            let (session, id) = name(own);
            Some(((session, id?), *own)).filter(|(name, _)| asked.contains(name))
        };
        let stay = store.entries.iter().filter(stays).filter_map(named).collect();
        NewTombstones { files: BTreeMap::new(), known: HashSet::new(), stay }
    }

    fn add(&mut self, scene: &WriteContext<'_>, entry: &Entry, reason: &str) -> Result<(), Refusal> {
        let (_, writes) = writes(scene.store)?;
        let Some((path, line)) = writes.tombstone(scene, entry, reason) else {
            return Err(Refusal::unfit("it has no id that a tombstone could name: delete it with --remove."));
        };
        // One tombstone hides all records with the same id.
        let id = scene.store.view(entry).and_then(|view| view.id).unwrap_or_default();
        if let Some(other) = self.stay.get(&(entry.session, id)) {
            let (own, line) = (scene.store.document(other), scene.store.record(other).line);
            return Err(Refusal::unfit(format!(
                "{} line {line} has the same id, and a tombstone would hide both: delete both, or this one with \
                 --remove.",
                own.path.to_text()
            )));
        }
        if self.known.insert((path.clone(), line.clone())) {
            self.files.entry(path).or_default().extend(line);
        }
        Ok(())
    }
}

/// Plans to undo the format's own deletion, and to restore what only undo data or backups hold.
pub fn undelete(scene: &WriteContext<'_>, entries: &[Entry], gone: &ErasedRecords) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let (held, own): (Vec<Entry>, Vec<Entry>) =
        entries.iter().partition(|entry| vault_restore::is_held(scene.store, entry));
    let (listed, store) = (scene.store, vault_restore::read(scene.store));
    let scene = &WriteContext { store: &store, ..*scene };
    never_erased(scene, listed, &held, gone)?;
    let previous = match writes.undelete(scene, &own) {
        Some(changes) => changes.map(|changes| (changes.len(), changes)),
        None => exhume(scene, &own, gone),
    };
    let (mut count, mut changes) = match previous {
        Err(_) if own.is_empty() => (0, Vec::new()),
        previous => previous?,
    };
    let mut all = backups(scene, writes, &changes);
    all.append(&mut changes);
    all.extend(vault_restore::bring_back(writes, scene, listed, &held)?);
    count += held.len();
    let (mut plan, after) = plan_and_after("undelete", scene, count, all)?;
    plan.lines.extend(vault_restore::shared(&store, listed, &held));
    let from: Vec<_> = by_document(listed, &held).into_iter().map(|(own, _)| own).collect();
    check_brought(scene, (&plan, &after), &from.iter().map(|own| &**own).collect::<Vec<_>>())?;
    Ok(plan)
}

/// Refuses records that were erased since they were listed.
fn never_erased(
    scene: &WriteContext<'_>,
    listed: &Store,
    held: &[Entry],
    gone: &ErasedRecords,
) -> Result<(), Refusal> {
    let erased = gone.wanted(scene);
    let mut faults = RefusalList::default();
    for entry in held {
        let path = &listed.document(entry).path;
        let path = deleted_from(path).unwrap_or(path);
        if erased
            .as_ref()
            .is_some_and(|own| own.is_erased(path, &listed.raw(entry), listed.view(entry), None))
        {
            faults.refuse(vec![*entry], Refusal::unfit("it was erased: nothing erased is restored."));
        }
    }
    faults.finish()
}

/// Removes tombstones, but not those of erased memories, even if they were written again.
fn exhume(
    scene: &WriteContext<'_>,
    entries: &[Entry],
    gone: &ErasedRecords,
) -> Result<(usize, Vec<Change>), Refusal> {
    let mut changes: BTreeMap<PathBuf, Change> = BTreeMap::new();
    let mut count = 0;
    let erased = gone.wanted(scene);
    let name = |entry: &Entry| Some((entry.session, scene.store.view(entry)?.id?));
    let named: HashSet<_> = entries.iter().filter_map(name).collect();
    let mut faults = RefusalList::default();
    for entry in entries.iter().filter(|entry| entry.state == State::Deleted) {
        let path = &scene.store.document(entry).path;
        let raw = scene.store.raw(entry);
        if erased.as_ref().is_some_and(|own| own.is_erased(path, &raw, scene.store.view(entry), None)) {
            let why = "it was erased, and its tombstone stays: nothing erased is restored.";
            faults.refuse(vec![*entry], Refusal::unfit(why));
            continue;
        }
        let has_id = name(entry).is_some();
        let Some(session) = scene.store.session(entry).filter(|_| has_id) else { continue };
        let in_session = |own: &&std::sync::Arc<crate::model::Document>| {
            own.role == Role::Tombstones && own.path.starts_with(&session.path)
        };
        let Some(file) = scene.store.documents.iter().find(in_session) else { continue };
        count += 1;
        changes.entry(file.path.clone()).or_insert_with(|| {
            let wanted = |id: &str| named.contains(&(entry.session, id));
            let own = file.records.iter().filter(|record| record.named_id().is_some_and(wanted));
            let spans: Vec<_> = own.map(|record| record.span).collect();
            Change::edits(&file.path, base(file), lines::removal_edits(&file.bytes, &spans))
        });
    }
    faults.finish()?;
    if count == 0 {
        return Err(Refusal::unfit(NOT_DELETED));
    }
    Ok((count, changes.into_values().collect()))
}
