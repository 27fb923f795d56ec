//! Sets fields of the bundle's parts: finds the field, and spells the value as JSON.

use super::canonical_write::value_at;
use super::path_edits::BundleEdit;
use super::{BundleWrite, bundle_path, summary};
use crate::format::agent_memory::bundle::BUNDLE;
use crate::format::agent_memory::{json_shape, main_text};
use crate::format::writing::{ChangesResult, FieldAssignment, Refusal, Result, WriteContext, list};
use crate::model::Entry;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// Returns the changes that set fields of a part, as one canonical write.
pub fn edit(context: &WriteContext<'_>, entry: &Entry, set: &[FieldAssignment<'_>]) -> ChangesResult {
    let state = context.store.document(entry);
    let part = bundle_path(context.store, entry.record as usize)?;
    let mut edits: Vec<(String, String)> = Vec::new();
    for setting in set {
        let raw = context.store.raw(entry);
        let is_text = setting.name == "text";
        let path = match field(&raw, setting.name, &part)? {
            Some(name) => format!("{part}.{name}"),
            None => part.clone(),
        };
        let current = value_at(state, &path);
        if current.is_none() && json_shape::within(&BUNDLE, &path).is_none() {
            return Err(unknown(&path));
        }
        let value = spelled(current.as_deref(), setting.value, is_text);
        if with_value(&value, |_| ()).is_none() {
            return Err(no_json(&path, &part));
        }
        edits.push((path, value));
    }
    if edits.iter().all(|(path, value)| value_at(state, path).is_some_and(|current| is_same(&current, value)))
    {
        return Ok(Vec::new());
    }
    let mut writing = BundleWrite::of(context)?;
    let summary = summary("edited", edits.iter().map(|(path, _)| path.as_str()));
    let edits: Vec<_> = edits.iter().map(|(path, value)| BundleEdit::Set { path, value }).collect();
    writing.canonical(&edits, &summary)?;
    Ok(writing.done())
}

/// Returns the changes that give parts these bytes, as one canonical write.
pub fn replace(context: &WriteContext<'_>, parts: &[(Entry, Vec<u8>)]) -> ChangesResult {
    let mut edits: Vec<(String, String)> = Vec::new();
    for (entry, raw) in parts {
        let path = bundle_path(context.store, entry.record as usize)?;
        let value = String::from_utf8(raw.clone());
        let value = value.map_err(|_| Refusal::corrupt("the state is not UTF-8: repair it first."))?;
        edits.push((path, value));
    }
    let mut writing = BundleWrite::of(context)?;
    let summary = summary("redacted", edits.iter().map(|(path, _)| path.as_str()));
    let edits: Vec<_> = edits.iter().map(|(path, value)| BundleEdit::Set { path, value }).collect();
    // The format's own tool would bring the old texts back from events that it has not recalled yet.
    writing.take_out_of_events(&edits)?;
    writing.canonical(&edits, &summary)?;
    Ok(writing.done())
}

/// Refuses a field that neither the bundle nor the format has.
fn unknown(path: &str) -> Refusal {
    let within = path.rsplit_once('.').map_or("", |(within, _)| within);
    let known = json_shape::names(&BUNDLE, within);
    let known = match known.is_empty() {
        true => String::new(),
        false => format!(" `{within}` has {}.", known.join(", ")),
    };
    Refusal::invalid(format!("The bundle has no `{path}`, and neither has the format.{known}"))
}

/// Refuses a value that is not JSON, because the present value is not text.
fn no_json(path: &str, part: &str) -> Refusal {
    let field = path.strip_prefix(part).map_or(path, |field| field.trim_start_matches('.'));
    Refusal::invalid(format!(
        "The new value of `{path}` is not JSON, and the value that is there is not text. Give JSON, or name what is in it: `{field}.0` is the first of a list."
    ))
}

/// Returns the member that a setting names, with or without the record's own path. Returns `None`
/// if the record itself is the value.
fn field<'n>(record: &[u8], name: &'n str, part: &str) -> Result<Option<&'n str>> {
    let mut tape = Tape::default();
    let record = json_edit::scan(&mut tape, record)?;
    if name == part {
        return Ok(None);
    }
    let name = name.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
    if name != "text" || record.get("text").is_some() {
        return Ok(Some(name));
    }
    let main = main_text::main_text(record).1.first().copied();
    match main.filter(|main| ["summary", "title", "command", "path"].contains(main)) {
        Some(main) => Ok(Some(main)),
        None if record.kind() == JsonKind::String => Ok(None),
        None => Err(Refusal::invalid("it has no text of its own: name the field to set.")),
    }
}

/// Returns a new value as JSON: a string if the present value is a string, null or absent. The text
/// of a command is its words, as they are shown.
fn spelled(current: Option<&str>, value: &str, is_text: bool) -> String {
    let kind = current.and_then(|current| with_value(current, |value| value.kind()));
    // If a word holds white space, the text that is shown does not tell where the word ends.
    let has_blank = |word: Json<'_>| word.text().is_none_or(|word| word.contains(char::is_whitespace));
    let is_plain = || {
        let previous = current.and_then(|current| with_value(current, |list| !list.items().any(has_blank)));
        let is_read = !value.trim().is_empty() && !value.contains(['"', '\'', '\\', '[', '{']);
        is_read && previous == Some(true)
    };
    match kind {
        Some(JsonKind::Null) if value == "null" => value.to_owned(),
        None | Some(JsonKind::Null | JsonKind::String) => json_edit::quoted(value),
        Some(JsonKind::Array) if is_text && is_plain() => {
            let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
            list(&words)
        }
        Some(_) => value.to_owned(),
    }
}

fn is_same(current: &str, value: &str) -> bool {
    let texts = || {
        let text = |json: &str| with_value(json, |value| value.text().map(|text| text.into_owned()))?;
        Some(text(current)? == text(value)?)
    };
    current == value || texts().unwrap_or_default()
}

fn with_value<T>(json: &str, take: impl FnOnce(Json<'_>) -> T) -> Option<T> {
    json_edit::scan(&mut Tape::default(), json.as_bytes()).ok().map(take)
}
