//! The right to change a store, and what can be done with it.

use crate::store::commit::derive::derive_files;
use crate::store::commit::history::{restore_backup, undo_redo};
use std::borrow::Cow;

use super::handover::rescue;
use super::{CommitContext, CommitError, Vault, VaultState, commit_plan, scrub};
use crate::disk::Flock;
use crate::format::tuning::StoreTuning;
use crate::model::{CommitReceipt, Plan, Store, UndoRedo};
use crate::store::discovery::Place;
use crate::store::erase::ErasureScope;

/// The right to change a store: no other palimp has it at the same time.
pub struct Writer<'a> {
    pub(super) context: CommitContext<'a>,
    pub(super) rescued: usize,
    pub(super) finished: Option<scrub::ErasureReceipt>,
    pub(super) _own: Option<Box<dyn Flock + 'a>>,
}

impl<'a> Writer<'a> {
    /// Returns our own data about the store.
    pub fn vault(&self) -> &Vault<'a> {
        &self.context.vault
    }

    /// Returns the place of the store that it changes.
    pub fn place(&self) -> &Place {
        &self.context.place
    }

    /// Returns how long it waits for locks, and what is written later.
    pub fn tuning(&self) -> &StoreTuning {
        &self.context.tuning
    }

    /// Returns the number of late lines that opening rescued.
    pub fn rescued(&self) -> usize {
        self.rescued
    }

    /// Returns the receipt of an interrupted erasure that opening finished.
    pub fn finished(&self) -> Option<&scrub::ErasureReceipt> {
        self.finished.as_ref()
    }

    /// Returns what opening found and the user must know. The next receipt has it, too.
    pub fn notes(&self) -> Vec<String> {
        self.context.notes.borrow().clone()
    }

    /// Returns our own data as this process leaves it: [`Writer::open_if_unchanged`] takes it.
    pub fn vault_state(&self) -> Option<VaultState> {
        self.context.vault.state()
    }

    /// Returns the store as it is on disk. Reads it again only if it changed.
    pub fn load(&self) -> Cow<'a, Store> {
        self.context.load()
    }

    /// Carries out a plan. After an error, its [`FilesState`](super::FilesState) says what state the files are in.
    ///
    /// # Errors
    ///
    /// If another program holds the lock, a file changed in the same place since it was read, or the
    /// system refuses a call.
    pub fn commit(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        commit_plan::commit(&self.context, plan, None)
    }

    /// Plans the undo of a step, or of the last one.
    ///
    /// # Errors
    ///
    /// If there is no such step, it is undone already, or its undo data is gone or can't be read.
    pub fn undo(&self, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        undo_redo::undo(&self.context, step)
    }

    /// Plans the redo of a step, or of the last one that was undone.
    ///
    /// # Errors
    ///
    /// If there is no such step, it is not undone, or its undo data is gone or can't be read.
    pub fn redo(&self, step: Option<u64>) -> Result<(Plan, UndoRedo), CommitError> {
        undo_redo::redo(&self.context, step)
    }

    /// Carries out what [`Writer::undo`] or [`Writer::redo`] planned.
    ///
    /// # Errors
    ///
    /// As [`Writer::commit`], and if the step was undone or redone since.
    pub fn commit_undo_redo(&self, plan: &Plan, turn: UndoRedo) -> Result<CommitReceipt, CommitError> {
        // The plan was made and shown before this writer excluded other palimps.
        undo_redo::check_reversal(&self.context, plan, turn)?;
        commit_plan::commit(&self.context, plan, Some(turn))
            .map_err(|error| undo_redo::after_own_steps(&self.context, plan, turn, error))
    }

    /// Carries out a plan that restores from a backup. A file that it changes is copied first.
    ///
    /// # Errors
    ///
    /// As [`Writer::commit`], and if other programs restored the same in between.
    pub fn restore(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        restore_backup::restore(&self.context, plan)
    }

    /// Erases by the plan that was shown. After an error, its [`FilesState`](super::FilesState) says what
    /// state the files are in; the next start finishes an erasure that began.
    ///
    /// # Errors
    ///
    /// If another program holds the lock, a file is not as it was shown, or the system refuses a call.
    pub fn erase(
        &self,
        plan: &Plan,
        scope: ErasureScope<'_>,
        reason: &str,
    ) -> Result<scrub::ErasureReceipt, CommitError> {
        scrub::erase(&self.context, plan, scope, reason)
    }

    /// Rebuilds what is due, even while others write. False if something can't be read or keeps changing.
    pub fn derive_due(&self) -> bool {
        derive_files::derive_due(&self.context)
    }
}

impl Drop for Writer<'_> {
    /// Looks once more for late lines in the files that were replaced.
    fn drop(&mut self) {
        let late = rescue::rescue_own(&self.context);
        if !late.is_empty() {
            derive_files::derive_touched(&self.context, &late, "rescue");
        }
    }
}
