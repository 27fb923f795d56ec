//! Decides whether one of two memories can be removed without loss.

use std::collections::BTreeMap;

use crate::model::{EntryRef, Snapshot};
use crate::text::canonical::{Checksum, verify};
use crate::text::front_matter::Note;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{Tape, scan};

/// Names of the id of a memory in the formats.
const IDS: [&str; 3] = ["id", "event_id", "note_id"];
/// Fields that say only how often and when a memory was read.
const ACCESS: [&str; 3] = ["access_count", "last_accessed", "accessed_at"];

/// The name for a difference that can't be compared field by field.
const BYTES: &str = "bytes";

/// The values of each field as written, in stored order. A field may occur twice.
type ComparedFields = BTreeMap<String, Vec<Vec<u8>>>;

/// Returns the names of the differences between two memories, except their ids, their own checksums, and how
/// often they were read. If there are none, one of the two can be removed without loss.
pub fn differing(snapshot: &Snapshot, one: EntryRef, other: EntryRef) -> Vec<String> {
    let mut names = places_differing(snapshot, one, other);
    let raw = |at: EntryRef| {
        let (store, entry) = snapshot.get(at);
        store.raw(entry)
    };
    let (left, right) = (raw(one), raw(other));
    if left != right {
        let id = |at: EntryRef| {
            let (store, entry) = snapshot.get(at);
            store.id(entry).unwrap_or_default().to_owned()
        };
        names.extend(fields_differing((&left, &id(one)), (&right, &id(other))));
    }
    names
}

/// Returns the names of the differences in store, session, state and file.
fn places_differing(snapshot: &Snapshot, one: EntryRef, other: EntryRef) -> Vec<String> {
    let [(left, first), (right, second)] = [one, other].map(|at| snapshot.get(at));
    let is_same_store = one.store == other.store;
    let session = is_same_store
        && left.session(first).map(|own| &own.name) != right.session(second).map(|own| &own.name);
    let file = left.document(first).role != right.document(second).role;
    [("store", !is_same_store), ("session", session), ("state", first.state != second.state), ("file", file)]
        .into_iter()
        .filter(|(_, differs)| *differs)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Returns the names of the fields that differ between two records, each given with its id.
fn fields_differing((one, id): (&[u8], &str), (other, other_id): (&[u8], &str)) -> Vec<String> {
    let (Some(left), Some(right)) = (fields(one, id), fields(other, other_id)) else {
        return vec![BYTES.into()];
    };
    let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
    names.filter(|name| left.get(*name) != right.get(*name)).cloned().collect()
}

/// Returns the fields of a record, or the fields and the text of a note.
fn fields(raw: &[u8], id: &str) -> Option<ComparedFields> {
    let mut tape = Tape::default();
    match scan(&mut tape, raw) {
        Ok(record) if record.kind() == JsonKind::Object => Some(members(record, id)),
        _ => note(std::str::from_utf8(raw).ok()?, id),
    }
}

fn members(record: Json<'_>, id: &str) -> ComparedFields {
    let is_its_own = matches!(verify(record), Some(Checksum::Canonical | Checksum::Legacy));
    let mut fields = ComparedFields::new();
    for (name, value) in record.members() {
        let name = name.text().unwrap_or_default().into_owned();
        let is_id = IDS.contains(&name.as_str()) && value.is_text(id);
        if is_id || ACCESS.contains(&name.as_str()) || name == "checksum" && is_its_own {
            continue;
        }
        fields.entry(name).or_default().push(spelled(value));
    }
    fields
}

/// Returns a text without escapes, or another value without white space between its parts.
fn spelled(value: Json<'_>) -> Vec<u8> {
    if let Some(text) = value.text() {
        return [b"\"", text.as_bytes()].concat();
    }
    let (mut is_text, mut is_escaped) = (false, false);
    let is_kept = |byte: &&u8| {
        let is_kept = is_text || !byte.is_ascii_whitespace();
        is_text ^= **byte == b'"' && !is_escaped;
        is_escaped = is_text && **byte == b'\\' && !is_escaped;
        is_kept
    };
    value.raw().iter().filter(is_kept).copied().collect()
}

/// Returns the fields of a note as written, and its text. Lines between fields count as one field.
fn note(text: &str, id: &str) -> Option<ComparedFields> {
    let note = Note::read(text);
    if !note.has_front_matter || !note.faults.is_empty() {
        return None;
    }
    let (mut fields, mut rest, mut end) = (ComparedFields::new(), String::new(), 0);
    for field in &note.fields {
        rest += text.get(end..field.span.start)?;
        end = field.span.end;
        let is_id = IDS.contains(&field.name) && field.value.plain() == id;
        if !is_id && !ACCESS.contains(&field.name) {
            let line = text.get(field.span.clone())?.trim_end();
            fields.entry(field.name.to_owned()).or_default().push(line.into());
        }
    }
    rest += text.get(end..note.body.start)?;
    fields.entry("comments".to_owned()).or_default().push(rest.into_bytes());
    fields.entry("text".to_owned()).or_default().push(text.get(note.body.clone())?.into());
    Some(fields)
}
