//! What was asked for, and by whom.

use std::path::PathBuf;
use std::sync::Arc;

use super::hidden_values::HiddenValues;
use crate::model::{EntryRef, Moment, Snapshot};
use crate::ops::Progress;
use crate::ops::command::Command;
use crate::ops::erase::EraseOptions;
use crate::store::erase::SecretValues;

/// Who asks, and what happens to memories that can't be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// A screen: memories that can't be changed are left out, and every memory is shown with its line.
    Screen,
    /// A verb that names records: either all of them are changed, or none.
    Ids,
    /// A verb with a query: memories that can't be changed are left out, unless these are all.
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
    /// Other memories that were shown beside them and stay. They may be the reason why these go.
    pub beside: Vec<EntryRef>,
    /// The name of what is changed. Untrusted text.
    pub name: String,
    /// The entries that the filter hides, in ascending order.
    pub hidden: Vec<EntryRef>,
    /// The home folder, if what lies beside the stores is searched before an erasure is shown.
    pub home: Option<PathBuf>,
    /// The values that are not shown, though they may be in the memories: those that are erased, or asked for.
    pub hidden_values: Arc<HiddenValues>,
    /// The progress, for those who wait.
    pub progress: Arc<Progress>,
    pub command: Arc<dyn Command>,
    /// The folder of palimp's own data.
    pub data: PathBuf,
    /// The time.
    pub now: Moment,
}

impl ChangeRequest {
    /// Makes a request without memories.
    pub fn new(
        snapshot: Arc<Snapshot>,
        by: Requester,
        command: Arc<dyn Command>,
        data: PathBuf,
        now: Moment,
    ) -> ChangeRequest {
        let (at, beside, name, hidden, home, progress) = Default::default();
        let hidden_values = match command.get::<EraseOptions>() {
            Some(erasure) => Arc::new(HiddenValues::of(&erasure.values, &SecretValues::default())),
            None => Arc::default(),
        };
        Self { snapshot, at, by, beside, name, hidden, home, hidden_values, progress, command, data, now }
    }

    /// True if it erases values: then it is about every store that is open.
    pub fn erases_values(&self) -> bool {
        self.command.get::<EraseOptions>().is_some_and(|erasure| !erasure.values.is_empty())
    }

    /// True if the filter hides a memory of the request.
    pub fn is_hidden(&self, at: EntryRef) -> bool {
        self.hidden.binary_search(&at).is_ok()
    }
}
