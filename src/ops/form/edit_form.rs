//! The form of a memory: its fields, from its bytes.

use crate::format::record_form::FieldKind;
use crate::format::writing::list;
use crate::format::{Format, RecordSyntax};
use crate::model::{Entry, Moment, Store};
use crate::ops::{FieldAssignment, Operation, Refusal, Result, is_json, may, writes};
use crate::text::front_matter::{Note, YamlValue};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{Tape, quoted, scan};

/// At most this many members of an object are shown.
pub const MEMBERS: usize = 40;

/// The fields of a record as a person edits them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditForm {
    /// The main text first, then in the order of the format.
    pub fields: Vec<FormField>,
    /// The limit of the whole record, in bytes.
    pub most_bytes: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FormField {
    /// Its name in the format's specification, with dots if it is nested.
    pub name: String,
    /// The kind of its value.
    pub kind: FieldKind,
    /// Its value as it is edited. Untrusted text.
    pub value: String,
    /// The kind of the stored value, if there is one.
    pub(super) stored: Option<JsonKind>,
    /// The name that an assignment uses.
    pub(super) set_as: String,
}

impl EditForm {
    /// Returns the values of the fields, in their order.
    pub fn values(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.value.clone()).collect()
    }

    /// Returns the number of a field, by name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Returns the assignments that give the fields these values: names and values.
    pub fn settings(&self, values: &[String]) -> Vec<(String, String)> {
        let changed = self.fields.iter().zip(values).filter(|(field, value)| field.value != **value);
        let open = changed.filter(|(field, _)| !matches!(field.kind, FieldKind::Fixed(_)));
        open.map(|(field, value)| (field.set_as.clone(), field.setting(value))).collect()
    }
}

/// Converts assignments to the type that the operations take.
pub fn as_settings(set: &[(String, String)]) -> Vec<FieldAssignment<'_>> {
    set.iter().map(|(name, value)| FieldAssignment { name, value }).collect()
}

impl FormField {
    fn setting(&self, value: &str) -> String {
        match &self.kind {
            kind if kind.is_list() => list(items(value)),
            // The stored value is not a string, but should be one.
            kind if kind.is_text() && self.stored.is_some_and(|own| own != JsonKind::String) => quoted(value),
            _ => value.to_owned(),
        }
    }
}

/// Splits an edited list: JSON, or items with commas between them.
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

/// Joins items to a list that can be edited.
pub fn joined(items: &[String]) -> String {
    let is_plain = |item: &String| {
        !item.is_empty() && item.trim() == item && !item.contains([',', '\n', '\r']) && !item.starts_with('[')
    };
    if items.iter().all(is_plain) { items.join(", ") } else { list(items) }
}

pub fn form(store: &Store, entry: &Entry, now: Moment) -> Result<EditForm> {
    may(store, entry, Operation::Edit)?;
    let (format, _) = writes(store)?;
    let Some(memory) = store.memory(entry) else { return Err(Refusal::broken()) };
    let document = store.document(entry);
    let raw = &store.raw(entry);
    let asked = format.form(&document.path, memory.kind(), raw, now);
    let fields = asked.fields.into_iter().map(|asked| new(asked.name, asked.kind));
    let fields = if is_json(store, entry) {
        json_fields(format, fields.collect(), raw)?
    } else {
        let text = String::from_utf8_lossy(raw);
        let note = Some(format).filter(|own| own.syntax(&document.path) == RecordSyntax::Markdown);
        fields.map(|field| of_text(field, &text, note)).collect()
    };
    match fields.is_empty() {
        true => Err(Refusal::unfit("the format describes none of its fields.")),
        false => Ok(EditForm { fields, most_bytes: asked.most_bytes }),
    }
}

/// Fills a field from a text. `format` is that of a note.
pub(crate) fn of_text(mut field: FormField, text: &str, format: Option<&dyn Format>) -> FormField {
    let Some(format) = format else {
        return FormField { value: text.to_owned(), stored: Some(JsonKind::String), ..field };
    };
    let note = Note::read(text);
    let current = note.field(&field.name);
    if let (true, None) = (field.name == "text", current) {
        let body = text.get(note.body.clone()).unwrap_or_default();
        return FormField { value: body.to_owned(), stored: Some(JsonKind::String), ..field };
    }
    field.value = match current.map(|own| (own, &own.value)) {
        None | Some((_, YamlValue::Null)) => String::new(),
        Some((_, YamlValue::List(items))) => {
            joined(&items.iter().map(|item| item.to_string()).collect::<Vec<_>>())
        }
        Some((own, _)) => format.field_text(own),
    };
    field
}

fn json_fields(format: &dyn Format, asked: Vec<FormField>, raw: &[u8]) -> Result<Vec<FormField>> {
    let mut tape = Tape::default();
    let value = scan(&mut tape, raw)?;
    if value.kind() != JsonKind::Object {
        return Ok(asked.into_iter().map(|field| filled(field, Some(value))).collect());
    }
    let names: Vec<String> = asked.iter().map(|field| field.name.clone()).collect();
    let mut fields = Vec::new();
    for field in asked {
        let current = at(value, &field.name);
        let is_open =
            |current: &Json<'_>| current.kind() == JsonKind::Object && field.kind == FieldKind::Json;
        match current.filter(is_open) {
            Some(object) => fields.extend(members(&field.name, object, &names)),
            None => fields.push(filled(field, current)),
        }
    }
    for (key, own) in value.members() {
        let name = key.text().unwrap_or_default();
        if !names.iter().any(|known| *known == name || known.starts_with(&format!("{name}."))) {
            fields.push(filled(new(name.into_owned(), FieldKind::Fixed("kept as it is")), Some(own)));
        }
    }
    lead(&mut fields, format, value);
    Ok(fields)
}

/// Moves the main text to the first place, and sets it as a text.
fn lead(fields: &mut Vec<FormField>, format: &dyn Format, value: Json<'_>) {
    let place = |name: &&str| {
        fields.iter().position(|field| field.name == *name && field.kind.is_text() && *name != "key")
    };
    let Some(at) = format.main_text(value).1.iter().find_map(place) else { return };
    let mut main = fields.remove(at);
    if main.name == "content" && value.get("text").is_none() {
        main.set_as = "text".into();
    }
    fields.insert(0, main);
}

pub(crate) fn at<'a>(value: Json<'a>, name: &str) -> Option<Json<'a>> {
    name.split('.').try_fold(value, |value, step| value.get(step))
}

pub(crate) fn new(name: String, kind: FieldKind) -> FormField {
    let (set_as, value) = (name.clone(), String::new());
    FormField { name, kind, value, stored: None, set_as }
}

/// Returns fields for the members of an object that the format does not describe.
pub fn members(of: &str, object: Json<'_>, known: &[String]) -> Vec<FormField> {
    let mut fields = Vec::new();
    for (key, _) in object.members().take(MEMBERS) {
        let key = key.text().unwrap_or_default();
        let name = format!("{of}.{key}");
        let is_asked = known.iter().any(|own| *own == name || own.starts_with(&format!("{name}.")));
        if is_asked || key.contains('.') || fields.iter().any(|own: &FormField| own.name == name) {
            continue;
        }
        fields.push(filled(new(name, FieldKind::Json), at(object, &key)));
    }
    fields
}

pub(crate) fn filled(mut field: FormField, current: Option<Json<'_>>) -> FormField {
    if matches!(field.name.as_str(), "id" | "session_id") {
        field.kind = FieldKind::Fixed("it names the memory");
    }
    if field.name == "checksum" {
        field.kind = FieldKind::Fixed("rebuilt when the memory is saved");
    }
    let Some(current) = current.filter(|current| !current.is_null()) else { return field };
    field.stored = Some(current.kind());
    if field.kind == FieldKind::Json && current.kind() == JsonKind::String {
        field.kind = FieldKind::Text { most: None };
    }
    let listed: Option<Vec<String>> = current.items().map(|item| item.text().map(Into::into)).collect();
    field.value = match listed.filter(|_| field.kind.is_list() && current.kind() == JsonKind::Array) {
        Some(items) => joined(&items),
        None => current.plain(),
    };
    field
}
