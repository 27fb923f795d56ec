//! Compares `index.json` with its records ("Index File Format").

use super::layout;
use crate::format::AssemblyInput;
use crate::format::field_reader::Fault;
use crate::format::id_index::IdIndex;
use crate::format::id_lists::{self, KeysOf};
use crate::format::record_reader::with_object;
use crate::format::writing::level_word;
use crate::model::{Code, Document, Entry, Problem, RecordBody, Role, Severity, State, StoredMemory};
use crate::text::json::Json;

/// The version that the format's writer writes.
pub const VERSION: &str = "1.0.0";

pub const MAPS: [(&str, KeysOf); 3] = [
    ("tags_index", |memory| memory.tags().collect()),
    ("category_index", |memory| memory.topic().into_iter().collect()),
    ("importance_index", |memory| vec![level_word(memory.importance)]),
];

/// The readable records of the live files and the archives.
pub struct IndexedRecords<'a> {
    pub own: Vec<IndexedRecord<'a>>,
    pub ids: &'a IdIndex<'a>,
    /// The bytes of the live files, and of the archives.
    pub bytes: [u64; 2],
}

pub struct IndexedRecord<'a> {
    pub memory: &'a StoredMemory,
    pub id: Option<(&'a str, u32)>,
    pub state: State,
    in_live_file: bool,
}

impl<'a> IndexedRecords<'a> {
    pub fn of(parts: &AssemblyInput<'a>, entries: &[Entry], ids: &'a IdIndex<'a>) -> Self {
        let mut next = 0;
        let own = entries.iter().filter_map(|entry| {
            let document = &parts.documents[entry.document as usize];
            let RecordBody::Read(memory) = &document.records[entry.record as usize].body else { return None };
            let id = memory.id().and_then(|id| Some((id, ids.place(id, &mut next)?)));
            Some(IndexedRecord {
                memory,
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
    let problem = |(code, severity, message)| Problem::of_file(code, severity, &document.path, message);
    let problems = |index: Json<'_>| faults(index, records).map(problem).collect();
    with_object(&document.bytes, problems).unwrap_or_default()
}

/// True if the index can be read, is complete and correct.
pub fn is_right(index: &[u8], records: &IndexedRecords<'_>) -> bool {
    let is_right = |index: Json<'_>| {
        let is_whole = ["statistics", "tags_index"].iter().all(|name| index.get(name).is_some());
        is_whole && faults(index, records).next().is_none()
    };
    with_object(index, is_right).unwrap_or_default()
}

fn faults<'i>(index: Json<'i>, records: &'i IndexedRecords<'i>) -> impl Iterator<Item = Fault> + 'i {
    let statistics = index.get("statistics");
    let counts = statistics.map(|own| counts(own, records)).unwrap_or_default();
    let bytes = statistics.and_then(|own| bytes(own, records));
    let stale = move |(name, keys): (&str, KeysOf)| {
        let with_id = records.own.iter().filter_map(|own| Some((own, own.id?.1)));
        let listed = with_id.map(|(own, place)| (keys(own.memory), place, own.state == State::Live));
        let is_right = id_lists::is_right(index.get(name), records.ids, listed, |_| false);
        let message = || format!("`{name}` disagrees with the memories. It is rebuilt from them.");
        (!is_right).then(|| (Code::IndexStale, Severity::Warning, message()))
    };
    let version = index.get("version").and_then(version);
    version.into_iter().chain(counts).chain(MAPS.into_iter().filter_map(stale)).chain(bytes)
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
        let live = count(&|record| record.state == State::Live && record.memory.kind() == kind);
        let in_file = count(&|record| record.in_live_file && record.memory.kind() == kind);
        compare(&["by_type", kind], [live, in_file]);
    }
    let archived = count(&|record| record.state == State::Archived);
    compare(&["archived_count"], [archived, count(&|record| !record.in_live_file)]);
    found
}

#[cfg(test)]
mod tests;
