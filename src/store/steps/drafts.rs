//! Drafts: texts that a user typed and that are not saved.

use std::path::{Path, PathBuf};

use crate::disk::host::Host;
use crate::model::{FormDraft, MemoryName, PathText, short_digest};
use crate::store::{CommitError, Vault};

/// Keeps the draft of a form, durably. Replaces the previous draft atomically. Fails if our own data can't be
/// written; the previous draft is intact then.
pub fn keep_form(host: Host<'_>, root: &Path, draft: &FormDraft) -> Result<(), CommitError> {
    let vault = Vault::open(host.disk, host.data, root)?;
    let path = vault.folder("drafts")?.join(name_of(&draft.of));
    let bytes = serde_json::to_vec(draft).map_err(|error| CommitError::own_data(&path, error.into()))?;
    vault.write_own_file(&path, &bytes)
}

/// Returns the draft of a memory's form, if one exists and can be read.
pub fn find_form(host: Host<'_>, root: &Path, of: &MemoryName) -> Option<FormDraft> {
    let path = Vault::open_read_only(host.disk, host.data, root).path("drafts").join(name_of(of));
    let (bytes, _) = host.disk.read(&path, 0, None).ok()?;
    serde_json::from_slice::<FormDraft>(&bytes).ok().filter(|draft| draft.of == *of)
}

/// Removes the draft of a memory's form.
pub fn drop_form(host: Host<'_>, root: &Path, of: &MemoryName) -> Result<(), CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, root);
    let folder = vault.path("drafts");
    vault.drop_own(&folder.join(name_of(of)))?;
    vault.sync(&folder)
}

const FORM: &str = "form-";

/// Returns the memory whose form draft this file is.
pub fn draft_of(path: &Path, bytes: &[u8]) -> Option<MemoryName> {
    let name = path.file_name()?.to_str()?;
    let draft = || serde_json::from_slice::<FormDraft>(bytes).ok();
    if name.starts_with(FORM) { Some(draft()?.of) } else { None }
}

/// Uses a short digest: ids are untrusted and must not be file names.
fn digest_of(of: &MemoryName) -> String {
    let parts = [of.session.as_deref().unwrap_or_default(), &of.id];
    let bytes = parts.iter().flat_map(|part| part.as_bytes().iter().chain(&[0]));
    format!("{:016x}", short_digest(bytes))
}

fn name_of(of: &MemoryName) -> String {
    format!("{FORM}{}.json", digest_of(of))
}

/// The end of the name of a text that could not be saved. The digest of its memory is before it.
const TEXT: &str = "memory.md";

/// Keeps a text about a memory, or for the store at `root`, in our own data. Elsewhere no erasure would find it.
pub fn keep_text(
    host: Host<'_>,
    root: &Path,
    of: Option<&MemoryName>,
    text: &[u8],
) -> Result<PathBuf, CommitError> {
    let name = of.map_or_else(|| TEXT.to_owned(), |of| format!("{}.{TEXT}", digest_of(of)));
    Vault::open(host.disk, host.data, root).and_then(|vault| vault.draft(Path::new(&name), text, host.now))
}

/// True if a file is a text about this memory.
pub fn is_text_of(path: &Path, of: &MemoryName) -> bool {
    let start = format!("{}.{TEXT}", digest_of(of));
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(start.as_bytes()))
}

/// Returns a sentence that says where a text is kept.
pub fn draft_kept_note(path: &Path) -> String {
    format!("What you wrote is kept in {}.", path.to_text())
}

/// Returns a sentence that says why a text could not be kept.
pub fn draft_lost_note(error: &CommitError) -> String {
    format!("What you wrote could not be kept: {error}")
}
