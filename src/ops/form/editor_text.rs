//! A record as one text for the user's own editor, and the form values that come back.

use super::{EditForm, FieldKind, FormField, as_settings, at, filled, is_json, of_text};
use crate::format::{self, RecordSyntax};
use crate::model::{Change, Entry, Store};
use crate::ops::edit::{EditResult, after_edit};
use crate::ops::{Refusal, Result, WriteContext};
use crate::text::canonical::indented;
use crate::text::front_matter::Note;
use crate::text::json_edit::{Tape, scan};

/// Returns the record with the form's values, to edit: JSON with one member per line, others as they are.
pub fn record_text(context: &WriteContext<'_>, entry: &Entry, form: &EditForm, values: &[String]) -> String {
    let store = context.store;
    let set = form.settings(values);
    let edited = if set.is_empty() { None } else { after_edit(context, entry, &as_settings(&set)).ok() };
    let raw = match edited {
        Some(EditResult::Record(bytes)) => bytes,
        Some(EditResult::Files(changes)) => in_files(context, entry, &changes),
        None => store.raw(entry).to_vec(),
    };
    let mut tape = Tape::default();
    let is_json = is_json(store, entry);
    let json = is_json.then(|| indented(scan(&mut tape, &raw).ok()?)).flatten();
    json.map_or_else(|| String::from_utf8_lossy(&raw).into_owned(), |json| json + "\n")
}

fn in_files(context: &WriteContext<'_>, entry: &Entry, changes: &[Change]) -> Vec<u8> {
    let document = context.store.document(entry);
    let after = changes.iter().find(|own| own.path == document.path).and_then(Change::after);
    let record = after.and_then(|bytes| {
        let format = format::by_name(context.store.format)?;
        let reading = format.read(document.role, &document.path, &bytes, context.now);
        bytes.get(reading.records.get(entry.record as usize)?.span.range()).map(<[u8]>::to_vec)
    });
    record.unwrap_or_else(|| context.store.raw(entry).to_vec())
}

/// Returns the values of the form's fields from the text that an editor saved.
pub fn values_of(store: &Store, entry: &Entry, form: &EditForm, text: &str) -> Result<Vec<String>> {
    let Some(format) = format::by_name(store.format) else { return Ok(form.values()) };
    if is_json(store, entry) {
        return of_json(&store.raw(entry), form, text);
    }
    let format = Some(format).filter(|own| own.syntax(&store.document(entry).path) == RecordSyntax::Markdown);
    if format.is_some() {
        let note = Note::read(text);
        if let Some((line, why)) = note.faults.first() {
            return Err(Refusal::invalid(format!("line {line} of the front matter: {why}")));
        }
        let unknown = note.fields.iter().find(|own| form.find(own.name).is_none());
        if let Some(own) = unknown {
            return Err(no_place(own.name));
        }
    }
    let read = |field: &FormField| of_text(field.clone(), text, format).value;
    kept(form, form.fields.iter().map(read).collect())
}

fn of_json(raw: &[u8], form: &EditForm, text: &str) -> Result<Vec<String>> {
    let (mut old, mut tape) = (Tape::default(), Tape::default());
    let before = scan(&mut old, raw)?;
    let value = scan(&mut tape, text.as_bytes()).map_err(|_| {
        Refusal::invalid("what was written is not a JSON object: a comma or a quote may be missing.")
    })?;
    for (key, _) in value.members() {
        let name = key.text().unwrap_or_default();
        let within = format!("{name}.");
        let known = |field: &FormField| field.name == name || field.name.starts_with(&within);
        if !form.fields.iter().any(known) {
            return Err(no_place(&name));
        }
    }
    let read = |field: &FormField| {
        let current = at(value, &field.name);
        // A value that is only spelled in another way stays as it is.
        let same =
            |a: crate::text::json::Json<'_>, b: crate::text::json::Json<'_>| indented(a) == indented(b);
        match (at(before, &field.name), current) {
            (Some(a), Some(b)) if same(a, b) => field.value.clone(),
            (None, None) => field.value.clone(),
            (_, current) => filled(FormField { value: String::new(), ..field.clone() }, current).value,
        }
    };
    kept(form, form.fields.iter().map(read).collect())
}

fn no_place(name: &str) -> Refusal {
    Refusal::invalid(format!("the form has no field `{name}`: set it with `palimp edit --set`."))
}

fn kept(form: &EditForm, values: Vec<String>) -> Result<Vec<String>> {
    let changed = form
        .fields
        .iter()
        .zip(&values)
        .find(|(field, value)| matches!(field.kind, FieldKind::Fixed(_)) && field.value != **value);
    match changed {
        Some((FormField { name, kind: FieldKind::Fixed(why), .. }, _)) if name != "checksum" => {
            Err(Refusal::invalid(format!("`{name}` can't be changed here: {why}.")))
        }
        _ => Ok(values),
    }
}
