//! What can be asked for, what it is called, and of which memories it can be had.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{Entry, State, Store};
use crate::ops::{self, Deed, Refusal};
use crate::store::commit::{Copy, Turn};

/// What is to come back of a copy of a file.
#[derive(Clone, PartialEq)]
pub struct Restoring {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The copy.
    pub copy: Copy,
    /// Its bytes, as they were shown.
    pub bytes: Arc<[u8]>,
    /// Where the records start in the copy that come back; the whole file where `None`.
    pub chosen: Option<HashSet<u64>>,
}

impl std::fmt::Debug for Restoring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Restoring({:?}, {:?})", self.copy.path, self.chosen.as_ref().map(HashSet::len))
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
    /// A tag is renamed wherever it is.
    Rename {
        /// What it was called.
        from: String,
        /// What it is called.
        to: String,
    },
    /// The importance is set.
    Importance(f64),
    /// A field that holds a word is set: the type, the category.
    Word {
        /// The field.
        field: &'static str,
        /// What it is to be.
        value: String,
    },
    /// The main text is this.
    Text(String),
    /// It is moved aside.
    Archive,
    /// It is brought back.
    Unarchive,
    /// It is deleted.
    Delete,
    /// Its deletion is undone.
    Undelete,
    /// It goes for good, with every copy.
    Erase,
    /// What a copy of a file has comes back.
    Restore(Restoring),
    /// What is due is done.
    Maintain,
    /// Logs are compacted.
    Compact,
    /// A step of a store, by the store's number, is undone or redone.
    Turn(usize, Turn),
    /// The last step is undone.
    Undo,
    /// What was undone last is redone.
    Redo,
}

impl Wanted {
    /// What is going on while it is done.
    pub fn going_on(&self) -> &'static str {
        self.words()[0]
    }

    /// The verb, as a question has it.
    pub fn verb(&self) -> &'static str {
        self.words()[1]
    }

    /// What was done, once it is.
    pub fn done(&self) -> &'static str {
        self.words()[2]
    }

    /// While it is done, as a question has it, and once it is done.
    fn words(&self) -> [&'static str; 3] {
        match self {
            Wanted::Tag { .. } => ["tagging", "tag", "tagged"],
            Wanted::Rename { .. } => ["renaming a tag of", "rename a tag of", "renamed a tag of"],
            Wanted::Word { field: "type", .. } => {
                ["setting the type of", "set the type of", "set the type of"]
            }
            Wanted::Word { .. } => ["setting the category of", "set the category of", "set the category of"],
            Wanted::Erase => ["erasing", "erase", "erased"],
            Wanted::Importance(_) => {
                ["setting the importance of", "set the importance of", "set the importance of"]
            }
            Wanted::Text(_) => ["saving", "save", "saved"],
            Wanted::Archive => ["archiving", "archive", "archived"],
            Wanted::Unarchive => ["bringing back", "bring back", "brought back"],
            Wanted::Delete => ["deleting", "delete", "deleted"],
            Wanted::Undelete => ["restoring", "restore", "restored"],
            Wanted::Restore(own) if own.chosen.is_none() => {
                ["restoring", "replace the whole of", "replaced the whole of"]
            }
            Wanted::Restore(_) => ["restoring", "restore", "restored"],
            Wanted::Maintain => ["running", "run", "ran"],
            Wanted::Compact => ["compacting", "compact", "compacted"],
            Wanted::Turn(_, Turn::Undo(_)) => ["undoing", "undo", "undid"],
            Wanted::Turn(_, Turn::Redo(_)) => ["redoing", "redo", "redid"],
            Wanted::Undo => ["undoing the last change", "undo", "undid"],
            Wanted::Redo => ["redoing the last change", "redo", "redid"],
        }
    }

    /// Whether it can be done again with other memories.
    pub fn is_repeatable(&self) -> bool {
        match self {
            Wanted::Tag { .. }
            | Wanted::Importance(_)
            | Wanted::Word { .. }
            | Wanted::Archive
            | Wanted::Unarchive
            | Wanted::Delete
            | Wanted::Undelete => true,
            Wanted::Rename { .. }
            | Wanted::Text(_)
            | Wanted::Erase
            | Wanted::Restore(_)
            | Wanted::Maintain
            | Wanted::Compact
            | Wanted::Turn(..)
            | Wanted::Undo
            | Wanted::Redo => false,
        }
    }

    /// Whether it is about the memory as it was seen, even where nothing is asked: what takes it
    /// away, or brings it back.
    pub fn binds(&self) -> bool {
        matches!(self, Wanted::Archive | Wanted::Unarchive | Wanted::Delete | Wanted::Undelete)
    }

    /// Whether its plan counts the memories that it has looked at.
    pub fn is_counted(&self) -> bool {
        matches!(
            self,
            Wanted::Tag { .. } | Wanted::Rename { .. } | Wanted::Importance(_) | Wanted::Word { .. }
        )
    }

    /// Whether it can be done with that memory. A plan can still be refused.
    pub fn may(&self, store: &Store, entry: &Entry) -> Result<(), Refusal> {
        let deed = match self {
            Wanted::Tag { .. } | Wanted::Rename { .. } => Deed::Tag,
            Wanted::Importance(_) | Wanted::Word { .. } | Wanted::Text(_) => Deed::Edit,
            Wanted::Archive => Deed::Archive,
            Wanted::Delete => Deed::Delete,
            Wanted::Unarchive if entry.state != State::Archived => {
                return Err(Refusal::unfit("only what is archived can be brought back from the archive."));
            }
            Wanted::Undelete if !is_deleted(store, entry) => {
                return Err(Refusal::unfit("only what is deleted can be restored."));
            }
            Wanted::Unarchive
            | Wanted::Undelete
            | Wanted::Erase
            | Wanted::Restore(_)
            | Wanted::Maintain
            | Wanted::Compact
            | Wanted::Turn(..)
            | Wanted::Undo
            | Wanted::Redo => return Ok(()),
        };
        ops::may(store, entry, deed)
    }

    /// What becomes of one memory, in a few words; empty where the verb says it all. Untrusted text.
    pub fn told(&self, store: &Store, entry: &Entry) -> String {
        let Some(view) = store.view(entry) else { return String::new() };
        let has = |tag: &String| view.tags.contains(tag);
        match self {
            Wanted::Tag { add, remove } => {
                let come = add.iter().filter(|tag| !has(tag)).map(|tag| format!("+{tag}"));
                let go = remove.iter().filter(|tag| has(tag)).map(|tag| format!("-{tag}"));
                come.chain(go).collect::<Vec<_>>().join(" ")
            }
            Wanted::Rename { from, to } => format!("{from} → {to}"),
            Wanted::Importance(value) => format!("{:.2} → {value:.2}", view.importance),
            Wanted::Word { field: "type", value } => format!("{} → {value}", view.kind),
            Wanted::Word { value, .. } => {
                format!("{} → {value}", view.topic.unwrap_or("none"))
            }
            _ => String::new(),
        }
    }
}

fn is_deleted(store: &Store, entry: &Entry) -> bool {
    entry.state == State::Deleted || store.view(entry).is_some_and(|view| view.faded)
}
