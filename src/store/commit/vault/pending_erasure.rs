//! The entry that says that an erasure began: the next start finishes it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{FileLine, Vault};
use crate::store::commit::CommitError;
use crate::store::erase::ErasureTarget;

pub const ERASING: &str = "erasing.json";
/// An erasure that has begun. It holds no content, and stays until the search is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingErasure {
    /// The step's number.
    pub step: u64,
    /// The process that began it.
    #[serde(default)]
    pub process: Option<i32>,
    /// When it began.
    pub at: String,
    /// Why, as a code.
    pub reason: String,
    /// What is erased.
    pub records: Vec<ErasureTarget>,
    /// The files that it changes.
    pub files: Vec<FileLine>,
    /// Where something goes with the torn record before it: `file:line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with_torn: Vec<String>,
}

impl Vault<'_> {
    /// The erasure that was cut short, if one was.
    ///
    /// # Errors
    ///
    /// If there is an entry that can't be read: nobody knows then what is still to be erased.
    pub fn erasing(&self) -> Result<Option<PendingErasure>, CommitError> {
        let path = self.path(ERASING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| CommitError::unread(&path, error.into()))
    }

    /// Says that an erasure has begun, durably.
    ///
    /// # Errors
    ///
    /// If our own data can't be written.
    pub fn begin_erasing(&self, entry: &PendingErasure) -> Result<(), CommitError> {
        let path = self.path(ERASING);
        // An erasure that was refused must not be started by the next start.
        self.write_own_file(&path, &json(entry)?).inspect_err(|_| drop(self.drop_own(&path)))
    }

    /// Says that it is over, durably.
    ///
    /// # Errors
    ///
    /// If our own data can't be written.
    pub fn end_erasing(&self) -> Result<(), CommitError> {
        self.drop_own(&self.path(ERASING))?;
        self.sync(&self.path(""))
    }
}

pub fn json(value: &impl Serialize) -> Result<Vec<u8>, CommitError> {
    serde_json::to_vec(value).map_err(|error| CommitError::own_data(Path::new(ERASING), error.into()))
}
