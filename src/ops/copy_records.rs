//! `copy`: copies records to another session of their store, and the originals keep every byte. A copy has the bytes of its
//! original but for its session, its checksum and its id, which no record has or had. What it refers to stays.

use std::collections::{BTreeSet, HashSet};

use super::move_records::{
    LogLines, OtherSession, add_line, appends, goes_elsewhere, may_go, other_sessions,
};
use super::{Operation, Result, check_brought, may, plan_and_after, with_backups, writes};
use crate::format::writing::{FolderCopies, NameUse, RefusalList, rename};
use crate::model::{Change, Entry, EntryRef, Name, NameKind, Plan, Snapshot, Store, StoredMemory, Verb};
use crate::ops::command::{Command, CommandRules, MemoryInput};
use crate::text::digest::digest;

/// Checks that a record can be copied. The plan can still be refused.
pub fn may_copy(store: &Store, entry: &Entry) -> Result<()> {
    match folder_copies(store) {
        // Only what has a name of its own has a copy of another name.
        Some(_) => may(store, entry, Operation::Rename),
        None => may_go(store, entry, "be copied"),
    }
}

fn may_copy_to(store: &Store, entry: &Entry, to: &str) -> Result<()> {
    may_copy(store, entry)?;
    // A folder may get a copy of what it has.
    if folder_copies(store).is_some() { Ok(()) } else { goes_elsewhere(store, entry, to) }
}

/// Returns the sessions and folders that records can be copied to.
pub fn places(snapshot: &Snapshot, at: &[EntryRef]) -> Vec<String> {
    let stores: BTreeSet<u32> = at.iter().map(|at| at.store).collect();
    let stores = stores.into_iter().filter_map(|store| snapshot.stores.get(store as usize));
    let folders = stores.filter_map(|store| Some((folder_copies(store)?.folders)(store)));
    other_sessions(snapshot, at).into_iter().chain(folders.flatten()).collect()
}

fn folder_copies(store: &Store) -> Option<FolderCopies> {
    writes(store).ok()?.1.own().folder_copies
}

struct Copies {
    changes: Vec<Change>,
    count: usize,
    notices: Vec<String>,
}

fn copy_records(input: &MemoryInput<'_>, to: &str) -> Result<Plan> {
    let (context, store) = (&input.context, input.context.store);
    RefusalList::each(input.entries, |entry| may_copy_to(store, entry, to))?;
    let copies = match folder_copies(store) {
        Some(own) => {
            let changes = (own.copied)(context, input.entries, to, input.given_ids)?;
            Copies { changes, count: input.entries.len(), notices: Vec::new() }
        }
        None => in_session(input, &OtherSession::of(context, to)?)?,
    };
    let changes = with_backups(context, copies.changes);
    let (mut plan, after) = plan_and_after(Verb::Copy, context, copies.count, changes)?;
    let added = plan.additions();
    plan.lines.extend(added.into_iter().chain(copies.notices));
    check_brought(context, (&plan, &after), (store, input.entries))?;
    Ok(plan)
}

fn in_session(input: &MemoryInput<'_>, session: &OtherSession<'_>) -> Result<Copies> {
    let store = input.context.store;
    let there = session.ids();
    let mut given = there.union(input.given_ids).cloned().collect();
    let (mut lines, mut notices, mut count) = (LogLines::new(), Vec::new(), 0);
    let mut faults = RefusalList::default();
    for entry in input.entries {
        let id = new_id(input, session, entry, &mut given);
        let Some(id) = faults.collect(entry, id)? else { continue };
        let copy = rename(session.writes, &store.raw(entry), input.context.now, &|says, _| match says {
            NameUse::Id => id.clone(),
            NameUse::Session => Some(session.name().to_owned()),
            NameUse::Reference(_) => None,
        });
        if let Some((log, copy)) =
            faults.collect(entry, session.log_of(entry).and_then(|log| Ok((log, copy?))))?
        {
            add_line(&mut lines, &log, &copy);
            count += 1;
        }
        let refers =
            references(store, entry).filter(|name| there.contains(name.text) && !session.finds(entry, name));
        let id = id.as_deref().unwrap_or("the copy");
        notices.extend(
            refers.map(|name| format!("{id} refers to {}, which names another memory there", name.text)),
        );
    }
    faults.finish()?;
    Ok(Copies { changes: appends(store, lines), count, notices })
}

fn references<'s>(store: &'s Store, entry: &Entry) -> impl Iterator<Item = Name<&'s str>> {
    let all = store.memory(entry).into_iter().flat_map(|memory| memory.references());
    all.map(|reference| reference.to).filter(|name| name.of == NameKind::Record)
}

/// Returns an id for a copy, and adds it to those that are given; `None` if the original has none.
fn new_id(
    input: &MemoryInput<'_>,
    session: &OtherSession<'_>,
    entry: &Entry,
    given: &mut HashSet<String>,
) -> Result<Option<String>> {
    let store = input.context.store;
    let Some(old) = store.id(entry) else { return Ok(None) };
    let id = match session.writes.own().random_id {
        Some(make) => {
            // The same copy has the same id when it is planned again.
            let (path, random) = (&store.document(entry).path, input.context.random);
            let seed = |number: u64| format!("{random:?} {path:?} {old} {number}");
            let mut ids = (0..).map(|number| make(digest(seed(number).as_bytes()).to_be_bytes()));
            ids.find(|id| !session.is_used(id, given)).unwrap_or_default()
        }
        None => session.next_id(entry, given)?,
    };
    given.insert(id.clone());
    Ok(Some(id))
}

/// Copies memories to another session of their store.
#[derive(Clone, Debug)]
pub struct CopyMemories {
    /// The other session; in a format without sessions the folder.
    pub to: String,
}

impl Command for CopyMemories {
    fn rules(&self) -> CommandRules {
        CommandRules {
            words: ["copying", "copy", "copied"],
            is_of_other_sessions: true,
            gives_ids: true,
            ..CommandRules::repeated_as_seen()
        }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may_copy_to(store, entry, &self.to)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        copy_records(input, &self.to)
    }

    fn effect_on(&self, _: &Store, _: &Entry, _: &StoredMemory) -> Option<String> {
        Some(format!("a copy in {}", self.to))
    }

    fn new_value(&self) -> Option<String> {
        Some(self.to.clone())
    }
}
