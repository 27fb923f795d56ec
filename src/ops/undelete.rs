//! Brings deleted records back.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use crate::format::writing::RefusalList;
use crate::model::{Change, Entry, Plan, Role, State, Store, deleted_from};
use crate::ops::delete::NOT_DELETED;
use crate::ops::delete::vault_restore::{self};
use crate::ops::erase::ErasedRecords;
use crate::ops::{Refusal, WriteContext, check_brought, plan_and_after, with_backups, writes};
use crate::text::lines;

/// Plans to undo the format's own deletion, and to restore what only undo data or backups hold.
pub fn undelete(
    context: &WriteContext<'_>,
    entries: &[Entry],
    gone: &ErasedRecords,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(context.store)?;
    let (mut held, own): (Vec<Entry>, Vec<Entry>) =
        entries.iter().partition(|entry| vault_restore::is_held(context.store, entry));
    held.retain(|entry| entry.state == State::Deleted);
    if held.is_empty() && own.is_empty() {
        return Err(Refusal::unfit(NOT_DELETED));
    }
    let (listed, store) = (context.store, vault_restore::read(context.store));
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
    let mut all = with_backups(context, writes, changes);
    all.extend(vault_restore::bring_back(writes, context, listed, &held)?);
    count += held.len();
    let (mut plan, after) = plan_and_after("undelete", context, count, all)?;
    plan.lines.extend(vault_restore::shared(&store, listed, &held));
    check_brought(context, (&plan, &after), (listed, &held))?;
    Ok(plan)
}

/// Refuses records that were erased since they were listed.
pub fn never_erased(
    context: &WriteContext<'_>,
    listed: &Store,
    held: &[Entry],
    gone: &ErasedRecords,
) -> Result<(), Refusal> {
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
) -> Result<(usize, Vec<Change>), Refusal> {
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
        let in_session = |own: &&std::sync::Arc<crate::model::Document>| {
            own.role == Role::Tombstones && own.path.starts_with(&session.path)
        };
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
