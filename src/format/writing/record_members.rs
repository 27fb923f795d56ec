//! The members of records: set, listed, written as one line.

use super::{FieldAssignment, FormatWriter, Refusal, Result};
use crate::text::digest::hex;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// Sets a field of a record.
pub fn set_field(
    writes: &dyn FormatWriter,
    record: &[u8],
    set: &FieldAssignment<'_>,
    main: &str,
) -> Result<Vec<u8>> {
    let mut tape = Tape::default();
    let value = json_edit::scan(&mut tape, record)?;
    let name = if set.name == "text" && value.get("text").is_none() { main } else { set.name };
    let steps: Vec<&str> = name.split('.').collect();
    if steps.contains(&"") {
        return Err(Refusal::invalid(format!("{name:?} is not a field: a name is missing beside a dot.")));
    }
    let is_text = match json_edit::value_at(value, &steps).map(|value| value.kind()) {
        // A field of another type may hold a string. Valid JSON replaces it, unless the name is `text`.
        Some(JsonKind::String) => set.name == "text" || writes.is_text(name) || json(set).is_err(),
        Some(JsonKind::Null) | None => writes.is_text(name),
        Some(_) => false,
    };
    let raw = if is_text { json_edit::quoted(set.value) } else { json(set)? };
    Ok(json_edit::set(record, &steps, &raw)?)
}

/// Returns a value that must be JSON, on one line.
fn json(set: &FieldAssignment<'_>) -> Result<String> {
    let text = set.value.trim();
    match json_edit::scan(&mut Tape::default(), text.as_bytes()) {
        Ok(_) => Ok(line(text.as_bytes())),
        Err(_) => {
            Err(Refusal::invalid(format!("{:?} is not JSON, and `{}` is not a string.", set.value, set.name)))
        }
    }
}

fn line(json: &[u8]) -> String {
    String::from_utf8_lossy(&json_edit::on_one_line(json)).into_owned()
}

/// Returns these members, which mostly are in this order. The last of doubled ones counts.
pub fn members_of<'a, const N: usize>(object: Json<'a>, names: [&str; N]) -> [Option<Json<'a>>; N] {
    let mut found = [None; N];
    let mut next = 0;
    for (key, value) in object.members() {
        if let Some(at) = (next..N).chain(0..next).find(|at| key.is_text(names[*at])) {
            (found[at], next) = (Some(value), at + 1);
        }
    }
    found
}

/// Returns a JSON list of texts.
pub fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(|text| json_edit::quoted(text.as_ref())).collect();
    format!("[{}]", quoted.join(","))
}

/// Returns the word for an importance or a confidence between 0 and 1.
pub fn level_word(value: f64) -> &'static str {
    match value {
        0.75.. => "high",
        0.45.. => "medium",
        _ => "low",
    }
}

/// The members of a new record, in order. Those of its draft win.
#[derive(Debug, Default)]
pub struct RecordMembers {
    own: Vec<(String, String)>,
}

impl RecordMembers {
    /// Returns the members of a draft's record; none if it has none.
    pub fn of(record: Option<&str>) -> Result<RecordMembers> {
        RecordMembers::with(record, |value| line(value.raw()))
    }

    /// The same, with the spelling of each value from `spelled`.
    pub fn with(record: Option<&str>, spelled: impl Fn(Json<'_>) -> String) -> Result<RecordMembers> {
        let Some(record) = record else { return Ok(RecordMembers::default()) };
        let mut tape = Tape::default();
        let value = json_edit::scan(&mut tape, record.as_bytes())
            .map_err(|_| Refusal::invalid("the memory is not a JSON object."))?;
        if value.kind() != JsonKind::Object {
            return Err(Refusal::invalid("the memory is not a JSON object."));
        }
        let mut own: Vec<(String, String)> = Vec::new();
        for (key, value) in value.members() {
            let (key, raw) = (key.text().unwrap_or_default(), spelled(value));
            // If a name is doubled, the last value counts.
            match own.iter_mut().find(|(name, _)| *name == key) {
                Some((_, own)) => *own = raw,
                None => own.push((key.into_owned(), raw)),
            }
        }
        Ok(RecordMembers { own })
    }

    /// Returns the value of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.own.iter().find(|(own, _)| own == name).map(|(_, raw)| raw.as_str())
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the text of this name; `None` if it is missing or `null`. Fails if it is anything else.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        let mut tape = Tape::default();
        let value = json_edit::scan(&mut tape, raw.as_bytes())?;
        match value.text() {
            Some(text) => Ok(Some(text.into_owned())),
            None if value.is_null() => Ok(None),
            None => Err(Refusal::invalid(format!("`{name}` should be a text; it is {raw}."))),
        }
    }

    /// Returns the texts in the list of this name.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let mut tape = Tape::default();
        let list = self.get(name).and_then(|raw| json_edit::scan(&mut tape, raw.as_bytes()).ok());
        let texts = list.iter().flat_map(|list| list.items()).filter_map(|item| item.text());
        texts.map(|text| text.into_owned()).collect()
    }

    /// Adds a member unless the draft has it.
    pub fn or(&mut self, name: &str, raw: impl Into<String>) {
        if self.get(name).is_none() {
            self.own.push((name.to_owned(), raw.into()));
        }
    }

    /// Adds a string member unless the draft has it.
    pub fn or_text(&mut self, name: &str, text: &str) {
        self.or(name, json_edit::quoted(text));
    }

    /// Sets a member, even if the draft has it.
    pub fn set(&mut self, name: &str, raw: String) {
        self.own.retain(|(own, _)| own != name);
        self.own.push((name.to_owned(), raw));
    }

    /// Returns the names with their values. Those in `first` come first, in that order.
    pub fn ordered(&self, first: &[&str]) -> Vec<&(String, String)> {
        let place = |name: &str| first.iter().position(|own| *own == name).unwrap_or(first.len());
        let mut members: Vec<&(String, String)> = self.own.iter().collect();
        members.sort_by_key(|(name, _)| place(name));
        members
    }

    /// Returns one line of JSON. The members in `first` come first, in that order.
    pub fn to_line(&self, first: &[&str]) -> Vec<u8> {
        let written = self.ordered(first).into_iter();
        let written: Vec<String> =
            written.map(|(name, raw)| format!("{}:{raw}", json_edit::quoted(name))).collect();
        let mut line = format!("{{{}}}", written.join(",")).into_bytes();
        line.push(b'\n');
        line
    }
}

/// Returns an object over several lines, as the specifications print samples, with this indentation depth.
pub fn pretty(members: &[(&str, String)], depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let member = |(name, raw): &(&str, String)| format!("{indent}  {}: {raw}", json_edit::quoted(name));
    let lines: Vec<String> = members.iter().map(member).collect();
    format!("{{\n{}\n{indent}}}", lines.join(",\n"))
}

/// Returns a UUID of version 4 made of random bytes.
pub fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
