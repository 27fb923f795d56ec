//! Sets a field of records to a value: importance, type, category.

use super::{Progress, Refusal, WriteContext, is_json, writes};
use crate::format::writing::Operation;
use crate::model::{Entry, Plan};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans to set the importance of a record.
pub fn importance(context: &WriteContext<'_>, entry: &Entry, value: f64) -> Result<Plan, Refusal> {
    importances(context, &[*entry], value, &Progress::default())
}

/// Plans to set the importance of records.
pub fn importances(
    context: &WriteContext<'_>,
    entries: &[Entry],
    value: f64,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(context.store)?;
    super::edit::each(context, entries, progress, &|entry| {
        let kind = context.store.view(entry).map_or("", |view| view.kind);
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
        may_set(context, entry, field)?;
        Ok(vec![(field.to_owned(), value.to_owned())])
    })
}

/// Refuses a field that the record has no place for: a value there would mean nothing.
fn may_set(context: &WriteContext<'_>, entry: &Entry, field: &str) -> Result<(), Refusal> {
    let (format, writes) = writes(context.store)?;
    let kind = context.store.view(entry).map_or("", |view| view.kind);
    if field != "type" {
        let message = || Refusal::unfit(format!("memories of the type {kind:?} have no {field} here."));
        return if writes.has_word(kind, field) { Ok(()) } else { Err(message()) };
    }
    let mut tape = Tape::default();
    let is_own = writes.allows(Operation::SetType, &context.store.document(entry).path).is_ok()
        && is_json(format, context.store, entry)
        && scan(&mut tape, &context.store.raw(entry))?.get("type").is_some_and(|own| own.is_text(kind));
    match is_own {
        true => Ok(()),
        false => Err(Refusal::unfit(
            "its type is not a field here: it follows from the file that the memory is in.",
        )),
    }
}
