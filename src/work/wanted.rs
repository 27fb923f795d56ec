//! What can be asked for, and what it is called.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::store::commit::Turn;

/// What is to come back of a copy of a file.
#[derive(Clone, PartialEq)]
pub struct Restoring {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The file, relative to the store's root.
    pub file: PathBuf,
    /// The copy's bytes, as they were shown.
    pub copy: Arc<[u8]>,
    /// Where the records start in the copy that come back; the whole file where `None`.
    pub chosen: Option<HashSet<u64>>,
}

impl std::fmt::Debug for Restoring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Restoring({:?}, {:?})", self.file, self.chosen.as_ref().map(HashSet::len))
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Tags are added and taken away.
    Tag {
        /// These come.
        add: Vec<String>,
        /// These go.
        remove: Vec<String>,
    },
    /// The importance is set.
    Importance(f64),
    /// The main text is this.
    Text(String),
    /// It is moved aside.
    Archive,
    /// It is brought back.
    Unarchive,
    /// It is deleted.
    Delete,
    /// Its deletion is taken back.
    Undelete,
    /// What a copy of a file has comes back.
    Restore(Restoring),
    /// What is due is done.
    Maintain,
    /// Logs are compacted.
    Compact,
    /// A step of a store, by the store's number, is taken back or done again.
    Turn(usize, Turn),
    /// The last step is taken back.
    Undo,
    /// What was taken back last is done again.
    Redo,
}

impl Wanted {
    /// What is going on while it is done.
    pub fn going_on(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagging",
            Wanted::Importance(_) => "setting the importance of",
            Wanted::Text(_) => "saving",
            Wanted::Archive => "archiving",
            Wanted::Unarchive => "bringing back",
            Wanted::Delete => "deleting",
            Wanted::Undelete => "restoring",
            Wanted::Restore(_) => "restoring",
            Wanted::Maintain => "doing what is due:",
            Wanted::Compact => "compacting",
            Wanted::Turn(_, Turn::Undo(_)) => "taking back",
            Wanted::Turn(_, Turn::Redo(_)) => "doing again",
            Wanted::Undo => "taking back the last change",
            Wanted::Redo => "doing again what was taken back",
        }
    }

    /// The verb, as a question has it.
    pub fn verb(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tag",
            Wanted::Importance(_) => "set the importance of",
            Wanted::Text(_) => "save",
            Wanted::Archive => "archive",
            Wanted::Unarchive => "bring back",
            Wanted::Delete => "delete",
            Wanted::Undelete => "restore",
            Wanted::Restore(own) if own.chosen.is_none() => "replace the whole of",
            Wanted::Restore(_) => "restore",
            Wanted::Maintain => "do",
            Wanted::Compact => "compact",
            Wanted::Turn(_, Turn::Undo(_)) => "undo",
            Wanted::Turn(_, Turn::Redo(_)) => "redo",
            Wanted::Undo => "undo",
            Wanted::Redo => "redo",
        }
    }

    /// What was done, once it is.
    pub fn done(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagged",
            Wanted::Importance(_) => "set the importance of",
            Wanted::Text(_) => "saved",
            Wanted::Archive => "archived",
            Wanted::Unarchive => "brought back",
            Wanted::Delete => "deleted",
            Wanted::Undelete => "restored",
            Wanted::Restore(own) if own.chosen.is_none() => "replaced the whole of",
            Wanted::Restore(_) => "restored",
            Wanted::Maintain => "did",
            Wanted::Compact => "compacted",
            Wanted::Turn(_, Turn::Undo(_)) => "took back",
            Wanted::Turn(_, Turn::Redo(_)) => "did again",
            Wanted::Undo => "took back",
            Wanted::Redo => "did again",
        }
    }
}
