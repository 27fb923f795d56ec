//! Keeps what the user wrote if it can't be saved.

use std::path::{Path, PathBuf};

use super::erase::{ERASED_MEANWHILE, unless_erased};
use super::failure::ChangeFailure;
use super::request::ChangeRequest;
use crate::disk::host::Host;
use crate::model::{DraftField, Entry, FormDraft, MemoryName, Moment, Store};
use crate::ops::edit::EditMemory;
use crate::store::CommitError;
use crate::store::steps::{draft_kept_note, draft_lost_note, drop_form, find_form, keep_form, keep_text};

/// Returns why a change was not made. A text that the user wrote is kept as a draft.
pub fn failure_with_draft(request: &ChangeRequest, why: String) -> String {
    match (request.command.get::<EditMemory>(), request.at.first()) {
        // A name is typed once more in no time.
        (Some(edit), Some(at)) if edit.new_name().is_none() => {
            let text = edit.set.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("\n");
            let kept = keep_draft(&request.data, request.snapshot.get(*at), text.as_bytes(), request.now);
            format!("{why} {kept}")
        }
        _ => why,
    }
}

/// Keeps what the user wrote about a memory, or for a store, and says where, as a sentence. If the memory was
/// erased meanwhile, nothing is kept.
pub fn keep_draft<'m>(
    data: &Path,
    (store, memory): (&Store, impl Into<Option<&'m Entry>>),
    text: &[u8],
    now: Moment,
) -> String {
    let host = Host::here(data, now);
    let memory: Option<&Entry> = memory.into();
    let of = memory.map(|entry| draft_name((store, entry)));
    let keep = || keep_text(host, &store.root, of.as_ref(), text);
    let drop = |kept: Result<PathBuf, CommitError>| {
        let _ = kept.map(|path| host.disk.remove(&path));
    };
    let kept = match memory {
        Some(entry) => unless_erased(host, (store, entry), keep, drop),
        None => Ok(Some(keep())),
    };
    match kept {
        Ok(Some(Ok(path))) => draft_kept_note(&path),
        Ok(None) => format!("What you wrote is not kept: {ERASED_MEANWHILE}."),
        Ok(Some(Err(error))) | Err(error) => draft_lost_note(&error),
    }
}

/// Keeps what was typed into the form of a memory, in place of what was typed before. Drops the draft if
/// nothing was changed. If the memory was erased meanwhile, nothing is kept.
///
/// # Errors
///
/// Why it is not kept, in a few words.
pub fn keep_form_draft(host: Host<'_>, of: (&Store, &Entry), fields: Vec<DraftField>) -> Result<(), String> {
    let keep = || match fields.is_empty() {
        true => drop_form_draft(host, of),
        false => {
            let draft = FormDraft { of: draft_name(of), at: host.now.to_millis(), fields };
            Ok(keep_form(host, &of.0.root, &draft)?)
        }
    };
    match unless_erased(host, of, keep, |_| {}) {
        Ok(Some(kept)) => kept.map_err(|failed| failed.message),
        Ok(None) => {
            let _ = drop_form_draft(host, of);
            Err(ERASED_MEANWHILE.into())
        }
        Err(error) => Err(error.in_short()),
    }
}

/// Returns what was typed into the form of a memory before, and not saved.
pub fn find_form_draft(host: Host<'_>, of: (&Store, &Entry)) -> Option<FormDraft> {
    find_form(host, &of.0.root, &draft_name(of))
}

/// Drops what was typed into the form of a memory.
/// Fails if it exists and can't be removed.
pub fn drop_form_draft(host: Host<'_>, of: (&Store, &Entry)) -> Result<(), ChangeFailure> {
    Ok(drop_form(host, &of.0.root, &draft_name(of))?)
}

/// Returns what names a memory in its draft.
fn draft_name((store, entry): (&Store, &Entry)) -> MemoryName {
    let id = store.id(entry).filter(|id| !id.is_empty());
    MemoryName {
        session: store.session(entry).map(|session| session.name.clone()),
        id: id.map_or_else(|| store.key(entry), str::to_owned),
    }
}
