//! Compares `index.json` with its records ("Index File Format").

use super::layout;
use crate::format::AssemblyInput;
use crate::format::field_reader::Fault;
use crate::format::id_index::IdIndex;
use crate::format::id_lists::{IdListCheck, KeysOf};
use crate::format::json_stream::{JsonEvent, JsonOutline, JsonVisitor, visit_object};
use crate::model::{
    Bytes, Code, Document, Entry, PackedView, Problem, RecordBody, Role, Severity, State, View,
};
use crate::text::json::Json;

/// The version that the format's writer writes.
pub const VERSION: &str = "1.0.0";

/// The maps from keys to ids.
pub const MAPS: [(&str, KeysOf); 3] = [
    ("tags_index", |view| view.tags.collect()),
    ("category_index", |view| view.topic.into_iter().collect()),
    ("importance_index", |view| vec![importance_word(view.importance)]),
];

/// The readable records of the live files and the archives.
pub struct IndexedRecords<'a> {
    pub own: Vec<IndexedRecord<'a>>,
    pub ids: &'a IdIndex<'a>,
    /// The bytes of the live files, and of the archives.
    pub bytes: [u64; 2],
}

/// A record and the place of its id.
pub struct IndexedRecord<'a> {
    packed: &'a PackedView,
    /// The id and its place.
    pub id: Option<(&'a str, u32)>,
    pub state: State,
    in_live_file: bool,
}

impl<'a> IndexedRecord<'a> {
    /// Unpacks the view. A gigabyte has more records than can be kept unpacked.
    pub fn view(&self) -> View<'a> {
        self.packed.view()
    }
}

impl<'a> IndexedRecords<'a> {
    /// Collects the records of a store.
    pub fn of(parts: &AssemblyInput<'a>, entries: &[Entry], ids: &'a IdIndex<'a>) -> Self {
        let mut next = 0;
        let own = entries.iter().filter_map(|entry| {
            let document = &parts.documents[entry.document as usize];
            let RecordBody::Read(packed) = &document.records[entry.record as usize].body else { return None };
            let id = packed.view().id.and_then(|id| Some((id, ids.place(id, &mut next)?)));
            Some(IndexedRecord {
                packed,
                id,
                state: entry.state,
                in_live_file: document.role == Role::Records,
            })
        });
        let bytes =
            |role| parts.documents.iter().filter(move |own| own.role == role).map(|own| own.len).sum();
        IndexedRecords { own: own.collect(), ids, bytes: [Role::Records, Role::Archive].map(bytes) }
    }

    pub fn live(&self) -> impl Iterator<Item = &IndexedRecord<'a>> {
        self.own.iter().filter(|own| own.state == State::Live)
    }
}

/// Returns the problems of the index; none if it can't be read, because that is already a problem.
pub fn check(document: &Document, records: &IndexedRecords<'_>) -> Vec<Problem> {
    let Some((own, _)) = visit_object(&document.bytes, || RecordIndexCheck::of(records)) else {
        return Vec::new();
    };
    let problem = |(code, severity, message)| Problem::of_file(code, severity, &document.path, message);
    own.faults().map(problem).collect()
}

/// Checks that the index is complete and correct, and returns its outline; `None` if it can't be read.
pub fn is_right<'b>(index: &'b Bytes, records: &IndexedRecords<'_>) -> Option<(bool, JsonOutline<'b>)> {
    visit_object(index, || RecordIndexCheck::of(records)).map(|(own, outline)| (own.has_no_fault(), outline))
}

struct RecordIndexCheck<'r, 'a> {
    records: &'r IndexedRecords<'a>,
    version: Option<Fault>,
    has_statistics: bool,
    counts: Vec<Fault>,
    bytes: Option<Fault>,
    maps: [Option<IdListCheck>; 3],
}

impl JsonVisitor for RecordIndexCheck<'_, '_> {
    fn depth(&self, name: &str) -> u8 {
        if MAPS.iter().any(|(own, _)| *own == name) { 2 } else { 0 }
    }

    fn visit(&mut self, name: &str, met: JsonEvent<'_>) {
        match (name, met) {
            ("version", JsonEvent::Member(own)) => self.version = version(own),
            ("statistics", JsonEvent::Member(own)) => {
                (self.counts, self.bytes) = (counts(own, self.records), bytes(own, self.records));
                self.has_statistics = true;
            }
            (name, met) => {
                let own = MAPS.iter().position(|(own, _)| *own == name);
                if let Some(own) = own.and_then(|at| self.maps.get_mut(at)) {
                    own.get_or_insert_default().meet(met, self.records.ids);
                }
            }
        }
    }
}

impl<'r, 'a> RecordIndexCheck<'r, 'a> {
    fn of(records: &'r IndexedRecords<'a>) -> Self {
        let (counts, maps) = Default::default();
        RecordIndexCheck { records, version: None, has_statistics: false, counts, bytes: None, maps }
    }

    fn faults(mut self) -> impl Iterator<Item = Fault> {
        let (version, counts, bytes) =
            (self.version.take(), std::mem::take(&mut self.counts), self.bytes.take());
        version.into_iter().chain(counts).chain(self.stale()).chain(bytes)
    }

    fn has_no_fault(self) -> bool {
        let [tags, ..] = &self.maps;
        self.has_statistics
            && tags.is_some()
            && self.version.is_none()
            && self.bytes.is_none()
            && self.counts.is_empty()
            && self.stale().next().is_none()
    }

    /// Returns how the maps from keys to ids differ from the live records.
    fn stale(self) -> impl Iterator<Item = Fault> {
        let records = self.records;
        let message = move |((name, keys), listed): ((&str, KeysOf), Option<IdListCheck>)| {
            let Some(mut listed) = listed else {
                let has_keys = records.live().any(|own| own.id.is_some() && !keys(own.view()).is_empty());
                return has_keys.then(|| format!("`{name}` is missing; it is rebuilt from the memories."));
            };
            listed.sort();
            let mut missing = 0;
            for (own, (_, place)) in records.own.iter().filter_map(|own| Some((own, own.id?))) {
                let lacking = keys(own.view()).into_iter().filter(|key| !listed.has(key, place)).count();
                missing += if own.state == State::Live { lacking } else { 0 };
            }
            let extra = listed.others(records.ids, |_| true);
            let message =
                || format!("`{name}`: {missing} missing, {extra} extra. It is rebuilt from the memories.");
            (missing + extra > 0).then(message)
        };
        let found = MAPS.into_iter().zip(self.maps).filter_map(message);
        found.map(|message| (Code::IndexStale, Severity::Warning, message))
    }
}

/// Accepts the bytes of the live files, with or without the archives: the specification doesn't say which.
fn bytes(statistics: Json<'_>, records: &IndexedRecords<'_>) -> Option<Fault> {
    let stored = statistics.get("total_storage_bytes")?.number()?;
    let [live, archived] = records.bytes;
    let is_right = [live, live + archived].iter().any(|bytes| *bytes as f64 == stored);
    let message = format!("`statistics.total_storage_bytes` says {stored}; there are {live}.");
    (!is_right).then_some((Code::CountMismatch, Severity::Note, message))
}

fn version(own: Json<'_>) -> Option<Fault> {
    let version = own.plain();
    let message = format!("The index names version {version:?}, not {VERSION:?}.");
    (version != VERSION).then_some((Code::UnsupportedVersion, Severity::Warning, message))
}

/// Accepts counts with and without archived records in the live files: the specification doesn't say which.
fn counts(statistics: Json<'_>, records: &IndexedRecords<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    let count =
        |test: &dyn Fn(&IndexedRecord<'_>) -> bool| records.own.iter().filter(|record| test(record)).count();
    let mut compare = |path: &[&str], accepted: [usize; 2]| {
        let Some(stored) = statistics.path(path).and_then(|n| n.number()) else { return };
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
