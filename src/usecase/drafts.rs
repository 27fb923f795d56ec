//! Keeps what the user wrote if it can't be saved.

use std::path::{Path, PathBuf};

use super::command::ChangeCommand;
use super::erase::{ERASED_MEANWHILE, unless_erased};
use super::request::ChangeRequest;
use crate::disk::host::Host;
use crate::model::{Entry, Moment, Store};
use crate::store::commit::{CommitError, draft_kept_note, draft_lost_note, keep_text};

/// Returns why a change was not made. A text that the user wrote is kept as a draft.
pub fn failure_with_draft(request: &ChangeRequest, why: String) -> String {
    match (&request.command, request.at.first()) {
        (ChangeCommand::Edit(fields), Some(at)) => {
            let of = request.snapshot.get(*at);
            let text = fields.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("\n");
            format!("{why} {}", keep_draft(&request.data, of, text.as_bytes(), request.now))
        }
        _ => why,
    }
}

/// Keeps what the user wrote about a memory, and says where, as a sentence. If the memory was
/// erased meanwhile, nothing is kept.
pub fn keep_draft(data: &Path, (store, entry): (&Store, &Entry), text: &[u8], now: Moment) -> String {
    keep_store_draft(data, (store, Some(entry)), text, now)
}

/// Like [`keep_draft`], for a store. There may be no memory.
pub fn keep_store_draft(data: &Path, of: (&Store, Option<&Entry>), text: &[u8], now: Moment) -> String {
    let host = Host::here(data, now);
    let keep = || keep_text(host, &of.0.root, text);
    let drop = |kept: Result<PathBuf, CommitError>| {
        let _ = kept.map(|path| host.disk.remove(&path));
    };
    let kept = match of.1 {
        Some(entry) => unless_erased(host, (of.0, entry), keep, drop),
        None => Ok(Some(keep())),
    };
    match kept {
        Ok(Some(Ok(path))) => draft_kept_note(&path),
        Ok(None) => format!("What you wrote is not kept: {ERASED_MEANWHILE}."),
        Ok(Some(Err(error))) | Err(error) => draft_lost_note(&error),
    }
}
