//! Bytes of files that undo data and backups keep.

use crate::format::record_reader::Reading;
use crate::model::path_text::{DELETED_ROOT, deleted_from};
use crate::model::{Act, Change, Document, Moment, Role, Store, is_log};
use std::path::{Path, PathBuf};

/// The verbs that remove records. After other verbs a record exists in another form.
pub const DELETING_VERBS: [&str; 3] = ["delete", "session delete", "compact"];

/// Former bytes of a file of the store.
pub struct KeptBytes {
    pub(super) at: Option<Moment>,
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) kept: KeptFrom,
}

#[derive(Clone, Copy, PartialEq)]
pub enum KeptFrom {
    /// Undo data of this step, which deleted records.
    Deletion(u64),
    /// Undo data of another change.
    Change,
    Backup,
}

/// Returns the bytes that this undo change restores: a whole file, or lines of a log.
pub fn before(change: &Change) -> Option<Vec<u8>> {
    match &change.act {
        Act::Create(bytes) => Some(bytes.to_vec()),
        Act::Splice(splices) if is_log(&change.path) => {
            Some(splices.iter().flat_map(|own| own.becomes.iter().copied()).collect())
        }
        _ => None,
    }
}

/// Returns the index of the session that a file is or was in.
pub fn session_of(store: &Store, path: &Path) -> Option<u32> {
    let folder = |path: &'_ Path| deleted_from(path).unwrap_or(path).to_owned();
    let at = store.sessions.iter().position(|session| path.starts_with(folder(&session.path)))?;
    u32::try_from(at).ok()
}

/// Returns a document of found records. Nothing is derived from it, and it is not counted.
pub fn document(path: PathBuf, bytes: Vec<u8>, reading: Reading) -> Document {
    let own = Document::of_bytes(Path::new(DELETED_ROOT).join(path), Role::Other, bytes);
    Document { records: reading.records, problems: reading.problems, ..own }
}
