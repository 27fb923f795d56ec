//! `archive` and `unarchive`: move records aside, and bring them back.
//!
//! If a format has no archive, palimp's own data is the archive: the records leave the store as deleted ones do, and
//! are kept, each by itself and without a limit of time, until they are brought back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::erase::ErasedRecords;
use super::undelete::{as_read, never_erased};
use super::{
    Command, CommandRules, MemoryInput, Operation, Refusal, Result, WriteContext, check, check_brought, may,
    own_operations, plan, plan_and_after, with_backups, writable, writes,
};
use crate::format::writing::{DELETION_REASON, FormatDeletion, FormatWriter};
use crate::model::plan::effect::EffectKind;
use crate::model::{ArchivedItem, Entry, Plan, State, Store, Verb, archived_from};

const NOT_ARCHIVED: &str =
    "none of these is archived. `palimp list is:archived` lists what can be brought back.";

/// Returns the compressed files whose bytes [`archive`] and [`unarchive`] need for these records.
/// `store::packed_bytes` reads them, and [`WriteContext::compressed_files`] passes them on.
pub fn packed(store: &Store, entries: &[Entry]) -> Result<Vec<PathBuf>> {
    let (_, writes) = writes(store)?;
    Ok(writes.own().compressed_files.map_or_else(Vec::new, |own| own(store, entries)))
}

/// Plans to archive records in the format's own way.
pub fn archive(context: &WriteContext<'_>, entries: &[Entry]) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    if entries.iter().any(|entry| entry.state == State::Broken) {
        return Err(Refusal::broken());
    }
    let mut own = Vec::new();
    for entry in &group(context.store, writes, entries) {
        let document = context.store.document(entry);
        writes.allows(Operation::Archive, &document.path).map_err(Refusal::unfit)?;
        writes.may_archive(context.store, entry)?;
        if entry.state == State::Live {
            writable(context.store, entry)?;
            own.push(*entry);
        }
    }
    let Some(archive) = writes.own().own_archive else {
        let changes = writes.archive(context, &own)?;
        return plan(Verb::Archive, context, own.len(), with_backups(context, changes));
    };
    let asked = FormatDeletion { reason: DELETION_REASON, replaced_by: None, remove: false };
    let changes = with_backups(context, writes.delete(context, &own, asked)?);
    let archived = (archive.items)(context.store, &own);
    let mut plan = plan(Verb::Archive, context, own.len(), changes)?;
    // They move to palimp's own data.
    let removed = plan.effects.iter_mut().filter(|own| own.kind == EffectKind::Remove);
    removed.for_each(|own| own.kind = EffectKind::Move);
    Ok(Plan { archived, ..plan })
}

/// Plans to bring records back from palimp's own archive. The store in `context` lists them; `gone` are the erased ones.
pub fn bring_back(context: &WriteContext<'_>, entries: &[Entry], gone: &ErasedRecords) -> Result<Plan> {
    let (listed, (_, writes)) = (context.store, writes(context.store)?);
    let archive = writes.own().own_archive.ok_or_else(|| Refusal::unfit(NOT_ARCHIVED))?;
    let name = |entry: &Entry| archived_from(&listed.document(entry).path).map(|(name, _)| name);
    let held: Vec<Entry> = entries.iter().filter(|entry| name(entry).is_some()).copied().collect();
    let names: BTreeSet<&str> = held.iter().filter_map(name).collect();
    let items: Vec<&ArchivedItem> =
        listed.archived.iter().filter(|own| names.contains(&*own.name)).map(|own| &**own).collect();
    if items.is_empty() {
        return Err(Refusal::unfit(NOT_ARCHIVED));
    }
    let store = as_read(listed);
    let context = &WriteContext { store: &store, ..*context };
    never_erased(context, listed, &held, gone)?;
    let changes = with_backups(context, (archive.restored)(context, &items)?);
    let (plan, after) = plan_and_after(Verb::Unarchive, context, items.len(), changes)?;
    check_brought(context, (&plan, &after), (listed, &held))?;
    let brought_back = items.iter().map(|own| own.name.clone()).collect();
    Ok(Plan { brought_back, ..plan })
}

/// Plans to bring records back that their store has archived.
pub fn unarchive(context: &WriteContext<'_>, entries: &[Entry]) -> Result<Plan> {
    let (_, writes) = writes(context.store)?;
    let mut own = group(context.store, writes, entries);
    own.retain(|entry| entry.state == State::Archived);
    for entry in &own {
        writes.allows(Operation::Archive, &context.store.document(entry).path).map_err(Refusal::unfit)?;
    }
    let changes = writes.unarchive(context, &own)?;
    let all = with_backups(context, changes);
    let (plan, after) = plan_and_after(Verb::Unarchive, context, own.len(), all)?;
    check(context, &plan, &after)?;
    Ok(plan)
}

/// Returns the records that are archived and restored with these; only these if each can be alone.
fn group(store: &Store, writes: &dyn FormatWriter, entries: &[Entry]) -> Vec<Entry> {
    writes.own().archive_group.map_or_else(|| entries.to_vec(), |group| group(store, entries))
}

/// True if palimp's own data is the archive of the store. Then it is read only when it is asked for.
pub fn is_in_own_data(store: &Store) -> bool {
    own_operations(store).own_archive.is_some()
}

/// True if records of the store are archived, and brought back, with their whole session.
pub fn takes_sessions(store: &Store) -> bool {
    own_operations(store).archive_session.is_some()
}

/// Checks that archived records of the store can come back.
pub fn comes_back(store: &Store) -> Result<()> {
    let (_, writes) = writes(store)?;
    writes.allows(Operation::Unarchive, Path::new("")).map_err(Refusal::unfit)
}

/// Moves memories aside.
#[derive(Clone, Debug)]
pub struct ArchiveMemories;

impl Command for ArchiveMemories {
    fn rules(&self) -> CommandRules {
        CommandRules { words: ["archiving", "archive", "archived"], ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        may(store, entry, Operation::Archive)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        archive(&input.context, input.entries)
    }
}

/// Brings archived memories back.
#[derive(Clone, Debug)]
pub struct UnarchiveMemories;

impl Command for UnarchiveMemories {
    fn rules(&self) -> CommandRules {
        let words = ["bringing back", "bring back", "brought back"];
        CommandRules { words, ..CommandRules::repeated_as_seen() }
    }

    fn check_allowed(&self, store: &Store, entry: &Entry) -> Result<()> {
        match entry.state {
            State::Archived => comes_back(store),
            _ => Err(Refusal::unfit("only archived memories can be brought back.")),
        }
    }

    fn brings_back(&self, store: &Store) -> bool {
        is_in_own_data(store)
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        match self.brings_back(input.context.store) {
            true => bring_back(&input.context, input.entries, input.erased),
            false => unarchive(&input.context, input.entries),
        }
    }
}
