//! Prompts for one value that memories get. The row of an action in `action.rs` says what its prompt asks.

use crate::model::{Entry, EntryRef, Snapshot, Store, StoredMemory};
use crate::ops::{self, Operation, Refusal};
use crate::query::Facets;
use crate::usecase::ChangeCommand;

/// A prompt for a value of memories.
pub struct ValuePrompt {
    /// The title; the name of the memories follows it.
    pub title: &'static str,
    pub form: &'static str,
    /// Returns the words that Tab completes, from the search and from the stores of the memories.
    pub words: fn(&Facets, &Snapshot, &[EntryRef]) -> Vec<String>,
    /// Checks that a memory can get another value.
    pub may: fn(&Store, &Entry) -> Result<(), Refusal>,
    /// Returns the present value of a memory. Untrusted text.
    pub now: fn(&Store, &Entry) -> String,
    pub command: fn(&str) -> Result<ChangeCommand, &'static str>,
}

/// Checks that a field of a memory can be set.
pub fn may_edit(store: &Store, entry: &Entry) -> Result<(), Refusal> {
    ops::may(store, entry, Operation::Edit)
}

/// Returns the present value that `of` reads from a memory.
pub fn now(store: &Store, entry: &Entry, of: impl Fn(&StoredMemory) -> String) -> String {
    store.memory(entry).map(|view| format!("now  {}", of(view))).unwrap_or_default()
}
