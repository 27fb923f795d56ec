//! `index.json` against the records it was made from ("Index File Format").

use std::borrow::Cow;
use std::collections::HashMap;

use super::layout;
use crate::format::Parts;
use crate::format::reading::whole_object;
use crate::model::{Code, Document, Entry, Problem, Role, Severity, State, View};
use crate::text::json::Json;
use crate::text::lines::BOM;
use crate::text::scan::Tape;

/// The version that its writer writes.
pub const VERSION: &str = "1.0.0";

/// Judges the index; nothing if it can't be read, which is said elsewhere.
pub fn check(document: &Document, parts: &Parts<'_>, entries: &[Entry]) -> Vec<Problem> {
    let body = document.bytes.strip_prefix(BOM).unwrap_or(&document.bytes);
    let mut tape = Tape::default();
    let Ok(index) = whole_object(&mut tape, body) else { return Vec::new() };
    let records: Vec<Listed<'_>> = entries.iter().filter_map(|entry| listed(parts, entry)).collect();
    let mut found = Vec::new();
    version(index, &mut found);
    counts(index, &records, &mut found);
    for (name, keys) in MAPS {
        let has_keys = || {
            records
                .iter()
                .any(|own| own.state == State::Live && own.view.id.is_some() && !keys(own.view).is_empty())
        };
        match index.get(name) {
            Some(map) => found.extend(stale(name, map, &records, keys)),
            None if has_keys() => {
                let message = format!("`{name}` is missing; it is rebuilt from the records.");
                found.push((Code::IndexStale, message));
            }
            None => {}
        }
    }
    let problem = |(code, message)| Problem::of_file(code, Severity::Warning, &document.path, message);
    found.into_iter().map(problem).chain(bytes(index, document, parts)).collect()
}

/// The bytes of the live files, or of those and the archives: the specification doesn't say which.
fn bytes(index: Json<'_>, document: &Document, parts: &Parts<'_>) -> Option<Problem> {
    let stored = index.path(&["statistics", "total_storage_bytes"])?.number()?;
    let of =
        |role| parts.documents.iter().filter(move |own| own.role == role).map(|own| own.len).sum::<u64>();
    let (live, archived) = (of(Role::Records), of(Role::Archive));
    let is_right = [live, live + archived].iter().any(|bytes| *bytes as f64 == stored);
    let message = format!("`statistics.total_storage_bytes` says {stored}; there are {live}.");
    (!is_right).then(|| Problem::of_file(Code::CountMismatch, Severity::Note, &document.path, message))
}

/// A readable record of the live files or the archives.
struct Listed<'a> {
    view: &'a View,
    in_live_file: bool,
    state: State,
}

/// What a record is listed under in one of the maps.
pub type Keys = for<'v> fn(&'v View) -> Vec<&'v str>;

/// The maps from keys to ids.
pub const MAPS: [(&str, Keys); 3] = [
    ("tags_index", |view| view.tags.iter().map(|tag| &**tag).collect()),
    ("category_index", |view| view.topic.iter().map(|topic| &**topic).collect()),
    ("importance_index", |view| vec![importance_word(view.importance)]),
];

fn listed<'a>(parts: &Parts<'a>, entry: &Entry) -> Option<Listed<'a>> {
    let document = &parts.documents[entry.document as usize];
    let view = document.records[entry.record as usize].view()?;
    Some(Listed { view, in_live_file: document.role == Role::Records, state: entry.state })
}

fn version(index: Json<'_>, found: &mut Vec<(Code, String)>) {
    match index.get("version").map(|version| version.plain()) {
        Some(version) if version != VERSION => {
            found.push((
                Code::UnsupportedVersion,
                format!("The index names version {version:?}, not {VERSION:?}."),
            ));
        }
        _ => {}
    }
}

/// Counts with and without what the live files hold as archived: the specification
/// doesn't say which, and either is accepted.
fn counts(index: Json<'_>, records: &[Listed<'_>], found: &mut Vec<(Code, String)>) {
    let count = |test: &dyn Fn(&Listed<'_>) -> bool| records.iter().filter(|record| test(record)).count();
    let mut compare = |path: &[&str], accepted: [usize; 2]| {
        let Some(stored) = index.get("statistics").and_then(|s| s.path(path)).and_then(|n| n.number()) else {
            return;
        };
        if !accepted.iter().any(|&count| count as f64 == stored) {
            let name = path.join(".");
            found.push((
                Code::CountMismatch,
                format!("`statistics.{name}` says {stored}; there are {}.", accepted[0]),
            ));
        }
    };
    let live = count(&|record| record.state == State::Live);
    compare(&["total_memories"], [live, count(&|record| record.in_live_file)]);
    for (_, kind) in layout::FILES {
        let live = count(&|record| record.state == State::Live && record.view.kind == kind);
        compare(&["by_type", kind], [live, count(&|record| record.in_live_file && record.view.kind == kind)]);
    }
    let archived = count(&|record| record.state == State::Archived);
    compare(&["archived_count"], [archived, count(&|record| !record.in_live_file)]);
}

/// How the map from keys to ids differs from the live records, in one message.
fn stale(name: &str, map: Json<'_>, records: &[Listed<'_>], keys: Keys) -> Option<(Code, String)> {
    if is_as_built(map, records, keys) {
        return None;
    }
    // Of each id that the map has under a key, whether a record has it.
    let mut indexed: HashMap<Cow<'_, str>, HashMap<Cow<'_, str>, bool>> = HashMap::new();
    for (key, ids) in map.members() {
        let ids = ids.items().filter_map(|id| id.text()).map(|id| (id, false));
        indexed.entry(key.text().unwrap_or_default()).or_default().extend(ids);
    }
    let mut missing = 0;
    for record in records {
        let Some(id) = record.view.id.as_deref() else { continue };
        for key in keys(record.view) {
            match indexed.get_mut(key).and_then(|ids| ids.get_mut(id)) {
                Some(known) => *known = true,
                None => missing += usize::from(record.state == State::Live),
            }
        }
    }
    let extra = indexed.values().flat_map(HashMap::values).filter(|known| !**known).count();
    (missing + extra > 0).then(|| {
        let message = format!("`{name}`: {missing} missing, {extra} extra. It is rebuilt from the records.");
        (Code::IndexStale, message)
    })
}

/// Whether the map lists the live records in their order, as it does when it was just built: then
/// no id needs to be looked up.
fn is_as_built(map: Json<'_>, records: &[Listed<'_>], keys: Keys) -> bool {
    let mut lists: HashMap<Cow<'_, str>, _> = HashMap::new();
    for (key, ids) in map.members() {
        if lists.insert(key.text().unwrap_or_default(), ids.items()).is_some() {
            return false;
        }
    }
    for record in records.iter().filter(|own| own.state == State::Live) {
        let Some(id) = record.view.id.as_deref() else { continue };
        for key in keys(record.view) {
            let next = lists.get_mut(key).and_then(Iterator::next);
            if next.and_then(|own| own.text()).is_none_or(|own| own != id) {
                return false;
            }
        }
    }
    lists.into_values().all(|mut ids| ids.next().is_none())
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
