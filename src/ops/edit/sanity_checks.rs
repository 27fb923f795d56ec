//! Checks beyond the schema: a memory keeps a text, and field names look right.

use std::path::Path;

use strsim::osa_distance;

use super::EditResult;
use crate::format::{self, Format, RecordSyntax};
use crate::model::{Entry, Store};
use crate::ops::form::edit_form;
use crate::ops::{FieldAssignment, Refusal, Result, WriteContext, is_json, writes};
use crate::store::derived_files;
use crate::text::front_matter::Note;
use crate::text::json_edit::{Tape, scan, value_at};

/// Longer field names are not compared.
const LONGEST: usize = 128;

/// Refuses an edit that removes the main text in any way.
pub(super) fn require_text(
    context: &WriteContext<'_>,
    entry: &Entry,
    set: &[FieldAssignment<'_>],
    made: &EditResult,
) -> Result<()> {
    let store = context.store;
    let (format, _) = writes(store)?;
    let main = main_field(format, store, entry);
    let is_main = |name: &str| name == "text" || main == Some(name);
    let says = || format::text_of(store, entry).text;
    if let Some(own) = set.iter().find(|own| is_main(own.name) && own.value.trim().is_empty())
        && !says().raw().trim().is_empty()
    {
        let why = "is the text of the memory and can't be empty. `palimp delete` deletes a memory.";
        return Err(Refusal::invalid(format!("`{}` {why}", own.name)));
    }
    let path = &store.document(entry).path;
    if says_nothing(format, path, &store.raw(entry)) || !after(context, entry, made) {
        return Ok(());
    }
    let names: Vec<String> = set.iter().map(|own| format!("`{}`", own.name)).collect();
    let why = "would leave the memory without a text. `palimp delete` deletes a memory.";
    Err(Refusal::invalid(format!("{} {why}", names.join(", "))))
}

/// True if the record has no main text after the edit.
fn after(context: &WriteContext<'_>, entry: &Entry, made: &EditResult) -> bool {
    let Ok((format, _)) = writes(context.store) else { return false };
    let path = &context.store.document(entry).path;
    let changes = match made {
        EditResult::Record(raw) => return says_nothing(format, path, raw),
        EditResult::Files(changes) => changes,
    };
    let documents = derived_files::documents_after(context.store, changes, context.now);
    let own = documents.iter().find(|own| own.path == *path);
    let record = own.and_then(|own| Some((own, own.records.get(entry.record as usize)?)));
    record.is_some_and(|(own, record)| says_nothing(format, path, &own.raw(record)))
}

/// True if a record has no main text. If no field holds it, `main_text` returns the whole record.
fn says_nothing(format: &'static dyn Format, path: &Path, raw: &[u8]) -> bool {
    let mut tape = Tape::default();
    let value = scan(&mut tape, raw).ok().filter(|_| format.syntax(path) == RecordSyntax::Json);
    let Some(value) = value else { return format::main_text(format, path, raw).trim().is_empty() };
    let (text, fields) = format.main_text(value);
    text.trim().is_empty() || fields.is_empty() && text.starts_with('{')
}

/// Returns notices about fields that neither the format nor the record knows, and whose names are
/// close to a known name. A schema allows more members, so these are no reason to refuse.
pub(super) fn misspelt(
    context: &WriteContext<'_>,
    entry: &Entry,
    set: &[FieldAssignment<'_>],
) -> Vec<String> {
    let may_be_new = |own: &&FieldAssignment<'_>| own.name != "text" && own.name.len() <= LONGEST;
    let new = set.iter().filter(may_be_new).filter_map(|own| new_name(context, entry, own.name));
    let new: Vec<String> = new.collect();
    // Most edits set existing fields. The form is made only for new ones.
    let form = (!new.is_empty()).then(|| edit_form::form(context.store, entry, context.now));
    let Some(Ok(form)) = form else { return Vec::new() };
    let known: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let told = new.into_iter().filter_map(|name| {
        let is_above = |known: &&str| known.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('.'));
        if known.iter().any(|known| *known == name || is_above(known)) {
            return None;
        }
        let near = known.iter().map(|known| (osa_distance(known, &name), known));
        let (_, meant) = near.filter(|(far, known)| is_near(*far, known)).min()?;
        Some(format!("new field {name}; did you mean {meant}?"))
    });
    told.collect()
}

/// Returns the full name of a field that the record lacks; `None` if the record has the field.
fn new_name(context: &WriteContext<'_>, entry: &Entry, name: &str) -> Option<String> {
    let raw = context.store.raw(entry);
    if !is_json(context.store, entry) {
        let text = String::from_utf8_lossy(&raw);
        return Note::read(&text).field(name).is_none().then(|| name.to_owned());
    }
    let mut tape = Tape::default();
    let value = scan(&mut tape, &raw).ok()?;
    let steps: Vec<&str> = name.split('.').collect();
    value_at(value, &steps).is_none().then(|| name.to_owned())
}

/// True for one or two wrong letters. In a short name, two wrong letters make another word.
fn is_near(distance: usize, name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).chars().count();
    distance == 1 && last > 2 || distance == 2 && last > 4
}

fn main_field(format: &dyn Format, store: &Store, entry: &Entry) -> Option<&'static str> {
    if !is_json(store, entry) {
        return None;
    }
    let mut tape = Tape::default();
    let raw = store.raw(entry);
    let value = scan(&mut tape, &raw).ok()?;
    format.main_text(value).1.first().copied()
}
