//! Changes that formats share: removals, new names, and members that are not edits of the content.

use std::collections::BTreeMap;

use super::record_names::{NamePlace, NameUse};
use super::refusal::Result;
use super::{DueTask, FormatWriter, WriteContext};
use crate::model::{Change, Entry, Moment, State, Store};
use crate::text::json::Json;
use crate::text::json_edit::JsonSplice;
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, lines};

/// A range of bytes, and its new bytes.
pub type RangeEdit = (std::ops::Range<usize>, Vec<u8>);

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
    let mut files: BTreeMap<u32, Vec<crate::model::Span>> = BTreeMap::new();
    for entry in entries {
        files.entry(entry.document).or_default().push(store.record(entry).span);
    }
    let change = |(at, spans): (u32, Vec<crate::model::Span>)| {
        let document = &store.documents[at as usize];
        let base = document.bytes.clone();
        match document.path.extension().is_some_and(|end| end == "jsonl") {
            true => Change::edits(&document.path, base, lines::removal_edits(&document.bytes, &spans)),
            false => Change::remove(&document.path, base),
        }
    };
    files.into_iter().map(change).collect()
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
