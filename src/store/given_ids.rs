//! Ids of records that are deleted or erased: in a format that numbers its records, no new one gets them.

use std::collections::HashSet;
use std::path::Path;

use crate::disk::host::Host;
use crate::format;
use crate::model::Store;
use crate::store::steps::Deletions;
use crate::store::{CommitError, Vault};
use crate::text::numbered_id::split_number;

/// Returns the last id of a session and a type, of a record of the store or of a deleted or erased one, as far
/// as undo data is kept. `None` if ids are not numbered, or the last one is unknown.
pub fn last_given_id(
    host: Host<'_>,
    store: &Store,
    session: &str,
    kind: &str,
) -> Result<Option<String>, CommitError> {
    let Some(format) = format::by_name(store.format) else { return Ok(None) };
    let Some(last) = format.own().last_id.and_then(|last| last(store, session, kind)) else {
        return Ok(None);
    };
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let deletions = Deletions::of(&vault, store, host.now)?;
    let erased = vault.erasure_list()?;
    let folders = format.session_paths(session);
    let is_in_session = |file: &Path| folders.iter().any(|folder| file.starts_with(folder));
    let erased = erased.iter().filter(|line| is_in_session(&line.record.file));
    let erased = erased.filter_map(|line| line.record.id.as_deref());
    let (prefix, number) = split_number(&last);
    let is_later = |id: &&str| {
        let (other, later) = split_number(id);
        other == prefix && later > number && id.len() <= last.len().max(prefix.len() + DIGITS)
    };
    let later = deletions.ids_of(session).chain(erased).filter(is_later).max_by_key(|id| split_number(id).1);
    Ok(Some(later.map_or_else(|| last.clone(), str::to_owned)))
}

/// Returns the ids of all deleted and erased records of a store, as far as undo data is kept.
/// Fails as [`last_given_id`].
pub fn deleted_ids(host: Host<'_>, store: &Store) -> Result<HashSet<String>, CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let deletions = Deletions::of(&vault, store, host.now)?;
    let erased = vault.erasure_list()?.into_iter().filter_map(|line| line.record.id);
    Ok(deletions.ids().map(str::to_owned).chain(erased).collect())
}

/// Longer numbers do not come from counting.
const DIGITS: usize = 15;
