//! What is derived and could not be made anew yet: the files that it is made of, named in our
//! own data before the journal says that their change is over.

use std::path::PathBuf;

use super::undo_step::path_of;
use crate::store::commit::{CommitError, Vault};

pub const PENDING: &str = "derive.json";

impl Vault<'_> {
    /// The files of which derived ones are to be made anew; an empty path means all, where
    /// nobody knows any more which they were.
    ///
    /// # Errors
    ///
    /// If that is written down and can't be read.
    pub fn derive_due_files(&self) -> Result<Vec<PathBuf>, CommitError> {
        let path = self.path(PENDING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(Vec::new()) };
        let Ok(texts) = serde_json::from_slice::<Vec<(String, bool)>>(&bytes) else {
            return Ok(vec![PathBuf::new()]);
        };
        Ok(texts.iter().filter_map(|(text, hex)| path_of(text, *hex)).collect())
    }
}
