//! What somebody wrote and could not be saved: kept, and said where.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::write_synced;
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{PathText, short_digest};
use crate::store::commit::{CommitError, Host, Vault};
use crate::text::digest::hex;

/// The memory that a draft is of: what names it across states of its store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftOf {
    /// Its session, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// Its id; its key where it has none.
    pub id: String,
}

/// What somebody typed into the form of a memory and did not save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormDraft {
    /// Which memory.
    #[serde(flatten)]
    pub of: DraftOf,
    /// When it was written down.
    pub at: String,
    /// The fields that were changed.
    pub fields: Vec<DraftField>,
}

/// A field of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftField {
    /// Its name in the format.
    pub name: String,
    /// What was there when it was opened.
    pub before: String,
    /// What was typed.
    pub text: String,
}

/// Keeps the draft of a form, durably and whole, in place of the one before.
///
/// # Errors
///
/// If our own data can't be written; the draft before is still there then.
pub fn keep_form(host: Host<'_>, root: &Path, draft: &FormDraft) -> Result<(), CommitError> {
    let vault = Vault::open(host.disk, host.data, root)?;
    let path = vault.folder("drafts")?.join(name_of(&draft.of));
    let bytes = serde_json::to_vec(draft).map_err(|error| CommitError::own_data(&path, error.into()))?;
    vault.write_own_file(&path, &bytes)
}

/// The draft of a memory's form, where there is one that can be read.
pub fn find_form(host: Host<'_>, root: &Path, of: &DraftOf) -> Option<FormDraft> {
    let path = Vault::open_read_only(host.disk, host.data, root).path("drafts").join(name_of(of));
    let (bytes, _) = host.disk.read(&path, 0, None).ok()?;
    serde_json::from_slice::<FormDraft>(&bytes).ok().filter(|draft| draft.of == *of)
}

/// Drops the draft of a memory's form.
///
/// # Errors
///
/// If it is there and can't be removed.
pub fn drop_form(host: Host<'_>, root: &Path, of: &DraftOf) -> Result<(), CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, root);
    let folder = vault.path("drafts");
    vault.drop_own(&folder.join(name_of(of)))?;
    vault.sync(&folder)
}

/// How the names of the drafts of forms begin.
const FORM: &str = "form-";

/// The memory that a file of ours is the draft of.
pub fn draft_of(path: &Path, bytes: &[u8]) -> Option<DraftOf> {
    let name = path.file_name()?.to_str()?;
    let draft = || serde_json::from_slice::<FormDraft>(bytes).ok();
    if name.starts_with(FORM) { Some(draft()?.of) } else { None }
}

/// A short digest: ids are untrusted, and no names of files.
fn name_of(of: &DraftOf) -> String {
    let parts = [of.session.as_deref().unwrap_or_default(), &of.id];
    let bytes = parts.iter().flat_map(|part| part.as_bytes().iter().chain(&[0]));
    format!("{FORM}{:016x}.json", short_digest(bytes))
}

/// Keeps a text that was meant for the store at `root`: where it is. Where our own data can't be
/// written, it goes to the system's temporary files.
///
/// # Errors
///
/// If it can be written neither there nor among the temporary files.
pub fn keep_text(host: Host<'_>, root: &Path, text: &[u8]) -> Result<PathBuf, CommitError> {
    let kept = Vault::open(host.disk, host.data, root).and_then(|vault| vault.draft(text, host.now));
    kept.or_else(|error| temporary(host, text).map_err(|_| error))
}

/// Where a text is, as a sentence.
pub fn draft_kept_note(path: &Path) -> String {
    format!("What you wrote is kept in {}.", path.to_text())
}

/// Why it is nowhere, as a sentence.
pub fn draft_lost_note(error: &CommitError) -> String {
    format!("What you wrote could not be kept: {error}")
}

fn temporary(host: Host<'_>, text: &[u8]) -> io::Result<PathBuf> {
    let name = format!("palimp-draft-{}.md", &hex(&host.machine.random())[..16]);
    let path = std::env::temp_dir().join(name);
    write_synced(host.disk, &path, PRIVATE_MODE, text).map(|()| path)
}
