//! When erasures were checked again, and what was found: JSON lines without content.

use serde::{Deserialize, Serialize};

use super::Vault;
use crate::store::commit::CommitError;

const FILE: &str = "erasure-checks.jsonl";
/// The most checks that are kept. The oldest go first.
const MOST: usize = 1_000;

/// A later check of erasures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureCheckLine {
    /// When it was made.
    pub at: String,
    /// The step of the erasure.
    pub step: u64,
    /// The number of places where something was found.
    pub found: usize,
    /// True if everything could be searched.
    pub complete: bool,
}

impl Vault<'_> {
    /// Returns the checks, oldest first. A line that can't be read is left out.
    ///
    /// # Errors
    ///
    /// If the file is there and can't be read.
    pub fn erasure_checks(&self) -> Result<Vec<ErasureCheckLine>, CommitError> {
        let bytes = self.read_own_file(&self.path(FILE))?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Keeps checks.
    ///
    /// # Errors
    ///
    /// If palimp's own data can't be read or written.
    pub fn keep_erasure_checks(&self, lines: Vec<ErasureCheckLine>) -> Result<(), CommitError> {
        let mut all = self.erasure_checks()?;
        all.extend(lines);
        let from = all.len().saturating_sub(MOST);
        let mut bytes = Vec::new();
        for own in &all[from..] {
            bytes.extend(
                serde_json::to_vec(own)
                    .map_err(|error| CommitError::unread(&self.path(FILE), error.into()))?,
            );
            bytes.push(b'\n');
        }
        self.write_own_file(&self.path(FILE), &bytes)
    }
}
