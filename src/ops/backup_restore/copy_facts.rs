//! Facts about a copy besides its bytes: when it was made, and what was erased and deleted.

use std::sync::Arc;

use super::super::erase::ErasedRecords;
use crate::model::{BackupCopy, Moment, Store};
use crate::store::commit::{CommitError, Deletions, Vault};

/// Facts about a copy besides its bytes.
#[derive(Default)]
pub struct CopyFacts {
    /// The records that were erased from the store.
    pub gone: ErasedRecords,
    /// The records that were deleted and not restored since.
    pub deleted: Arc<Deletions>,
    /// When the copy was made.
    pub at: Option<Moment>,
    /// True if the copy was longer when it was made.
    pub is_cut: bool,
}

impl CopyFacts {
    /// Reads the facts from palimp's data.
    ///
    /// # Errors
    ///
    /// If palimp's data can't be read. Without it, erased memories could be restored.
    pub fn of(
        store: &Store,
        vault: &Vault<'_>,
        copy: (&BackupCopy, &[u8]),
        now: Moment,
    ) -> Result<CopyFacts, CommitError> {
        CopyFacts::with(store, vault, copy, Arc::new(Deletions::of(vault, store, now)?))
    }

    /// Like [`CopyFacts::of`], with deletions that are known.
    ///
    /// # Errors
    ///
    /// As [`CopyFacts::of`].
    pub fn with(
        store: &Store,
        vault: &Vault<'_>,
        (copy, bytes): (&BackupCopy, &[u8]),
        deleted: Arc<Deletions>,
    ) -> Result<CopyFacts, CommitError> {
        Ok(CopyFacts {
            gone: ErasedRecords::out_of(store, vault, copy)?,
            deleted,
            at: copy.at,
            is_cut: copy.made.is_some_and(|(_, len)| len > bytes.len() as u64),
        })
    }

    /// True if a step was made after the copy, or one of the two times is unknown.
    pub fn is_since(&self, step: u64) -> bool {
        match (self.deleted.at(step), self.at) {
            (Some(own), Some(copy)) => own >= copy,
            _ => true,
        }
    }
}
