//! The form of a record, filled in, and what a form that was changed comes to: settings,
//! what is wrong with them, what fixes that, and the plan. It judges with the format's own
//! reading, as `check` does.

mod copy;
mod fix;
mod judge;
mod record;
mod verdict;

pub use crate::format::fields::Need;
pub use crate::format::form::Kind;
pub use copy::copy;
pub use fix::Fix;
pub use judge::{Finding, Judged, judge, with_code};
pub use record::{record_text, values_of};
pub use verdict::{Verdict, verdict};

use super::{Refusal, Result, Setting, is_json, may, writes};
use crate::format::writing::{Deed, list};
use crate::format::{self, Format, Shape};
use crate::model::{Entry, Moment, Store};
use crate::text::edit::{quoted, scan};
use crate::text::front_matter::{Note, Value};
use crate::text::json::{Json, Kind as JsonKind};
use crate::text::scan::Tape;

/// The longest list of members that a form shows of an object.
const MEMBERS: usize = 40;

/// The fields of a record as a person edits them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// The main text first, then in the order of the format.
    pub fields: Vec<Field>,
    /// Bytes that the whole record may have.
    pub most_bytes: Option<usize>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in the format's specification, dotted where nested.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Whether it must be there.
    pub need: Need,
    /// Its value as it is edited. Untrusted text.
    pub value: String,
    /// What is in the store.
    stored: Stored,
    /// The name by which it is set.
    set_as: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stored {
    Nothing,
    Text,
    Other,
}

impl Form {
    /// The values of its fields, in their order.
    pub fn values(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.value.clone()).collect()
    }

    /// The number of the field of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// What is to be set so that the fields have these values: each a name and a value.
    pub fn settings(&self, values: &[String]) -> Vec<(String, String)> {
        let changed = self.fields.iter().zip(values).filter(|(field, value)| field.value != **value);
        let open = changed.filter(|(field, _)| !matches!(field.kind, Kind::Fixed(_)));
        open.map(|(field, value)| (field.set_as.clone(), field.setting(value))).collect()
    }
}

/// Settings as the operations take them.
pub fn as_settings(set: &[(String, String)]) -> Vec<Setting<'_>> {
    set.iter().map(|(name, value)| Setting { name, value }).collect()
}

impl Field {
    /// Its value as a setting has it.
    fn setting(&self, value: &str) -> String {
        match &self.kind {
            kind if kind.is_list() => list(items(value)),
            // What is there is no string, and what belongs there is one.
            kind if kind.is_text() && self.stored == Stored::Other => quoted(value),
            _ => value.to_owned(),
        }
    }
}

/// The items of a list as it is edited: with commas between, or in JSON.
pub fn items(value: &str) -> Vec<String> {
    let mut tape = Tape::default();
    if let Ok(json) = scan(&mut tape, value.trim().as_bytes())
        && json.kind() == JsonKind::Array
        && json.items().all(|item| item.kind() == JsonKind::String)
    {
        return json.items().filter_map(|item| item.text()).map(|item| item.into_owned()).collect();
    }
    let parts = value.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty());
    parts.map(str::to_owned).collect()
}

/// A list as it is edited.
pub fn joined(items: &[String]) -> String {
    let is_plain = |item: &String| {
        !item.is_empty() && item.trim() == item && !item.contains([',', '\n', '\r']) && !item.starts_with('[')
    };
    if items.iter().all(is_plain) { items.join(", ") } else { list(items) }
}

/// The form of a record.
///
/// # Errors
///
/// If it can't be edited; the refusal says why.
pub fn form(store: &Store, entry: &Entry, now: Moment) -> Result<Form> {
    may(store, entry, Deed::Edit)?;
    let (format, _) = writes(store)?;
    let Some(view) = store.view(entry) else { return Err(Refusal::broken()) };
    let document = store.document(entry);
    let Some(raw) = &store.read(entry) else {
        return Err(Refusal::unfit("its file has changed since it was read."));
    };
    let asked = format.form(&document.path, view.kind, raw, now);
    let mut form = Form { fields: Vec::new(), most_bytes: asked.most_bytes };
    let fields = asked.fields.into_iter().map(|asked| Field {
        set_as: asked.name.clone(),
        name: asked.name,
        kind: asked.kind,
        need: asked.need,
        value: String::new(),
        stored: Stored::Nothing,
    });
    if is_json(format, store, entry) {
        json(&mut form, format, fields.collect(), raw)?;
    } else {
        let text = String::from_utf8_lossy(raw);
        let is_note = format.shape(&document.path) == Shape::Markdown;
        form.fields = fields.map(|field| of_text(field, &text, is_note)).collect();
    }
    if form.fields.is_empty() {
        return Err(Refusal::unfit("the format describes none of its fields."));
    }
    Ok(form)
}

fn of_text(mut field: Field, text: &str, is_note: bool) -> Field {
    if !is_note {
        return Field { value: text.to_owned(), stored: Stored::Text, ..field };
    }
    let note = Note::read(text);
    let current = note.field(&field.name).map(|own| &own.value);
    if let (true, None) = (field.name == "text", current) {
        let body = text.get(note.body.clone()).unwrap_or_default();
        return Field { value: body.to_owned(), stored: Stored::Text, ..field };
    }
    field.value = match current {
        None | Some(Value::Null) => String::new(),
        Some(Value::List(items)) => joined(&items.iter().map(|item| item.to_string()).collect::<Vec<_>>()),
        Some(own) => own.plain(),
    };
    field
}

fn json(form: &mut Form, format: &dyn Format, asked: Vec<Field>, raw: &[u8]) -> Result<()> {
    let mut tape = Tape::default();
    let value = scan(&mut tape, raw)?;
    if value.kind() != JsonKind::Object {
        form.fields = asked.into_iter().map(|field| filled(field, Some(value))).collect();
        return Ok(());
    }
    let names: Vec<String> = asked.iter().map(|field| field.name.clone()).collect();
    for field in asked {
        let current = at(value, &field.name);
        let is_open = |current: &Json<'_>| current.kind() == JsonKind::Object && field.kind == Kind::Json;
        match current.filter(is_open) {
            Some(object) => form.fields.extend(members(&field.name, object, &names)),
            None => form.fields.push(filled(field, current)),
        }
    }
    for (key, own) in value.members() {
        let name = key.text().unwrap_or_default();
        if !names.iter().any(|known| *known == name || known.starts_with(&format!("{name}."))) {
            form.fields.push(filled(new(name.into_owned(), Kind::Fixed("kept as it is")), Some(own)));
        }
    }
    lead(form, format, value);
    Ok(())
}

/// The main text leads, and is set as the text that it is.
fn lead(form: &mut Form, format: &dyn Format, value: Json<'_>) {
    let mains = format.main_text(value).1;
    let is_text =
        |name: &&&str| form.find(name).is_some_and(|at| form.fields[at].kind.is_text() && **name != "key");
    let Some(at) = mains.iter().find(is_text).and_then(|name| form.find(name)) else { return };
    let mut main = form.fields.remove(at);
    if main.name == "content" && value.get("text").is_none() {
        main.set_as = "text".into();
    }
    form.fields.insert(0, main);
}

fn at<'a>(value: Json<'a>, name: &str) -> Option<Json<'a>> {
    name.split('.').try_fold(value, |value, step| value.get(step))
}

fn new(name: String, kind: Kind) -> Field {
    let (set_as, value) = (name.clone(), String::new());
    Field { name, kind, need: Need::Optional, value, stored: Stored::Nothing, set_as }
}

/// The members of an object that nobody asked for.
fn members(of: &str, object: Json<'_>, known: &[String]) -> Vec<Field> {
    let mut fields = Vec::new();
    for (key, _) in object.members().take(MEMBERS) {
        let key = key.text().unwrap_or_default();
        let name = format!("{of}.{key}");
        let is_asked = known.iter().any(|own| *own == name || own.starts_with(&format!("{name}.")));
        if is_asked || key.contains('.') || fields.iter().any(|own: &Field| own.name == name) {
            continue;
        }
        fields.push(filled(new(name, Kind::Json), at(object, &key)));
    }
    fields
}

/// A field with what is there.
fn filled(mut field: Field, current: Option<Json<'_>>) -> Field {
    if matches!(field.name.as_str(), "id" | "session_id") {
        field.kind = Kind::Fixed("it names the memory");
    }
    if field.name == "checksum" {
        field.kind = Kind::Fixed("rebuilt when the memory is saved");
    }
    let Some(current) = current.filter(|current| !current.is_null()) else { return field };
    field.stored = if current.kind() == JsonKind::String { Stored::Text } else { Stored::Other };
    if field.kind == Kind::Json && field.stored == Stored::Text {
        field.kind = Kind::Text { most: None };
    }
    let listed: Option<Vec<String>> = current.items().map(|item| item.text().map(Into::into)).collect();
    field.value = match listed.filter(|_| field.kind.is_list() && current.kind() == JsonKind::Array) {
        Some(items) => joined(&items),
        None => current.plain(),
    };
    field
}

/// The entry's format, and the entry's record with settings, as far as it is one JSON value.
pub(super) fn format_of(store: &Store) -> Result<&'static dyn Format> {
    format::by_name(store.format).ok_or_else(|| Refusal::unfit("the format is not known."))
}

#[cfg(test)]
mod tests;
