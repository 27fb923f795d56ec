//! What a plan does to which memories.

use std::path::PathBuf;

use crate::model::UntrustedText;
use crate::model::key::Key;

/// What happens to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectKind {
    /// It is new, or restored from outside the store.
    Add,
    /// It stays in its file, and is rewritten.
    Change,
    /// It moves to another file, or is packed into it.
    Move,
    /// Its bytes are removed.
    Remove,
    /// A tombstone hides it.
    Delete,
    /// Its tombstone is removed.
    Undelete,
}

impl EffectKind {
    /// Returns the word in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            EffectKind::Add | EffectKind::Undelete => "add",
            EffectKind::Change => "change",
            EffectKind::Move => "move",
            EffectKind::Remove | EffectKind::Delete => "remove",
        }
    }

    /// True if the bytes of a listed memory go from where they are.
    pub fn takes_bytes(self) -> bool {
        matches!(self, EffectKind::Change | EffectKind::Move | EffectKind::Remove)
    }
}

impl MemoryEffect {
    /// True if there is a memory: a tombstone may name one that is gone.
    pub fn is_of_memory(&self) -> bool {
        self.entry.is_some() || self.kind == EffectKind::Add
    }

    /// Returns what it is about, without what changes if the memory is only used: two plans with the same outlines do the
    /// same to the same memories.
    pub fn outline(&self) -> String {
        format!("{:?}", (self.kind, &self.session, &self.id, &self.id_after, &self.file))
    }

    /// Returns its id, or the key of a memory without an id. Untrusted text.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| self.key.to_string())
    }
}

/// A memory that a plan affects.
#[derive(Clone, Debug)]
pub struct MemoryEffect {
    /// What happens to it.
    pub kind: EffectKind,
    /// Its index in the entries of the store that the plan was made of; `None` if it is not listed there.
    pub entry: Option<u32>,
    /// Its session. Untrusted text.
    pub session: Option<String>,
    /// Its id. Untrusted text.
    pub id: Option<String>,
    /// Its id after the plan, if it stays and gets another. Untrusted text.
    pub id_after: Option<String>,
    /// Its key after the plan, if it stays and gets another.
    pub key_after: Option<Key>,
    /// Its key as it is before the plan; as it is after it, if it is added.
    pub key: Key,
    /// The title of an added memory.
    pub title: Option<UntrustedText>,
    /// The file where it is after the plan, or was before it, relative to the store's root.
    pub file: PathBuf,
}
