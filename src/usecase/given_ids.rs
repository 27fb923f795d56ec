//! Ids of records that are deleted or erased: in a format that numbers its records, no new one gets them.

use std::path::Path;

use crate::disk::host::Host;
use crate::format;
use crate::format::writing::RecordDraft;
use crate::model::Store;
use crate::store::commit::{CommitError, Deletions, Vault};
use crate::text::json_edit::{quoted, scan, set};
use crate::text::json_scanner::Tape;
use crate::text::numbered_id::{following, split_number};

/// Returns the last id of a session and a type, of a record of the store or of a deleted or erased one, as far
/// as undo data is kept. `None` if ids are not numbered, or the last one is unknown.
///
/// # Errors
///
/// If the journal or the erasure list can't be read.
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

/// Longer numbers do not come from counting.
const DIGITS: usize = 15;

/// Returns the members of a new record with its id, if the format would give it that of a deleted one.
///
/// # Errors
///
/// As [`last_given_id`].
pub fn record_with_free_id(
    host: Host<'_>,
    store: &Store,
    draft: &RecordDraft<'_>,
) -> Result<Option<String>, CommitError> {
    let last_id = format::by_name(store.format).and_then(|format| format.own().last_id);
    let (Some(session), Some(last_id)) = (draft.session, last_id) else { return Ok(None) };
    let (record, mut tape) = (draft.record.unwrap_or("{}"), Tape::default());
    let is_free = scan(&mut tape, record.as_bytes()).is_ok_and(|members| members.get("id").is_none());
    let given = if is_free { last_given_id(host, store, session, draft.kind)? } else { None };
    let given = given.filter(|given| last_id(store, session, draft.kind).as_ref() != Some(given));
    let next = given.and_then(|given| following(&given).next());
    let record = next.and_then(|next| set(record.as_bytes(), &["id"], &quoted(&next)).ok());
    Ok(record.and_then(|record| String::from_utf8(record).ok()))
}
