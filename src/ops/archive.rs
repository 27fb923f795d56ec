//! `archive` and `unarchive`: move records aside, and bring them back.
//!
//! If palimp's own data is the archive of a format, records are archived as they are deleted, and come back as deleted
//! ones do. Their undo data is the archive, and does not expire.

use std::path::{Path, PathBuf};

use super::{Refusal, Result, WriteContext, check, plan, plan_and_after, with_backups, writable, writes};
use crate::format::writing::{DELETION_REASON, FormatDeletion, FormatWriter, Operation};
use crate::model::{Entry, Plan, State, Store};

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
    let changes = match writes.own().archives_in_own_data {
        true => {
            let reason = DELETION_REASON;
            writes.delete(context, &own, FormatDeletion { reason, replaced_by: None, remove: false })?
        }
        false => writes.archive(context, &own)?,
    };
    plan("archive", context, own.len(), with_backups(context, writes, changes))
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
    let all = with_backups(context, writes, changes);
    let (plan, after) = plan_and_after("unarchive", context, own.len(), all)?;
    check(context, &plan, &after)?;
    Ok(plan)
}

/// Returns the records that are archived and restored with these; only these if each can be alone.
fn group(store: &Store, writes: &dyn FormatWriter, entries: &[Entry]) -> Vec<Entry> {
    writes.own().archive_group.map_or_else(|| entries.to_vec(), |group| group(store, entries))
}

/// True if palimp's own data is the archive of the store. Then it is read only when it is asked for.
pub fn is_in_own_data(store: &Store) -> bool {
    writes(store).is_ok_and(|(_, writes)| writes.own().archives_in_own_data)
}

/// True if records of the store are archived, and brought back, with their whole session.
pub fn takes_sessions(store: &Store) -> bool {
    writes(store).is_ok_and(|(_, writes)| writes.own().archive_session.is_some())
}

/// Checks that archived records of the store can come back.
pub fn comes_back(store: &Store) -> Result<()> {
    let (_, writes) = writes(store)?;
    writes.allows(Operation::Unarchive, Path::new("")).map_err(Refusal::unfit)
}
