//! The right to change a store, and what can be done with it.

use crate::store::write::derive::derive_files::derive_touched;
use std::borrow::Cow;
use std::path::PathBuf;

use super::handover::rescue;
use super::scrub::ErasureReceipt;
use super::{CommitContext, CommitError, Vault, commit_plan, sync_each};
use crate::disk::Flock;
use crate::format::tuning::StoreTuning;
use crate::model::{CommitReceipt, Durability, Plan, Store, Verb};

/// The right to change a store: no other palimp has it at the same time.
pub struct Writer<'a> {
    pub(super) context: CommitContext<'a>,
    pub(super) rescued: usize,
    pub(super) finished: Option<ErasureReceipt>,
    pub(super) _own: Option<Box<dyn Flock + 'a>>,
}

impl<'a> Writer<'a> {
    /// Returns our own data about the store.
    pub fn vault(&self) -> &Vault<'a> {
        &self.context.vault
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
    pub fn finished(&self) -> Option<&ErasureReceipt> {
        self.finished.as_ref()
    }

    /// Returns what opening found and the user must know. The next receipt has it, too.
    pub fn notes(&self) -> Vec<String> {
        self.context.notes.borrow().clone()
    }

    /// Returns the store as it is on disk. Reads it again only if it changed.
    pub fn load(&self) -> Cow<'a, Store> {
        self.context.load()
    }

    /// Says when added lines become durable. By default each plan is before [`Writer::commit`] returns.
    pub fn set_durability(&self, durability: Durability) {
        self.context.durability.set(durability);
    }

    /// Returns the files with lines that this writer added and that are not durable yet.
    pub fn not_durable(&self) -> Vec<PathBuf> {
        self.context.not_durable.take()
    }

    /// Makes these files durable, and palimp's own data.
    pub fn make_durable(&self, files: &[PathBuf]) -> Result<(), CommitError> {
        sync_each(self.context.host.disk, files)?;
        self.context.vault.sync_journal()
    }

    /// Carries out a plan. After an error, its [`FilesState`](super::FilesState) says what state the files are in.
    /// Fails if another program holds the lock, a file changed in the same place since it was read, or the system
    /// refuses a call.
    pub fn commit(&self, plan: &Plan) -> Result<CommitReceipt, CommitError> {
        commit_plan::commit(&self.context, plan, None)
    }

    /// Rebuilds what is due, even while others write. False if a file can't be read or kept changing.
    pub fn derive_due(&self) -> bool {
        let context = &self.context;
        context.is_busy.set(false);
        let due = context.vault.derive_due_files();
        due.is_ok_and(|due| due.is_empty() || derive_touched(context, &due, Verb::Reindex))
    }
}

impl Drop for Writer<'_> {
    /// Looks once more for late lines in the files that were replaced.
    fn drop(&mut self) {
        let late = rescue::rescue_own(&self.context);
        if !late.is_empty() {
            derive_touched(&self.context, &late, Verb::Rescue);
        }
    }
}
