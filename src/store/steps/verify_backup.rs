//! Checks whether a backup has its original bytes and can be read completely.

use std::path::Path;

use crate::format::{self, Placement};
use crate::model::plan::count_with_noun;
use crate::model::{Act, BackupCheck, BackupCopy, BackupReason, JournalLine, Moment, Role, Store, Verb};
use crate::store::Vault;

/// Checks that the bytes are the copied ones, if those are known, and that the format can read all.
pub fn verify_backup(
    (copy, bytes): (&BackupCopy, &[u8]),
    store: &Store,
    vault: &Vault<'_>,
    now: Moment,
) -> BackupCheck {
    let wrong = |found: String| BackupCheck { is_whole: false, found };
    if let Some((_, len)) = copy.made.filter(|(_, len)| *len != bytes.len() as u64) {
        return wrong(format!("it has {} bytes, and had {len} when it was made", bytes.len()));
    }
    let same = is_as_kept(copy, vault, bytes);
    if same == Some(false) {
        return wrong("its bytes are not the ones that were copied".into());
    }
    let known = if same.is_some() { "the bytes that were copied, " } else { "" };
    match reads(store, &copy.file, bytes, now) {
        Ok(records) => BackupCheck {
            is_whole: true,
            found: format!("{known}{}", count_with_noun(records as u64, "memory")),
        },
        Err(broken) => wrong(format!("{known}{}", count_with_noun(broken as u64, "broken memory"))),
    }
}

/// True if these are the bytes that the step copied; `None` if the copied bytes are not known, or an erasure changed the
/// copy since.
fn is_as_kept(copy: &BackupCopy, vault: &Vault<'_>, bytes: &[u8]) -> Option<bool> {
    let number = match (&copy.reason, copy.made) {
        (_, Some((number, _))) => number,
        (BackupReason::Before(_, number), None) => *number,
        _ => return None,
    };
    let is_of_copy = |line: &JournalLine| line.files.iter().any(|own| own.path == copy.path);
    let journal = vault.journal().ok()?;
    if journal.iter().any(|line| line.step > number && line.verb == Verb::Erase && is_of_copy(line)) {
        return None;
    }
    let step = vault.step(number).ok().flatten()?;
    step.changes.iter().filter(|change| change.path == copy.path).find_map(|change| match &change.act {
        Act::Remove(was) => Some(**was == *bytes),
        _ => None,
    })
}

/// Returns the number of records in a copy of `file`, or the number of broken ones.
fn reads(store: &Store, file: &Path, copy: &[u8], now: Moment) -> Result<usize, usize> {
    let Some(format) = format::by_name(store.format) else { return Ok(0) };
    let role = match format.place(file, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    };
    let records = format.read(role, file, copy, now).records;
    let broken = records.iter().filter(|record| record.memory().is_none()).count();
    if broken > 0 { Err(broken) } else { Ok(records.len()) }
}
