//! Sets a field of records to a value: importance, type, category.

use super::{Progress, Refusal, WriteContext, is_json, writes};
use crate::model::{Entry, Plan};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Plans to set the importance of a record.
pub fn importance(scene: &WriteContext<'_>, entry: &Entry, value: f64) -> Result<Plan, Refusal> {
    importances(scene, &[*entry], value, &Progress::default())
}

/// Plans to set the importance of records.
pub fn importances(
    scene: &WriteContext<'_>,
    entries: &[Entry],
    value: f64,
    progress: &Progress,
) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    super::edit::each(scene, entries, progress, &|entry| {
        let kind = scene.store.view(entry).map_or("", |view| view.kind);
        let (name, raw) = writes.importance(kind, value).map_err(Refusal::unfit)?;
        Ok(vec![(name.to_owned(), raw.trim_matches('"').to_owned())])
    })
}

/// Plans to set the type or the category of records.
pub fn set_word(
    scene: &WriteContext<'_>,
    entries: &[Entry],
    (field, value): (&'static str, &str),
    progress: &Progress,
) -> Result<Plan, Refusal> {
    super::edit::each(scene, entries, progress, &|entry| {
        may_set(scene, entry, field)?;
        Ok(vec![(field.to_owned(), value.to_owned())])
    })
}

/// Refuses a field that the record has no place for: a value there would mean nothing.
fn may_set(scene: &WriteContext<'_>, entry: &Entry, field: &str) -> Result<(), Refusal> {
    let (format, writes) = writes(scene.store)?;
    let kind = scene.store.view(entry).map_or("", |view| view.kind);
    if field != "type" {
        return writes.may_set(kind, field).map_err(Refusal::unfit);
    }
    let mut tape = Tape::default();
    let is_own = !writes.types_by_file()
        && is_json(format, scene.store, entry)
        && scan(&mut tape, &scene.store.raw(entry))?.get("type").is_some_and(|own| own.is_text(kind));
    match is_own {
        true => Ok(()),
        false => Err(Refusal::unfit(
            "its type is not a field here: it follows from the file that the memory is in.",
        )),
    }
}
