//! How far a plan was applied.

use crate::model::Bytes;
use crate::store::commit::apply::LostRace;
use crate::store::commit::handover::second_name::ReplacedFile;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// How far a plan was applied, and what happened.
#[derive(Default)]
pub struct ApplyProgress {
    /// The files with memories that were changed, or may have been, and whether another program's is in their place.
    pub began: HashMap<PathBuf, LostRace>,
    /// True if one of them existed before.
    pub began_there: bool,
    /// The same for a derived file.
    pub began_derived: bool,
    /// New files and folders that were made before a lock was taken.
    pub created: Vec<CreatedItem>,
    /// True if derived files must be rebuilt, because files were not as planned.
    pub derive: bool,
    /// True if other programs wrote to a file at the same time.
    pub met_others: bool,
    /// The changed files, relative to the root.
    pub touched: Vec<PathBuf>,
    /// The second names of replaced files.
    pub replaced: Vec<ReplacedFile>,
    /// Bytes added to a file (full path) that split a line another program was just writing.
    pub splitting: Vec<(PathBuf, Vec<u8>)>,
    /// How the outcome differs from the plan.
    pub notes: Vec<String>,
    /// Owners and modes that restored files and folders did not get back.
    pub lacking: LostOwners,
    /// Lengths, before and after, of files that others changed since the plan was made.
    pub changed_lens: Vec<(PathBuf, u64, u64)>,
}

/// A new file with its bytes, or a new folder, that was made before a lock was taken.
pub struct CreatedItem {
    pub(super) path: PathBuf,
    pub(super) bytes: Option<Bytes>,
}

/// Owners and modes that could not be restored, with the files and folders that lack them.
pub type LostOwners = BTreeMap<String, Vec<PathBuf>>;
