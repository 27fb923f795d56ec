//! Sets a field of records to a value: importance, type, category.

use super::edit::each;
use super::{Command, CommandRules, MemoryInput, Operation, Refusal, Result, is_json, may, writes};
use crate::model::{Entry, Plan, Store, StoredMemory};
use crate::text::front_matter::Note;
use crate::text::json_edit::{Tape, scan};

/// Checks that a record has a place for `importance`, `type` or `category`: a value elsewhere would mean nothing.
pub fn may_set(store: &Store, entry: &Entry, field: &str) -> Result<()> {
    may(store, entry, Operation::Edit)?;
    let (_, writes) = writes(store)?;
    let kind = store.memory(entry).map_or("", |memory| memory.kind());
    match field {
        "importance" => return writes.importance(kind, 0.5).map(drop).map_err(Refusal::unfit),
        "type" => {}
        _ if writes.has_word(kind, field) => return Ok(()),
        _ => return Err(Refusal::unfit(format!("memories of the type {kind:?} have no {field} here."))),
    }
    let raw = store.raw(entry);
    let mut tape = Tape::default();
    let is_field = writes.allows(Operation::SetType, &store.document(entry).path).is_ok()
        && is_json(store, entry)
        && scan(&mut tape, &raw)?.get("type").is_some_and(|own| own.is_text(kind));
    if is_field {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&raw);
    let note = Note::read(&text);
    Err(Refusal::unfit(match (note.field("type"), note.field("metadata")) {
        (Some(_), _) => "its type is a line of its front matter: edit that.",
        (None, Some(field)) if text[field.span.clone()].contains("type:") => {
            "its type is `metadata.type` of its front matter, which palimp keeps as it is."
        }
        _ => "its type is not a field here: it follows from the file that the memory is in.",
    }))
}

/// Sets the importance, from 0 to 1.
#[derive(Clone, Debug)]
pub struct SetImportance(pub f64);

impl Command for SetImportance {
    fn rules(&self) -> CommandRules {
        let words = ["setting the importance of", "set the importance of", "set the importance of"];
        CommandRules { words, is_repeatable: true, is_counted: true, ..CommandRules::default() }
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        let store = input.context.store;
        let (_, writes) = writes(store)?;
        each(input, &|entry| {
            let kind = store.memory(entry).map_or("", |memory| memory.kind());
            let (name, raw) = writes.importance(kind, self.0).map_err(Refusal::unfit)?;
            Ok(vec![(name.to_owned(), raw.trim_matches('"').to_owned())])
        })
    }

    fn effect_on(&self, _: &Store, _: &Entry, memory: &StoredMemory) -> Option<String> {
        Some(format!("{:.2} → {:.2}", memory.importance, self.0))
    }

    fn new_value(&self) -> Option<String> {
        Some(format!("{:.2}", self.0))
    }
}

/// A field that holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordField {
    Type,
    Category,
}

impl WordField {
    fn name(self) -> &'static str {
        match self {
            WordField::Type => "type",
            WordField::Category => "category",
        }
    }
}

/// Sets the type or the category.
#[derive(Clone, Debug)]
pub struct SetWord {
    pub field: WordField,
    /// The new word.
    pub value: String,
}

impl Command for SetWord {
    fn rules(&self) -> CommandRules {
        let words = match self.field {
            WordField::Type => ["setting the type of", "set the type of", "set the type of"],
            WordField::Category => ["setting the category of", "set the category of", "set the category of"],
        };
        CommandRules { words, is_repeatable: true, is_counted: true, ..CommandRules::default() }
    }

    fn plan_memories(&self, input: &MemoryInput<'_>) -> Result<Plan> {
        let field = self.field.name();
        each(input, &|entry| {
            may_set(input.context.store, entry, field)?;
            Ok(vec![(field.to_owned(), self.value.clone())])
        })
    }

    fn effect_on(&self, _: &Store, _: &Entry, memory: &StoredMemory) -> Option<String> {
        let before = match self.field {
            WordField::Type => memory.kind(),
            WordField::Category => memory.topic().unwrap_or("none"),
        };
        Some(format!("{before} → {}", self.value))
    }

    fn new_value(&self) -> Option<String> {
        Some(self.value.clone())
    }
}
