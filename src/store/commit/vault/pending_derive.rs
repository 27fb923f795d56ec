//! Derived files that could not be rebuilt yet. Our data names their sources before the journal
//! says that the change is over.

use std::path::PathBuf;

use super::undo_step::path_of;
use crate::store::commit::{CommitError, Vault};

pub const PENDING: &str = "derive.json";

impl Vault<'_> {
    /// Returns the files whose derived files are due. An empty path means all: the list is broken.
    ///
    /// # Errors
    ///
    /// If the list exists and can't be read.
    pub fn derive_due_files(&self) -> Result<Vec<PathBuf>, CommitError> {
        let path = self.path(PENDING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(Vec::new()) };
        let Ok(texts) = serde_json::from_slice::<Vec<(String, bool)>>(&bytes) else {
            return Ok(vec![PathBuf::new()]);
        };
        Ok(texts.iter().filter_map(|(text, hex)| path_of(text, *hex)).collect())
    }
}
