//! `index.json` against the records it was made from ("Index File Format").

use super::layout;
use crate::format::Parts;
use crate::format::fields::Fault;
use crate::format::ids::Ids;
use crate::format::lists::{self, Keys};
use crate::format::reading::{whole_object, without_mark};
use crate::model::{Body, Code, Document, Entry, Packed, Problem, Role, Severity, State, View};
use crate::text::json::Json;
use crate::text::scan::Tape;

/// The version that its writer writes.
pub const VERSION: &str = "1.0.0";

/// The maps from keys to ids.
pub const MAPS: [(&str, Keys); 3] = [
    ("tags_index", |view| view.tags.collect()),
    ("category_index", |view| view.topic.into_iter().collect()),
    ("importance_index", |view| vec![importance_word(view.importance)]),
];

/// The readable records of the live files and the archives.
pub struct AllRecords<'a> {
    pub own: Vec<ListedRecord<'a>>,
    pub ids: &'a Ids<'a>,
    /// The bytes of the live files, and of the archives.
    pub bytes: [u64; 2],
}

/// One of them.
pub struct ListedRecord<'a> {
    packed: &'a Packed,
    /// Its id, and the place of that.
    pub id: Option<(&'a str, u32)>,
    pub state: State,
    in_live_file: bool,
}

impl<'a> ListedRecord<'a> {
    /// What was read of it: a gigabyte has too many to keep them unpacked.
    pub fn view(&self) -> View<'a> {
        self.packed.view()
    }
}

impl<'a> AllRecords<'a> {
    /// Those of a store.
    pub fn of(parts: &Parts<'a>, entries: &[Entry], ids: &'a Ids<'a>) -> Self {
        let mut next = 0;
        let own = entries.iter().filter_map(|entry| {
            let document = &parts.documents[entry.document as usize];
            let Body::Read(packed) = &document.records[entry.record as usize].body else { return None };
            let id = packed.view().id.and_then(|id| Some((id, ids.place(id, &mut next)?)));
            Some(ListedRecord {
                packed,
                id,
                state: entry.state,
                in_live_file: document.role == Role::Records,
            })
        });
        let bytes =
            |role| parts.documents.iter().filter(move |own| own.role == role).map(|own| own.len).sum();
        AllRecords { own: own.collect(), ids, bytes: [Role::Records, Role::Archive].map(bytes) }
    }

    /// The live ones.
    pub fn live(&self) -> impl Iterator<Item = &ListedRecord<'a>> {
        self.own.iter().filter(|own| own.state == State::Live)
    }
}

/// Judges the index; nothing if it can't be read, which is said elsewhere.
pub fn check(document: &Document, records: &AllRecords<'_>) -> Vec<Problem> {
    let mut tape = Tape::default();
    let Ok(index) = whole_object(&mut tape, without_mark(&document.bytes)) else { return Vec::new() };
    let [version, bytes] = [version(index), bytes(index, records)].map(Option::into_iter);
    let found = version.chain(counts(index, records)).chain(stale(index, records)).chain(bytes);
    let problem = |(code, severity, message)| Problem::of_file(code, severity, &document.path, message);
    found.map(problem).collect()
}

/// Whether the index has everything and no problem. It looks no further than the first.
pub fn is_right(index: Json<'_>, records: &AllRecords<'_>) -> bool {
    index.get("statistics").is_some()
        && index.get("tags_index").is_some()
        && version(index).or_else(|| bytes(index, records)).is_none()
        && counts(index, records).is_empty()
        && stale(index, records).next().is_none()
}

/// The bytes of the live files, or of those and the archives: the specification doesn't say which.
fn bytes(index: Json<'_>, records: &AllRecords<'_>) -> Option<Fault> {
    let stored = index.path(&["statistics", "total_storage_bytes"])?.number()?;
    let [live, archived] = records.bytes;
    let is_right = [live, live + archived].iter().any(|bytes| *bytes as f64 == stored);
    let message = format!("`statistics.total_storage_bytes` says {stored}; there are {live}.");
    (!is_right).then_some((Code::CountMismatch, Severity::Note, message))
}

fn version(index: Json<'_>) -> Option<Fault> {
    let version = index.get("version")?.plain();
    let message = format!("The index names version {version:?}, not {VERSION:?}.");
    (version != VERSION).then_some((Code::UnsupportedVersion, Severity::Warning, message))
}

/// Counts with and without what the live files hold as archived: the specification
/// doesn't say which, and either is accepted.
fn counts(index: Json<'_>, records: &AllRecords<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    let count =
        |test: &dyn Fn(&ListedRecord<'_>) -> bool| records.own.iter().filter(|record| test(record)).count();
    let mut compare = |path: &[&str], accepted: [usize; 2]| {
        let Some(stored) = index.get("statistics").and_then(|s| s.path(path)).and_then(|n| n.number()) else {
            return;
        };
        if !accepted.iter().any(|&count| count as f64 == stored) {
            let name = path.join(".");
            let message = format!("`statistics.{name}` says {stored}; there are {}.", accepted[0]);
            found.push((Code::CountMismatch, Severity::Warning, message));
        }
    };
    let live = count(&|record| record.state == State::Live);
    compare(&["total_memories"], [live, count(&|record| record.in_live_file)]);
    for (_, kind) in layout::FILES {
        let live = count(&|record| record.state == State::Live && record.view().kind == kind);
        compare(
            &["by_type", kind],
            [live, count(&|record| record.in_live_file && record.view().kind == kind)],
        );
    }
    let archived = count(&|record| record.state == State::Archived);
    compare(&["archived_count"], [archived, count(&|record| !record.in_live_file)]);
    found
}

/// How the maps from keys to ids differ from the live records, one after the other.
fn stale(index: Json<'_>, records: &AllRecords<'_>) -> impl Iterator<Item = Fault> {
    let message = move |(name, keys): (&str, Keys)| {
        let Some(map) = index.get(name) else {
            let has_keys = records.live().any(|own| own.id.is_some() && !keys(own.view()).is_empty());
            return has_keys.then(|| format!("`{name}` is missing; it is rebuilt from the records."));
        };
        let mut listed = lists::Listed::of(map, records.ids);
        let mut missing = 0;
        for (own, (_, place)) in records.own.iter().filter_map(|own| Some((own, own.id?))) {
            let lacking = keys(own.view()).into_iter().filter(|key| !listed.has(key, place)).count();
            missing += if own.state == State::Live { lacking } else { 0 };
        }
        let extra = listed.others(records.ids, |_| true);
        let message =
            || format!("`{name}`: {missing} missing, {extra} extra. It is rebuilt from the records.");
        (missing + extra > 0).then(message)
    };
    MAPS.into_iter().filter_map(message).map(|message| (Code::IndexStale, Severity::Warning, message))
}

/// The stored word that an importance was read from.
pub fn importance_word(importance: f64) -> &'static str {
    if importance >= 0.75 {
        "high"
    } else if importance >= 0.45 {
        "medium"
    } else {
        "low"
    }
}

#[cfg(test)]
mod tests;
