//! What a change did, and who is told.

use crate::model::{CommitReceipt, Plan, Store};
use crate::usecase::erasure_report::ErasureReport;
use crate::usecase::failure::HeldLock;
use crate::usecase::planned_change::{PlannedChange, PlannedErasure};

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeReport {
    /// What was done, in a few words. May quote the store.
    pub said: String,
    /// What differs from what was shown.
    pub notes: Vec<String>,
    /// What can follow.
    pub effect: HistoryEffect,
    /// The receipt of an erasure, in lines. May quote the store.
    pub receipt: Vec<String>,
}

/// The effect of a change on undo and redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEffect {
    /// A new step: it can be undone.
    Made,
    /// A step was undone: it can be redone.
    Undone,
    /// A step was redone: it can be undone.
    Redone,
    /// Nothing changed.
    Nothing,
}

/// Observes a change while it is carried out.
pub trait ChangeObserver {
    /// A store is locked. Returns true to break the lock; then palimp tries again.
    fn may_break(&mut self, _: &HeldLock<'_>) -> bool {
        false
    }

    /// A plan was carried out, or had nothing to do. The store is the one that it was made of. Returns false to stop there.
    fn on_written(&mut self, _: &Store, _: &Plan, _: Option<&CommitReceipt>) -> bool {
        true
    }

    /// What was shown of a store was erased. Returns false to stop there.
    fn on_erased(&mut self, _: &PlannedErasure, _: &ErasureReport) -> bool {
        true
    }
}

/// An observer that does nothing.
pub struct SilentObserver;

impl ChangeObserver for SilentObserver {}

/// The outcome of a change.
pub enum ExecuteOutcome {
    /// It was carried out.
    Done(ChangeReport),
    /// Another program changed what it is about, and nothing was written. The plan says what
    /// differs, and has to be confirmed again.
    Stale(Box<PlannedChange>),
}
