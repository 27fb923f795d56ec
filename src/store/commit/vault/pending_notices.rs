//! Notices of a process that can show them to no user: kept until the next start shows them.

use super::pending_erasure::json_lines;
use crate::store::commit::{CommitContext, CommitError, Vault};

/// One JSON string per line.
const PENDING_NOTICES: &str = "untold.jsonl";

impl Vault<'_> {
    /// Returns the notices that are still to be shown.
    pub fn pending_notices(&self) -> Result<Vec<String>, CommitError> {
        self.readable_lines(PENDING_NOTICES)
    }
}

/// Keeps the notes for the next start, with the earlier ones that can be read.
pub fn keep_notes(context: &CommitContext<'_>) {
    let Ok(mut all) = context.vault.pending_notices() else { return };
    let notes = std::mem::take(&mut *context.notes.borrow_mut());
    if notes.is_empty() {
        return;
    }
    all.extend(notes);
    all.dedup();
    let path = context.vault.path(PENDING_NOTICES);
    let _ = json_lines(&all).and_then(|lines| context.vault.write_own_file(&path, &lines));
}

/// Moves the kept notices into the notes of this process.
pub fn take_notes(context: &CommitContext<'_>) -> Result<(), CommitError> {
    let notes = context.vault.pending_notices()?;
    if !notes.is_empty() && context.host.disk.remove(&context.vault.path(PENDING_NOTICES)).is_ok() {
        notes.into_iter().for_each(|note| context.note(note));
    }
    Ok(())
}
