//! What a change is aimed at, and what tells a memory across states of its store.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{EntryRef, Key, Snapshot};

/// What tells a memory across states of its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryIdentity {
    pub root: PathBuf,
    pub session: Option<String>,
    pub id: Option<String>,
    pub key: Key,
}

/// Where a reference was followed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailStep {
    pub memory: MemoryIdentity,
    /// What was searched for.
    pub query: String,
}

/// What a change is aimed at, and what stays `beside` that, as the user saw them.
#[derive(Clone, Default)]
pub struct ChangeTarget {
    pub snapshot: Arc<Snapshot>,
    pub at: Vec<EntryRef>,
    pub beside: Vec<EntryRef>,
    /// The id of the one, or its place; how many they are. Untrusted text.
    pub name: String,
    /// Those of them that the filter hides, ascending.
    pub hidden: Vec<EntryRef>,
}

impl ChangeTarget {
    /// The one that it is aimed at, where it is one.
    pub fn one(&self) -> Option<EntryRef> {
        match self.at.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}
