//! How far a plan was carried out.

use crate::model::Bytes;
use crate::store::commit::ReplaceMethod;
use crate::store::commit::handover::rescue::ReplacedFile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How far a plan was carried out.
#[derive(Default)]
pub struct ApplyProgress {
    /// Whether a file that holds memories has been changed, or may have been.
    pub began: bool,
    /// Whether that is so of one that was there before.
    pub began_there: bool,
    /// Whether that is so of a file that is derived from them.
    pub began_derived: bool,
    /// New files and folders that were made before a lock was taken.
    pub created: Vec<CreatedItem>,
    /// Whether derived files have to be made anew, because files were not as planned.
    pub derive: bool,
    /// Whether others wrote to a file meanwhile.
    pub met_others: bool,
    /// The files that were changed, relative to the root.
    pub touched: Vec<PathBuf>,
    /// Second names of files that were replaced.
    pub replaced: Vec<ReplacedFile>,
    /// What was added to a file, by its whole path, where it cuts a line in two that another began in
    /// that moment.
    pub splitting: Vec<(PathBuf, Vec<u8>)>,
    /// The weakest guard that a file was replaced under.
    pub guard: ReplaceMethod,
    /// What went otherwise than it was shown.
    pub notes: Vec<String>,
    /// What could not be given back to what came back.
    pub lacking: LostAttributes,
    /// The lengths, before and after, of files that others changed since the plan was made.
    pub changed_lens: Vec<(PathBuf, u64, u64)>,
}

/// A new file with its bytes, or a new folder, that was made before a lock was taken.
pub struct CreatedItem {
    pub(super) path: PathBuf,
    pub(super) bytes: Option<Bytes>,
}

/// What could not be given back, with the files and folders that lack it.
pub type LostAttributes = BTreeMap<String, Vec<PathBuf>>;
