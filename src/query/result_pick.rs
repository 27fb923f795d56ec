//! What is picked of the results of a search: listed alone, in an order of its own, and partly marked.

use super::cancel::CancelToken;
use super::rank::Ranking;
use super::search::Results;
use crate::model::{EntryRef, Moment, Snapshot};

/// A way to pick.
pub struct ResultPick {
    /// What is listed, in a few words.
    pub title: &'static str,
    /// The heading of the figures of the rows. It is as wide as the figures and a blank.
    pub figure: &'static str,
    /// What is said where nothing is picked.
    pub none: &'static str,
    /// Picks from the results, which are ordered by their rank at that time. `None` if it was cancelled.
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

/// What is known of results that were picked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickSummary {
    /// The figure of each result, with eight columns at most.
    pub figures: Vec<String>,
    /// What is to be marked.
    pub marked: Vec<EntryRef>,
    /// What was found, and what is marked of it.
    pub summary: String,
}
