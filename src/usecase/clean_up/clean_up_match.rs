//! What a clean-up takes, and what it leaves.

use std::collections::BTreeSet;

use super::near_copies::NearCopy;
use super::rule::CleanUpRule;
use crate::model::{EntryRef, ProviderKeys};
use crate::query::{QueryError, SavedQueryRefusal};
use crate::store::erase::SecretValues;
use crate::usecase::{ChangeFailure, HiddenValues};

/// What happens to the memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CleanUpAction {
    /// They are erased everywhere, for good.
    #[default]
    Erase,
    /// They are deleted. That can be undone for 30 days.
    Delete,
    /// They stay, and the values are taken out of them and of every copy, for good.
    TakeOut,
}

/// What to forget, and what was chosen by hand.
#[derive(Clone, Default)]
pub struct CleanUpRequest {
    /// What it is about.
    pub rule: CleanUpRule,
    /// Values, which no rule has.
    pub values: Vec<String>,
    /// The text of the list of names.
    pub names: Option<String>,
    /// Memories that stay, though they fit.
    pub except: BTreeSet<EntryRef>,
    /// Memories that go, though they do not fit: near-copies.
    pub with: BTreeSet<EntryRef>,
    /// What happens to the memories.
    pub action: CleanUpAction,
}

impl CleanUpRequest {
    /// True if only words, a topic or a query say what fits: then equal texts go, and pinned memories stay.
    pub fn is_by_words(&self) -> bool {
        !self.has_values() && self.names.is_none()
    }

    /// True if values or kinds of them say what fits: they can be taken out of memories that stay.
    pub fn has_values(&self) -> bool {
        !self.values.is_empty() || !self.rule.kinds.is_empty()
    }
}

/// What a clean-up takes, and what it leaves.
#[derive(Debug, Default)]
pub struct CleanUpMatch {
    /// The memories that go, in the order of the snapshot.
    pub at: Vec<EntryRef>,
    /// Memories that stay and say the same or nearly so, or hold a part of a value.
    pub near_copies: Vec<NearCopy>,
    /// Memories that stay, because they are pinned.
    pub pinned: Vec<EntryRef>,
    /// Memories that hold a value and do not fit otherwise.
    pub holders: Vec<EntryRef>,
    /// The values that are erased wherever they are.
    pub values: SecretValues,
    /// All values that are asked for, and parts of keys among them. None of them is shown.
    pub hidden: HiddenValues,
    /// The number of values that stay where other memories hold them: short ones, common ones, and those of memories
    /// that stay.
    pub values_left: usize,
    /// What is not known of the times of memories, if a time is asked for.
    pub time_notes: Vec<String>,
    /// The words and phrases to search for beside the stores.
    pub words: Vec<String>,
    /// The keys that their providers must replace.
    pub rotate: Vec<ProviderKeys>,
}

/// Why nothing was found out.
#[derive(Debug)]
pub enum CleanUpError {
    /// Nothing is named. That never means everything.
    Empty,
    /// The query or a time can't be understood.
    Query(QueryError),
    /// A saved query of the store is not run.
    Saved(SavedQueryRefusal),
    /// A value is no secret of a few memories, or a list has no name. The sentence says which.
    Value(String),
    /// The change is refused.
    Change(ChangeFailure),
    /// It was stopped.
    Stopped,
}

impl From<ChangeFailure> for CleanUpError {
    fn from(failed: ChangeFailure) -> CleanUpError {
        CleanUpError::Change(failed)
    }
}

impl CleanUpError {
    /// Says why, in a sentence. Untrusted text.
    pub fn told(&self) -> String {
        match self {
            CleanUpError::Empty => "Nothing is named. That never means everything.".into(),
            CleanUpError::Query(error) => format!("It can't be understood: {error}"),
            CleanUpError::Saved(_) => "A saved query of a store can't be run here.".into(),
            CleanUpError::Value(why) => format!("Refused: {why}"),
            CleanUpError::Change(failed) => failed.message.clone(),
            CleanUpError::Stopped => "It was stopped. Nothing was changed.".into(),
        }
    }
}
