//! The outcome of a change.

use crate::model::Plan;

/// The outcome of a change, with notes for the user.
#[derive(Clone, Debug)]
pub struct CommitReceipt {
    /// The step's number, which `undo` takes.
    pub step: u64,
    /// Differences from what was shown, such as lines that others added.
    pub notes: Vec<String>,
    /// True if the journal has the step. If not, a note says so, and the next start adds it.
    pub is_journalled: bool,
    /// True if indexes and counts are still to be rebuilt.
    pub waits: bool,
    /// The plan that was carried out. It differs from the shown one if that was made again.
    pub plan: Plan,
}
