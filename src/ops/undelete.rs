//! `undelete`: brings deleted records back. What only undo data or backups hold is appended to its file, or its file is
//! made again.

use std::borrow::Cow;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::erase::ErasedRecords;
use super::{
    ChangesResult, Command, CommandRules, MemoryInput, Refusal, Result, WriteContext, check_brought,
    plan_and_after, with_backups, writes,
};
use crate::format::writing::{FormatWriter, RefusalList, document};
use crate::model::{
    Act, Change, Document, Entry, PathText, Plan, Role, State, Store, Verb, deleted_from, is_log,
};
use crate::store::steps::without_deleted;
use crate::text::lines;

/// Why nothing is restored.
const NOT_DELETED: &str = "none of these is deleted. `palimp list is:deleted` lists what can be restored.";

/// Plans to undo the format's own deletion, and to restore what only undo data or backups hold.
pub fn undelete(context: &WriteContext<'_>, entries: &[Entry], gone: &ErasedRecords) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let (mut held, own): (Vec<Entry>, Vec<Entry>) =
        entries.iter().partition(|entry| is_held(context.store, entry));
    held.retain(|entry| entry.state == State::Deleted);
    if held.is_empty() && own.is_empty() {
        return Err(Refusal::unfit(NOT_DELETED));
    }
    let (listed, store) = (context.store, as_read(context.store));
    let context = &WriteContext { store: &store, ..*context };
    never_erased(context, listed, &held, gone)?;
    let previous = match writes.own().undelete {
        Some(undelete) => undelete(context, &own).map(|changes| (changes.len(), changes)),
        None => exhume(context, &own, gone),
    };
    let (mut count, changes) = match previous {
        Err(_) if own.is_empty() => (0, Vec::new()),
        previous => previous?,
    };
    let mut all = with_backups(context, changes);
    all.extend(bring_back(context, listed, &held)?);
    count += held.len();
    let (mut plan, after) = plan_and_after(Verb::Undelete, context, count, all)?;
    plan.lines.extend(shared(&store, listed, &held));
    check_brought(context, (&plan, &after), (listed, &held))?;
    Ok(plan)
}

/// Refuses records that were erased since they were listed.
pub fn never_erased(
    context: &WriteContext<'_>,
    listed: &Store,
    held: &[Entry],
    gone: &ErasedRecords,
) -> Result<()> {
    let erased = gone.wanted(context.store, context.now);
    let mut faults = RefusalList::default();
    for entry in held {
        let path = &listed.document(entry).path;
        let path = deleted_from(path).unwrap_or(path);
        let (raw, memory) = (listed.raw(entry), listed.memory(entry));
        if erased.as_ref().is_some_and(|own| own.is_erased(path, &raw, memory, None)) {
            faults.refuse(vec![*entry], Refusal::unfit("it was erased: nothing erased is restored."));
        }
    }
    faults.finish()
}

/// Removes tombstones, but not those of erased memories, even if they were written again.
fn exhume(
    context: &WriteContext<'_>,
    entries: &[Entry],
    gone: &ErasedRecords,
) -> Result<(usize, Vec<Change>)> {
    let mut changes: BTreeMap<PathBuf, Change> = BTreeMap::new();
    let mut count = 0;
    let erased = gone.wanted(context.store, context.now);
    let name = |entry: &Entry| Some((entry.session, context.store.id(entry)?));
    let named: HashSet<_> = entries.iter().filter_map(name).collect();
    let mut faults = RefusalList::default();
    for entry in entries.iter().filter(|entry| entry.state == State::Deleted) {
        let path = &context.store.document(entry).path;
        let raw = context.store.raw(entry);
        if erased.as_ref().is_some_and(|own| own.is_erased(path, &raw, context.store.memory(entry), None)) {
            let why = "it was erased, and its tombstone stays: nothing erased is restored.";
            faults.refuse(vec![*entry], Refusal::unfit(why));
            continue;
        }
        let has_id = name(entry).is_some();
        let Some(session) = context.store.session(entry).filter(|_| has_id) else { continue };
        let in_session =
            |own: &&Arc<Document>| own.role == Role::Tombstones && own.path.starts_with(&session.path);
        let Some(file) = context.store.documents.iter().find(in_session) else { continue };
        count += 1;
        changes.entry(file.path.clone()).or_insert_with(|| {
            let wanted = |id: &str| named.contains(&(entry.session, id));
            let own = file.records.iter().filter(|record| record.named_id().is_some_and(wanted));
            let spans: Vec<_> = own.map(|record| record.span).collect();
            Change::edits(&file.path, file.bytes.clone(), lines::removal_edits(&file.bytes, &spans))
        });
    }
    faults.finish()?;
    if count == 0 {
        return Err(Refusal::unfit(NOT_DELETED));
    }
    Ok((count, changes.into_values().collect()))
}

/// True if no file of the store has the record, and only palimp's own data holds it.
pub fn is_held(store: &Store, entry: &Entry) -> bool {
    deleted_from(&store.document(entry).path).is_some()
}

/// True if the store lists records that only palimp's own data holds.
pub fn holds_deleted(store: &Store) -> bool {
    store.documents.iter().any(|own| deleted_from(&own.path).is_some())
}

/// Returns the store without the records that only palimp's own data holds, to plan on.
pub fn as_read(store: &Store) -> Cow<'_, Store> {
    match holds_deleted(store) {
        true => Cow::Owned(without_deleted(store)),
        false => Cow::Borrowed(store),
    }
}

/// Returns a line about each restored record whose id another memory will have, too.
fn shared(store: &Store, listed: &Store, held: &[Entry]) -> Vec<String> {
    let names = |of: &Store, own: &Entry| {
        let id = of.id(own).filter(|id| !id.is_empty())?.to_owned();
        Some((of.session(own).map(|session| session.name.clone()), id))
    };
    let there = store.entries.iter().filter(|own| matches!(own.state, State::Live | State::Archived));
    let there = there.filter_map(|own| {
        let (document, line) = (store.document(own), store.record(own).line);
        Some((names(store, own)?, format!("{} line {line}", document.path.to_text())))
    });
    let mut known: HashMap<_, String> = there.collect();
    let mut told = Vec::new();
    for name in held.iter().filter_map(|own| names(listed, own)) {
        let id = name.1.clone();
        match known.entry(name) {
            Slot::Occupied(other) => told.push(format!(
                "{} has the id {id}, too. Two memories have it then: name them by their keys",
                other.get()
            )),
            Slot::Vacant(own) => drop(own.insert("another memory that is restored".into())),
        }
    }
    told
}

/// Returns the changes that restore `entries` of `store`. The store in `context` does not list them.
fn bring_back(context: &WriteContext<'_>, store: &Store, entries: &[Entry]) -> ChangesResult {
    let (_, writes) = writes(store)?;
    let mut changes = Vec::new();
    let held = store.by_document(entries);
    let restore = writes.own().restore_parts.filter(|_| !held.is_empty());
    if let Some(restore) = restore {
        let numbers = |own: &[Entry]| own.iter().map(|entry| entry.record).collect();
        let held: Vec<_> = held.iter().map(|(document, own)| (Arc::clone(document), numbers(own))).collect();
        changes.extend(restore(context, store, &held)?);
    }
    for (held, own) in held.iter().filter(|_| restore.is_none()) {
        let Some(path) = deleted_from(&held.path) else { continue };
        let now = document(&store.documents, path).map(|own| own.bytes.clone());
        if is_log(path) {
            let lines = own.iter().flat_map(|entry| [&*store.raw(entry), b"\n"].concat());
            changes.push(Change::append(path, lines.collect::<Vec<u8>>(), now));
        } else if now.is_some() {
            return Err(Refusal::unfit(format!("another file has the name {} now.", path.to_text())));
        } else {
            changes.push(Change::create(path, held.bytes.clone()));
        }
    }
    let gone: BTreeSet<u32> = entries.iter().filter_map(|entry| entry.session).collect();
    for session in gone.into_iter().filter_map(|at| store.sessions.get(at as usize)) {
        if let Some(folder) = deleted_from(&session.path) {
            with_session(writes, context, store, (&session.name, folder), &mut changes)?;
        }
    }
    Ok(changes)
}

/// Adds what a removed session needs to exist again: its held files, or else those of a new one.
fn with_session(
    writes: &dyn FormatWriter,
    context: &WriteContext<'_>,
    store: &Store,
    (name, folder): (&str, &Path),
    changes: &mut Vec<Change>,
) -> Result<()> {
    for own in changes.iter_mut().filter(|own| own.path.starts_with(folder)) {
        if let Act::Append(lines) = &own.act {
            *own = Change::create(&own.path, lines.clone());
        }
    }
    let held = store.documents.iter().filter_map(|own| Some((deleted_from(&own.path)?, own)));
    let own = held.filter(|(path, _)| path.starts_with(folder));
    let (logs, about): (Vec<_>, Vec<_>) = own.partition(|(path, _)| is_log(path));
    let made = match about.is_empty() {
        true => writes.new_session(context, Some(name), "")?,
        false => about.iter().map(|(path, own)| Change::create(path, own.bytes.clone())).collect(),
    };
    let empty = logs.iter().map(|(path, _)| Change::create(path, Vec::new()));
    for change in made.into_iter().chain(empty) {
        if changes.iter().all(|own| own.path != change.path) {
            changes.push(change);
        }
    }
    Ok(())
}

/// Undoes a deletion.
#[derive(Clone, Debug)]
pub struct UndeleteMemories;

impl Command for UndeleteMemories {
    fn rules(&self) -> CommandRules {
        let words = ["restoring", "restore", "restored"];
        CommandRules { words, is_of_other_sessions: true, ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        match entry.state == State::Deleted || store.memory(entry).is_some_and(|memory| memory.faded) {
            true => Ok(()),
            false => Err(Refusal::unfit("only deleted memories can be restored.")),
        }
    }

    fn brings_back(&self, _: &Store) -> bool {
        true
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        undelete(&input.context, input.entries, input.erased)
    }
}
