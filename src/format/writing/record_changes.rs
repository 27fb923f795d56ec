//! Changes that formats share: removals, new names, and members that are not edits of the content.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DueTask, FormatWriter, RangeEdit, Result, WriteContext};
use crate::model::{Change, Document, Entry, Moment, NameKind, State, Store};
use crate::text::json::Json;
use crate::text::json_edit::JsonSplice;
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, lines};

/// Returns the task that updates decay factors of live records; `None` if all are up to date.
pub fn decay_update(writes: &dyn FormatWriter, context: &WriteContext<'_>) -> Option<DueTask> {
    let mut edits: BTreeMap<u32, Vec<RangeEdit>> = BTreeMap::new();
    let mut records = 0;
    for entry in context.store.entries.iter().filter(|entry| entry.state == State::Live) {
        let raw = context.store.raw(entry);
        let new = with_members(writes, &raw, &writes.decay_members(context, entry), context.now);
        if let Some(new) = new.filter(|new| *raw != **new) {
            let span = context.store.record(entry).span;
            records += 1;
            edits.entry(entry.document).or_default().push((span.range(), new));
        }
    }
    let change = |(at, edits): (u32, Vec<_>)| {
        let document = &context.store.documents[at as usize];
        Change::edits(&document.path, document.bytes.clone(), edits)
    };
    let changes = edits.into_iter().map(change).collect();
    let rule = "each stored factor becomes the one that its age gives; nothing is removed".into();
    (records > 0).then(|| DueTask { what: "bring decay factors up to date".into(), rule, records, changes })
}

/// Sets members without an edit of the content, and renews the checksum. Equal numbers keep their spelling.
pub fn with_members(
    writes: &dyn FormatWriter,
    record: &[u8],
    members: &[(&'static str, String)],
    now: Moment,
) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let before = json_edit::scan(&mut tape, record).ok()?;
    let same = |name: &str, raw: &str| {
        let stored = before.get(name);
        let number = stored.and_then(|value| value.number());
        stored.is_some_and(|value| value.raw() == raw.as_bytes())
            || number
                .zip(raw.parse().ok())
                .is_some_and(|(stored, new): (f64, f64)| (stored - new).abs() < 5e-5)
    };
    let new: Vec<&(&str, String)> = members.iter().filter(|(name, raw)| !same(name, raw)).collect();
    if new.is_empty() {
        return Some(record.to_vec());
    }
    let mut after = record.to_vec();
    for (name, raw) in new {
        after = json_edit::set(&after, &[name], raw).ok()?;
    }
    writes.finish_edit(before, after, now, false).ok()
}

/// Returns the members that say that a record was accessed: the time, as JSON, and the count.
pub fn accessed(record: Json<'_>, name: &'static str, when: String) -> Vec<(&'static str, String)> {
    let count = record.get("access_count").and_then(|count| count.count()).unwrap_or(0);
    vec![(name, when), ("access_count", (count + 1).to_string())]
}

/// Returns the changes that remove records from their files. A file that is one record is removed.
pub fn removals(store: &Store, entries: &[Entry]) -> Vec<Change> {
    let change = |(document, own): (Arc<Document>, Vec<Entry>)| {
        let base = document.bytes.clone();
        let spans: Vec<_> = own.iter().map(|entry| store.record(entry).span).collect();
        match document.path.extension().is_some_and(|end| end == "jsonl") {
            true => Change::edits(&document.path, base, lines::removal_edits(&document.bytes, &spans)),
            false => Change::remove(&document.path, base),
        }
    };
    store.by_document(entries).into_iter().map(change).collect()
}

/// Gives names in a record new texts and renews its checksum; all other bytes stay. `new` returns the new text
/// of a name, or `None` if it stays.
pub fn rename(
    writes: &dyn FormatWriter,
    record: &[u8],
    now: Moment,
    new: &dyn Fn(NameUse, &str) -> Option<String>,
) -> Result<Vec<u8>> {
    let mut tape = Tape::default();
    let before = json_edit::scan(&mut tape, record)?;
    let splice = |place: NamePlace<'_>| {
        let text = place.value.text()?;
        let renamed = new(place.says, &text).filter(|new| *new != text)?;
        Some(JsonSplice::of(place.value, json_edit::quoted(&renamed)))
    };
    let splices: Vec<_> = writes.name_places(before).into_iter().filter_map(splice).collect();
    if splices.is_empty() {
        return Ok(record.to_vec());
    }
    writes.finish_edit(before, json_edit::apply(record, splices), now, false)
}

/// What a name in a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameUse {
    /// The record's own id.
    Id,
    /// The session that the record is in.
    Session,
    Reference(NameKind),
}

/// A place in a record that holds a name.
#[derive(Clone, Copy)]
pub struct NamePlace<'j> {
    pub says: NameUse,
    /// The JSON string with the name.
    pub value: Json<'j>,
}

impl<'j> NamePlace<'j> {
    /// Returns the place at a path, if there is a string.
    pub fn at(record: Json<'j>, says: NameUse, path: &[&str]) -> Option<NamePlace<'j>> {
        let value = record.path(path)?;
        value.text().map(|_| NamePlace { says, value })
    }

    /// Returns the strings of the array at a path.
    pub fn of_list(record: Json<'j>, says: NameUse, path: &[&str]) -> Vec<NamePlace<'j>> {
        let items = record.path(path).into_iter().flat_map(|list| list.items());
        items.filter(|item| item.text().is_some()).map(|value| NamePlace { says, value }).collect()
    }
}
