//! The target of a change, and how palimp finds a memory again in a later state of its store.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{EntryRef, Key, Snapshot};

/// Identifies a memory across states of its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryIdentity {
    pub root: PathBuf,
    pub session: Option<String>,
    pub id: Option<String>,
    pub key: Key,
}

/// The place where the user followed a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailStep {
    pub memory: MemoryIdentity,
    pub query: String,
}

/// The memories of a change, and those `beside` them that stay, as the user saw them.
#[derive(Clone, Default)]
pub struct ChangeTarget {
    pub snapshot: Arc<Snapshot>,
    pub at: Vec<EntryRef>,
    pub beside: Vec<EntryRef>,
    /// The id or place of the only memory, or the number of memories. Untrusted text.
    pub name: String,
    /// The target memories that the filter hides, ascending.
    pub hidden: Vec<EntryRef>,
}

impl ChangeTarget {
    /// Returns the memory if there is exactly one.
    pub fn one(&self) -> Option<EntryRef> {
        match self.at.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}
