//! Records the lines that the builders write, to make indexes that agree with them.

use serde_json::{Map, Value, json};

#[derive(Clone, Default)]
pub struct Lines {
    /// The file's bytes so far.
    pub bytes: Vec<u8>,
    /// Its healthy records so far.
    pub placed: Vec<Placed>,
    lines: u64,
}

/// A healthy record, and its place.
#[derive(Clone)]
pub struct Placed {
    pub record: Value,
    /// Its line, from 1.
    pub line: u64,
    /// The offset of its first byte.
    pub offset: u64,
}

impl Lines {
    /// Adds a record on its own line.
    pub fn record(&mut self, record: Value) {
        let line = record.to_string();
        self.placed.push(Placed { record, line: self.lines + 1, offset: self.bytes.len() as u64 });
        self.raw(line.as_bytes());
        self.raw(b"\n");
    }

    /// Adds bytes as they are, without a line end.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.bytes.extend_from_slice(bytes);
    }

    pub fn kept(&self, keep: impl Fn(&str) -> bool) -> Vec<&Placed> {
        self.placed.iter().filter(|placed| keep(id_of(&placed.record))).collect()
    }
}

pub fn id_of(record: &Value) -> &str {
    record["id"].as_str().unwrap_or_default()
}

/// Groups ids by the words of their records, as a JSON object of arrays.
pub fn ids_by(placed: &[&Placed], words: impl Fn(&Value) -> Vec<String>) -> Value {
    let mut by = Map::new();
    for place in placed {
        for word in words(&place.record) {
            let ids = by.entry(word).or_insert_with(|| json!([]));
            ids.as_array_mut().unwrap().push(json!(id_of(&place.record)));
        }
    }
    Value::Object(by)
}

pub fn strings_of(record: &Value, member: &str) -> Vec<String> {
    match &record[member] {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Adds those of `members` that the record lacks.
pub fn with_defaults(mut record: Value, members: Value) -> Value {
    if let (Value::Object(record), Value::Object(members)) = (&mut record, members) {
        for (name, value) in members {
            record.entry(name).or_insert(value);
        }
    }
    record
}
