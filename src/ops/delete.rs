//! `delete`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::change_plan::{DEPRECATED, is_deprecated};
use super::{
    Command, CommandRules, Consent, MemoryInput, Operation, Refusal, Result, ShownFirst, WriteContext, may,
    plan, with_backups, writable, writes,
};
use crate::format::writing::{self, DeletionKind, FormatDeletion, FormatWriter, RefusalList, removals};
use crate::model::plan::count_with_noun;
use crate::model::{Change, Code, Entry, PathText, Plan, State, Store, Verb};

pub use super::undelete::{as_read, holds_deleted, is_held};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// A code, not a sentence; `user_request` if it is absent.
    pub reason: Option<String>,
    /// The memory that replaces the deleted ones.
    pub replaced_by: Option<String>,
    /// True to remove the bytes at once, even if the format would keep them.
    pub remove: bool,
}

/// Plans to delete records in the format's own way.
pub fn delete(context: &WriteContext<'_>, entries: &[Entry], asked: &DeleteOptions) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let reason = writing::reason(asked.reason.as_deref().unwrap_or(writing::DELETION_REASON))?;
    let (mut removed, mut own_way): (Vec<Entry>, Vec<Entry>) = Default::default();
    let mut tombstones = NewTombstones::of(context.store, entries);
    let (mut count, mut deprecated) = (0, 0);
    let mut faults = RefusalList::default();
    for entry in entries {
        let document = writable(context.store, entry)?;
        writes.allows(Operation::Delete, &document.path).map_err(Refusal::unfit)?;
        let deletion = writes.deletion(&document.path);
        let is_deprecated = is_deprecated(context.store, entry);
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
                faults.collect(entry, tombstones.add(context, entry, reason))?;
            }
            // A broken record has no id that a tombstone could name.
            _ => removed.push(*entry),
        }
    }
    if count == 0 && deprecated > 0 {
        return Err(Refusal::unfit(DEPRECATED));
    }
    faults.finish()?;
    let with_lines = |(path, lines): (PathBuf, Vec<u8>)| {
        let current = context.store.document_at(&path).map(|own| own.bytes.clone());
        Change::append(path, lines, current)
    };
    let mut changes: Vec<Change> = tombstones.files.into_iter().map(with_lines).collect();
    if !own_way.is_empty() {
        let asked =
            FormatDeletion { reason, replaced_by: asked.replaced_by.as_deref(), remove: asked.remove };
        changes.extend(writes.delete(context, &own_way, asked)?);
    }
    changes.extend(removals(context.store, &removed));
    let all = with_backups(context, changes);
    let mut plan = plan(Verb::Delete, context, count, all)?;
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
        let name = |own: &Entry| (own.session, store.id(own));
        let asked: HashSet<(Option<u32>, &str)> =
            entries.iter().map(name).map(|(session, id)| (session, id.unwrap_or_default())).collect();
        let named = |own: &Entry| {
            let (session, id) = name(own);
            Some(((session, id?), *own)).filter(|(name, _)| asked.contains(name))
        };
        let stay = store.entries.iter().filter(stays).filter_map(named).collect();
        NewTombstones { files: BTreeMap::new(), known: HashSet::new(), stay }
    }

    fn add(&mut self, context: &WriteContext<'_>, entry: &Entry, reason: &str) -> Result<()> {
        let (_, writes) = writes(context.store)?;
        let Some((path, line)) = writes.own().tombstone.and_then(|made| made(context, entry, reason)) else {
            return Err(Refusal::unfit("it has no id that a tombstone could name: delete it with --remove."));
        };
        // One tombstone hides all records with the same id.
        let id = context.store.id(entry).unwrap_or_default();
        if let Some(other) = self.stay.get(&(entry.session, id)) {
            let (own, line) = (context.store.document(other), context.store.record(other).line);
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

impl Command for DeleteOptions {
    fn rules(&self) -> CommandRules {
        let words = ["deleting", "delete", "deleted"];
        let (shown_first, consent) = (ShownFirst::Repeated, Consent::TypedIfMany);
        CommandRules { words, shown_first, consent, ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        if self.remove { Ok(()) } else { may(store, entry, Operation::Delete) }
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        delete(&input.context, input.entries, self)
    }
}
