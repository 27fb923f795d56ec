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

/// Why a record is not deleted that its format keeps.
pub const DEPRECATED: &str = "it is already deprecated; --remove removes the file itself.";

/// Why nothing is brought back.
pub const NOT_DELETED: &str =
    "none of these is deleted. `palimp list is:deleted` lists what can be restored.";

/// How a deletion is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeleteRequest<'a> {
    /// A code, not the content; `user_request` where none is given.
    pub reason: Option<&'a str>,
    /// What takes its place.
    pub replaced_by: Option<&'a str>,
    /// The bytes go at once, where the format would keep them.
    pub remove: bool,
}

/// Deletes records as the format does it.
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
            // What can't be read has no id to be named by.
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

/// Whether a deletion would do to a record what was done to it before.
pub fn is_deprecated(store: &Store, writes: &dyn FormatWriter, entry: &Entry) -> bool {
    let is_faded = store.view(entry).is_some_and(|view| view.faded);
    is_faded && writes.deletion(&store.document(entry).path) == DeletionKind::Deprecated
}

/// Whether a deletion changes other parts of the file, and can be refused for what they are.
pub fn changes_others(store: &Store) -> bool {
    has(store, DeletionKind::Canonical)
}

/// Whether a plan deletes each record of a store that [`super::may`] allows. A tombstone hides all that have the
/// same id.
pub fn takes_each(store: &Store) -> bool {
    let shares_ids = || store.problems.iter().any(|problem| problem.code == Code::DuplicateId);
    !(changes_others(store) || has(store, DeletionKind::Tombstone) && shares_ids())
}

/// Whether some records of a store are deleted in that way.
fn has(store: &Store, deletion: DeletionKind) -> bool {
    let own =
        |writes: &dyn FormatWriter| store.documents.iter().any(|own| writes.deletion(&own.path) == deletion);
    writes(store).is_ok_and(|(_, writes)| own(writes))
}

/// Lines that say that records are deleted, by the file that they go to.
struct NewTombstones<'a> {
    files: BTreeMap<PathBuf, Vec<u8>>,
    known: HashSet<(PathBuf, Vec<u8>)>,
    /// The records of the same ids that are not deleted with them, by session and id.
    stay: HashMap<(Option<u32>, &'a str), Entry>,
}

impl<'a> NewTombstones<'a> {
    /// No lines yet; the entries are deleted.
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
        // Of records that share an id, one tombstone hides all.
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

/// Takes back what the format's way of deletion did, and brings back what only undo data or
/// backups hold.
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

/// Refuses where one was erased since it was listed.
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

/// Takes the tombstones of records away; not of what was erased, though it was written again.
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
