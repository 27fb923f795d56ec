//! A pick from the results of a search: listed alone, in its own order, and partly marked.

use super::cancel::CancelToken;
use super::rank::Ranking;
use crate::model::{EntryRef, Moment, Snapshot};
use crate::query::search_results::Results;

/// A way to pick.
pub struct ResultPick {
    /// The title of the list.
    pub title: &'static str,
    /// The heading of the figures of the rows. It is as wide as the figures and a space.
    pub figure: &'static str,
    /// The message if nothing is picked.
    pub none: &'static str,
    /// Picks from results that are ordered by their rank at that time. `None` if cancelled.
    pub find: fn(&Snapshot, Results, (Ranking, Moment), &CancelToken) -> Option<Results>,
}

impl PartialEq for ResultPick {
    fn eq(&self, other: &ResultPick) -> bool {
        self.title == other.title
    }
}

impl std::fmt::Debug for ResultPick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pick({})", self.title)
    }
}

/// The outcome of a pick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickSummary {
    /// The figure of each result, at most eight columns wide.
    pub figures: Vec<String>,
    /// The entries to mark.
    pub marked: Vec<EntryRef>,
    /// What was found, and what is marked.
    pub summary: String,
}
