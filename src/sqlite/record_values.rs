//! The members of a record as SQLite has them.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value;

use crate::format::{self, Format, RecordSyntax};
use crate::model::{Entry, Store};
use crate::text::front_matter::{Note, YamlField, YamlValue};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// What palimp shows under these names, if a record has no member of that name.
pub const SHOWN: [&str; 5] = ["id", "title", "text", "body", "content"];

/// Returns the members of a record that are in `names`, by name in lower case. `None` if it can't be read.
pub fn named_values(
    format: &dyn Format,
    store: &Store,
    entry: &Entry,
    names: &HashSet<String>,
) -> Option<HashMap<String, Value>> {
    let memory = store.memory(entry)?;
    let raw = store.raw(entry);
    let mut values = HashMap::new();
    let named = |name: &str| Some(name.to_ascii_lowercase()).filter(|name| names.contains(name));
    match format.syntax(&store.document(entry).path) {
        RecordSyntax::Markdown => {
            let text = String::from_utf8_lossy(&raw);
            for field in Note::read(&text).fields {
                if let Some(name) = named(field.name) {
                    values.entry(name).or_insert_with(|| of_field(format, &field));
                }
            }
        }
        RecordSyntax::Json => {
            let mut tape = Tape::default();
            for (name, value) in scan(&mut tape, &raw).ok()?.members() {
                if let Some(name) = named(&name.text().unwrap_or_default()) {
                    values.insert(name, of_json(value));
                }
            }
        }
        RecordSyntax::Text => return None,
    }
    for name in SHOWN.into_iter().filter(|name| names.contains(*name)) {
        values.entry(name.to_owned()).or_insert_with(|| match name {
            "id" => memory.id().map_or(Value::Null, |id| Value::Text(id.to_owned())),
            "title" => Value::Text(format::title(store, entry).into_raw()),
            _ => Value::Text(format::text_of(store, entry).text.into_raw()),
        });
    }
    Some(values)
}

/// Lists and objects are text as written, which the functions for JSON read.
fn of_json(value: Json<'_>) -> Value {
    match value.kind() {
        JsonKind::Null => Value::Null,
        JsonKind::Bool => Value::Integer((value.bool() == Some(true)).into()),
        JsonKind::Number => number(&value.plain()).unwrap_or(Value::Null),
        JsonKind::String | JsonKind::Array | JsonKind::Object => Value::Text(value.plain()),
    }
}

/// A list is JSON, and a scalar that YAML takes for a number is one.
fn of_field(format: &dyn Format, field: &YamlField<'_>) -> Value {
    match &field.value {
        YamlValue::Null => Value::Null,
        YamlValue::List(items) => Value::Text(serde_json::json!(items).to_string()),
        _ => {
            let text = format.field_text(field);
            number(&text).unwrap_or(Value::Text(text))
        }
    }
}

fn number(text: &str) -> Option<Value> {
    let whole = text.parse().ok().map(Value::Integer);
    whole.or_else(|| text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Real))
}
