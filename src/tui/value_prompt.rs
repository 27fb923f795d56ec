//! Prompts for one value that memories get: importance, type, category. The row of an action in `action.rs` says what its
//! prompt asks.

use std::sync::Arc;

use crate::model::{Entry, EntryRef, Snapshot, Store, StoredMemory};
use crate::ops::set_field::{SetImportance, SetWord, WordField, may_set};
use crate::ops::{self, Operation, Refusal};
use crate::query::Facets;
use crate::usecase::Command;

pub struct ValuePrompt {
    /// The title; the name of the memories follows it.
    pub title: &'static str,
    pub form: &'static str,
    /// Returns the words that Tab completes, from the search and from the stores of the memories.
    pub words: fn(&Facets, &Snapshot, &[EntryRef]) -> Vec<String>,
    /// Checks that a memory can get another value.
    pub may: fn(&Store, &Entry) -> Result<(), Refusal>,
    /// Untrusted text.
    pub now: fn(&Store, &Entry) -> String,
    pub command: fn(&str) -> Result<Arc<dyn Command>, &'static str>,
}

pub fn may_edit(store: &Store, entry: &Entry) -> Result<(), Refusal> {
    ops::may(store, entry, Operation::Edit)
}

/// Returns the value of a field that a search can filter by.
pub fn field<'a>(memory: &'a StoredMemory, name: &str) -> Option<&'a str> {
    memory.facets().find(|(own, _)| *own == name).map(|(_, value)| value)
}

pub fn now(store: &Store, entry: &Entry, of: impl Fn(&StoredMemory) -> String) -> String {
    store.memory(entry).map(|view| format!("now  {}", of(view))).unwrap_or_default()
}

pub const IMPORTANCE: ValuePrompt = ValuePrompt {
    title: "Importance of",
    form: "0 to 1, or high, medium, low",
    words: |_, _, _| Vec::new(),
    may: |store, entry| may_set(store, entry, "importance"),
    now: |store, entry| now(store, entry, |view| format!("{:.2}", view.importance)),
    command: importance,
};

fn importance(text: &str) -> Result<Arc<dyn Command>, &'static str> {
    let number = match text.trim() {
        "high" => Some(0.9),
        "medium" => Some(0.6),
        "low" => Some(0.3),
        text => text.parse().ok().filter(|number| (0.0..=1.0).contains(number)),
    };
    match number {
        Some(number) => Ok(Arc::new(SetImportance(number))),
        None => Err("The importance is a number from 0 to 1, or high, medium, low."),
    }
}

pub const TYPE: ValuePrompt = ValuePrompt {
    title: "Type of",
    form: "",
    words: |facets, _, _| first(&facets.types),
    may: |store, entry| may_set(store, entry, "type"),
    now: |store, entry| now(store, entry, |view| view.kind().to_owned()),
    command: |text| Ok(set(WordField::Type, text)),
};

pub const CATEGORY: ValuePrompt = ValuePrompt {
    title: "Category of",
    form: "",
    words: |facets, _, _| {
        let own = facets.fields.iter().find(|(name, _)| *name == "category");
        own.map(|(_, values)| first(values)).unwrap_or_default()
    },
    may: |store, entry| may_set(store, entry, "category"),
    now: |store, entry| now(store, entry, |view| field(view, "category").unwrap_or("none").to_owned()),
    command: |text| Ok(set(WordField::Category, text)),
};

fn first(counted: &[(String, usize)]) -> Vec<String> {
    counted.iter().map(|(word, _)| word.clone()).collect()
}

fn set(field: WordField, text: &str) -> Arc<dyn Command> {
    Arc::new(SetWord { field, value: text.trim().to_owned() })
}
