//! What was asked for, and by whom.

use std::path::PathBuf;
use std::sync::Arc;

use super::command::ChangeCommand;
use crate::model::{EntryRef, Moment, Snapshot};
use crate::ops::Progress;

/// Who asks, and what is to become of memories that it can't be done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// A screen: what can't be changed is left out, and every memory is shown by its line.
    Screen,
    /// A verb that names records: all of them can be changed, or none is.
    Ids,
    /// A verb with a query: what can't be changed is left out, unless that is all.
    Query,
}

/// A change that the user asked for.
#[derive(Clone)]
pub struct ChangeRequest {
    /// The stores as the user saw them.
    pub snapshot: Arc<Snapshot>,
    /// The entries, in the order of the list. Empty for actions on stores, and for undo and redo.
    pub at: Vec<EntryRef>,
    /// Who asks.
    pub by: Requester,
    /// Others that were shown beside them and stay: that those are there may be why these go.
    pub beside: Vec<EntryRef>,
    /// What they are called. Untrusted text.
    pub name: String,
    /// Those of them that the filter hides, ascending.
    pub hidden: Vec<EntryRef>,
    /// How far it is, for whoever waits.
    pub progress: Arc<Progress>,
    /// What is to be done.
    pub command: ChangeCommand,
    /// The folder of our own data.
    pub data: PathBuf,
    /// The time.
    pub now: Moment,
}

impl ChangeRequest {
    /// A change of no memories, or of those that are named then.
    pub fn new(
        snapshot: Arc<Snapshot>,
        by: Requester,
        wanted: ChangeCommand,
        data: PathBuf,
        now: Moment,
    ) -> ChangeRequest {
        let (at, beside, name, hidden, progress) = Default::default();
        ChangeRequest { snapshot, at, by, beside, name, hidden, progress, command: wanted, data, now }
    }

    /// Whether the filter hides a memory that it is about.
    pub fn is_hidden(&self, at: EntryRef) -> bool {
        self.hidden.binary_search(&at).is_ok()
    }
}
