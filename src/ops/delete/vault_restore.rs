//! `undelete` of what only undo data or backups hold: appends to its file, or creates the file again.

use std::borrow::Cow;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::super::{ChangesResult, Refusal, Result, WriteContext};
use crate::format::writing::{FormatWriter, document};
use crate::model::{Act, Change, Entry, PathText, State, Store, deleted_from, is_log};
use crate::store::commit::without_deleted;

/// True if no file of the store has the record, and only palimp's own data holds it.
pub fn is_held(store: &Store, entry: &Entry) -> bool {
    deleted_from(&store.document(entry).path).is_some()
}

/// True if the store lists records that only palimp's own data holds.
pub fn holds_deleted(store: &Store) -> bool {
    store.documents.iter().any(|own| deleted_from(&own.path).is_some())
}

/// Returns the store without the records that only palimp's own data holds, to plan on.
pub fn read(store: &Store) -> Cow<'_, Store> {
    match holds_deleted(store) {
        true => Cow::Owned(without_deleted(store)),
        false => Cow::Borrowed(store),
    }
}

/// Returns a line about each restored record whose id another memory will have, too.
pub fn shared(store: &Store, listed: &Store, held: &[Entry]) -> Vec<String> {
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
pub fn bring_back(
    writes: &dyn FormatWriter,
    context: &WriteContext<'_>,
    store: &Store,
    entries: &[Entry],
) -> ChangesResult {
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
