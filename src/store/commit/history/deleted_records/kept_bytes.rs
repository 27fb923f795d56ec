//! Bytes of files that undo data and backups keep.

use crate::format::record_reader::Reading;
use crate::model::Act;
use crate::model::Change;
use crate::model::Document;
use crate::model::Moment;
use crate::model::Role;
use crate::model::Store;
use crate::model::is_log;
use crate::model::path_text::DELETED_ROOT;
use crate::model::path_text::deleted_from;
use std::path::Path;
use std::path::PathBuf;

/// The verbs that take records out of their files for good. What others replaced or moved is there
/// in another shape.
pub const DELETING_VERBS: [&str; 3] = ["delete", "session delete", "compact"];

/// Bytes that a file of the store had.
pub struct KeptBytes {
    pub(super) at: Option<Moment>,
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) kept: KeptFrom,
}

/// Where bytes are kept from.
#[derive(Clone, Copy, PartialEq)]
pub enum KeptFrom {
    /// Records were deleted by that step.
    Deletion(u64),
    /// Something else was done with them.
    Change,
    /// The file was copied.
    Backup,
}

/// What a file had before the step that this takes back: lines of a log, or all of another file.
pub fn before(change: &Change) -> Option<Vec<u8>> {
    match &change.act {
        Act::Create(bytes) => Some(bytes.to_vec()),
        Act::Splice(splices) if is_log(&change.path) => {
            Some(splices.iter().flat_map(|own| own.becomes.iter().copied()).collect())
        }
        _ => None,
    }
}

/// The session that a file is in, or was.
pub fn session_of(store: &Store, path: &Path) -> Option<u32> {
    let folder = |path: &'_ Path| deleted_from(path).unwrap_or(path).to_owned();
    let at = store.sessions.iter().position(|session| path.starts_with(folder(&session.path)))?;
    u32::try_from(at).ok()
}

/// A document of what was found. It is no file of the store: nothing is derived from it, and nothing
/// counts it.
pub fn document(path: PathBuf, bytes: Vec<u8>, reading: Reading) -> Document {
    let own = Document::of_bytes(Path::new(DELETED_ROOT).join(path), Role::Other, bytes);
    Document { records: reading.records, problems: reading.problems, ..own }
}
