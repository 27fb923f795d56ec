//! Sets a field of records to a value: importance, type, category.

use super::{Progress, Refusal, WriteContext, is_json, may, writes};
use crate::format::writing::Operation;
use crate::model::{Entry, Plan, Store};
use crate::text::front_matter::Note;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans to set the importance of records.
pub fn importances(
    context: &WriteContext<'_>,
    entries: &[Entry],
    value: f64,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(context.store)?;
    super::edit::each(context, entries, progress, &|entry| {
        let kind = context.store.memory(entry).map_or("", |memory| memory.kind());
        let (name, raw) = writes.importance(kind, value).map_err(Refusal::unfit)?;
        Ok(vec![(name.to_owned(), raw.trim_matches('"').to_owned())])
    })
}

/// Plans to set the type or the category of records.
pub fn set_word(
    context: &WriteContext<'_>,
    entries: &[Entry],
    (field, value): (&'static str, &str),
    progress: &Progress,
) -> Result<Plan, Refusal> {
    super::edit::each(context, entries, progress, &|entry| {
        may_set(context.store, entry, field)?;
        Ok(vec![(field.to_owned(), value.to_owned())])
    })
}

/// Checks that a record has a place for `importance`, `type` or `category`: a value elsewhere would mean nothing.
pub fn may_set(store: &Store, entry: &Entry, field: &str) -> Result<(), Refusal> {
    may(store, entry, Operation::Edit)?;
    let (format, writes) = writes(store)?;
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
        && is_json(format, store, entry)
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
