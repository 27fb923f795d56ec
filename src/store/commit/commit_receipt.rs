//! The outcome of a change.

use crate::model::Plan;

/// What a change came to.
#[derive(Clone, Debug)]
pub struct CommitReceipt {
    /// The step's number: `undo` takes it.
    pub step: u64,
    /// What went otherwise than it was shown: lines that others had added, and the like.
    pub notes: Vec<String>,
    /// Whether the journal has it. Where the system failed at that, the next start writes it
    /// down; a note says so.
    pub is_journalled: bool,
    /// Whether indexes and counts wait to be rebuilt.
    pub waits: bool,
    /// The plan that was carried out: not the one that was shown, where that was made anew.
    pub plan: Plan,
}
