//! Notices of a process that can show them to no user: kept until the next start shows them.

use crate::store::commit::{CommitContext, CommitError, Vault};

/// One JSON string per line.
const PENDING_NOTICES: &str = "untold.jsonl";

impl Vault<'_> {
    /// Returns the notices that are still to be shown.
    pub fn pending_notices(&self) -> Result<Vec<String>, CommitError> {
        let bytes = self.read_own_file(&self.path(PENDING_NOTICES))?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
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
    let line = |note: &String| serde_json::to_string(note).ok();
    let lines: String = all.iter().filter_map(line).map(|line| line + "\n").collect();
    let _ = context.vault.write_own_file(&context.vault.path(PENDING_NOTICES), lines.as_bytes());
}

/// Moves the kept notices into the notes of this process.
pub fn take_notes(context: &CommitContext<'_>) -> Result<(), CommitError> {
    let notes = context.vault.pending_notices()?;
    if !notes.is_empty() && context.host.disk.remove(&context.vault.path(PENDING_NOTICES)).is_ok() {
        notes.into_iter().for_each(|note| context.note(note));
    }
    Ok(())
}
