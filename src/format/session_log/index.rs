//! A session's `index.json` (§3.3) against its memory log.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::model::{Code, Document, Moment, Problem, Record, Severity, View};
use crate::text::json::{Json, Kind};

/// Judges the index of one session. `deleted` are the ids that tombstones name: they may
/// are in the index or not.
pub fn check(index: Json<'_>, path: &Path, log: Option<&Document>, deleted: &HashSet<&str>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let warning = |code, message: String| Problem::of_file(code, Severity::Warning, path, message);
    if let Some(version) = index.get("version").filter(|version| version.number() != Some(1.0)) {
        let message = format!("The index names version {}; this format has 1.", version.plain());
        problems.push(warning(Code::UnsupportedVersion, message));
    }
    let records = first_of_each_id(log);
    let mut stale: Vec<String> = Vec::new();
    let live = |id: &str| !deleted.contains(id);
    match index.get("entries") {
        Some(entries) => stale.extend(compare_entries(entries, &records, deleted)),
        None if records.keys().any(|id| live(id)) => stale.push("`entries` is missing".into()),
        None => {}
    }
    let maps: [(&str, Keys); 2] = [
        ("tags", |view| view.tags.iter().map(|tag| tag.to_string()).collect()),
        ("types", |view| vec![view.kind.to_string()]),
    ];
    for (name, keys) in maps {
        let has_keys = || records.iter().any(|(id, (_, view))| live(id) && !keys(view).is_empty());
        match index.get(name) {
            Some(map) => stale.extend(compare_map(name, map, &records, deleted, keys)),
            None if has_keys() => stale.push(format!("`{name}` is missing")),
            None => {}
        }
    }
    if !stale.is_empty() {
        let message =
            format!("The index disagrees with the log: {}. It is rebuilt from it.", stale.join("; "));
        problems.push(warning(Code::IndexStale, message));
    }
    let gone = naming_deleted(index, deleted);
    if gone > 0 {
        let message = format!("The index names {gone} deleted entries as if they were live.");
        problems.push(Problem::of_file(Code::IndexStale, Severity::Note, path, message));
    }
    problems
}

/// How many deleted entries are in an index without a mark. Agents delete by a tombstone alone.
fn naming_deleted(index: Json<'_>, deleted: &HashSet<&str>) -> usize {
    let is_deleted = |id: Option<Cow<'_, str>>| id.is_some_and(|id| deleted.contains(&*id));
    let entries = index.get("entries").into_iter().flat_map(|entries| entries.members());
    let live = |entry: &Json<'_>| entry.get("deleted").and_then(|mark| mark.bool()) != Some(true);
    entries.filter(|(key, entry)| is_deleted(key.text()) && live(entry)).count()
}

type Keys = fn(&View) -> Vec<String>;
type Records<'a> = HashMap<&'a str, (&'a Record, &'a View)>;

fn first_of_each_id(log: Option<&Document>) -> Records<'_> {
    let mut records = HashMap::new();
    for record in log.iter().flat_map(|log| &log.records) {
        if let Some(view) = record.view()
            && let Some(id) = view.id.as_deref()
        {
            records.entry(id).or_insert((record, view));
        }
    }
    records
}

fn compare_entries(entries: Json<'_>, records: &Records<'_>, deleted: &HashSet<&str>) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::new();
    let (mut gone, mut wrong) = (0, 0);
    for (key, entry) in entries.members() {
        let id = key.text().unwrap_or_default().into_owned();
        match records.get(id.as_str()) {
            Some((record, view)) => wrong += usize::from(!agrees(entry, record, view)),
            None => gone += usize::from(!deleted.contains(id.as_str())),
        }
        seen.insert(id);
    }
    let missing = records.keys().filter(|id| !deleted.contains(**id) && !seen.contains(**id)).count();
    let parts = [
        (missing, "entries are missing"),
        (gone, "entries are not in the log"),
        (wrong, "entries are wrong"),
    ];
    parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

/// Whether what the index holds of an entry is what the log holds. Its
/// `current_relevance` is a cache of a moment, and not judged.
fn agrees(entry: Json<'_>, record: &Record, view: &View) -> bool {
    let number = |name: &str, value: f64| entry.get(name).is_none_or(|stored| stored.number() == Some(value));
    let tags = entry.get("tags").is_none_or(|tags| {
        let stored: HashSet<String> = tags.items().map(|tag| tag.plain()).collect();
        let own: HashSet<String> = view.tags.iter().map(|tag| tag.to_string()).collect();
        stored == own
    });
    let when = entry.get("timestamp").is_none_or(|stored| {
        let stored = stored.text().and_then(|text| Moment::parse(&text)).map(|(when, _)| when);
        stored == view.created
    });
    entry.kind() == Kind::Object
        && number("line_number", f64::from(record.line))
        && number("byte_offset", record.span.start as f64)
        && importance(entry).is_none_or(|stored| stored == view.importance)
        && entry.get("type").is_none_or(|kind| kind.is_text(&view.kind))
        && tags
        && when
}

/// The importance in the index as a view reads it: what lies outside its range is
/// reported where it is in the log.
fn importance(entry: Json<'_>) -> Option<f64> {
    Some(entry.get("importance")?.number()?.clamp(0.0, 1.0))
}

fn compare_map(
    name: &str,
    map: Json<'_>,
    records: &Records<'_>,
    deleted: &HashSet<&str>,
    keys: Keys,
) -> Option<String> {
    let mut indexed: HashSet<(String, String)> = HashSet::new();
    for (key, ids) in map.members() {
        let key = key.text().unwrap_or_default().into_owned();
        indexed.extend(ids.items().filter_map(|id| id.text()).map(|id| (key.clone(), id.into_owned())));
    }
    let mut own: HashSet<(String, String)> = HashSet::new();
    for (id, (_, view)) in records {
        own.extend(keys(view).into_iter().map(|key| (key, (*id).to_owned())));
    }
    let counts = |pair: &&(String, String)| !deleted.contains(pair.1.as_str());
    let missing = own.difference(&indexed).filter(counts).count();
    let extra = indexed.difference(&own).filter(counts).count();
    (missing + extra > 0).then(|| format!("`{name}`: {missing} missing, {extra} extra"))
}
