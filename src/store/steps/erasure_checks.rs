//! When erasures were checked again, and what was found: JSON lines without content.

use serde::{Deserialize, Serialize};

use super::Vault;
use super::pending_erasure::json_lines;
use crate::store::CommitError;

const FILE: &str = "erasure-checks.jsonl";

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
    pub fn erasure_checks(&self) -> Result<Vec<ErasureCheckLine>, CommitError> {
        self.readable_lines(FILE)
    }

    pub fn keep_erasure_checks(&self, lines: Vec<ErasureCheckLine>) -> Result<(), CommitError> {
        let mut all = self.erasure_checks()?;
        all.extend(lines);
        self.write_own_file(&self.path(FILE), &json_lines(&all)?)
    }
}
