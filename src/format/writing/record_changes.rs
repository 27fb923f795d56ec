//! Changes that formats share: removals, and members that are not edits of the content.

use std::collections::BTreeMap;

use super::{DueTask, FormatWriter, WriteContext};
use crate::model::{Change, Entry, Moment, State, Store};
use crate::text::json_scanner::Tape;
use crate::text::{json_edit, lines};

/// A range of bytes, and its new bytes.
type RangeEdit = (std::ops::Range<usize>, Vec<u8>);

/// Returns the task that updates decay factors of live records; `None` if all are up to date.
pub fn decay_update(writes: &dyn FormatWriter, scene: &WriteContext<'_>) -> Option<DueTask> {
    let mut edits: BTreeMap<u32, Vec<RangeEdit>> = BTreeMap::new();
    let mut records = 0;
    for entry in scene.store.entries.iter().filter(|entry| entry.state == State::Live) {
        let raw = scene.store.raw(entry);
        let new = with_members(writes, &raw, &writes.decay_members(scene, entry), scene.now);
        if let Some(new) = new.filter(|new| *raw != **new) {
            let span = scene.store.record(entry).span;
            records += 1;
            edits.entry(entry.document).or_default().push((span.start as usize..span.end as usize, new));
        }
    }
    let change = |(at, edits): (u32, Vec<_>)| {
        let document = &scene.store.documents[at as usize];
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
    writes.renew_checksum(before, after, now).ok()
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
