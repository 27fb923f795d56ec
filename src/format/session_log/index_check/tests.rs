//! Compares the check of an index with one that uses sets of its entries and of its pairs of key and id.

use std::borrow::Cow;
use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::format::id_lists::tests::{IDS, KEYS, Map, any_damage, lists, pairs, spelled};
use crate::format::record_reader::whole_object;
use crate::format::session_log::SessionLog;
use crate::format::{AssemblyInput, Format};
use crate::model::{Moment, Role};
use crate::text::json_scanner::Tape;

const NOW: Moment = Moment(1_768_141_800_123_456);

fn document(name: &str, role: Role, bytes: &[u8]) -> std::sync::Arc<Document> {
    let path = Path::new("sessions/s").join(name);
    let read = SessionLog.read(role, &path, bytes, NOW);
    let own = Document::of_bytes(path, role, bytes.to_vec());
    std::sync::Arc::new(Document { records: read.records, problems: read.problems, ..own })
}

type Records<'a> = HashMap<&'a str, (&'a Record, &'a StoredMemory)>;

/// Returns the members that disagree with the log, and whether each deleted entry is marked. Compares sets.
fn by_sets(index: Json<'_>, log: &Document, deleted: &HashSet<&str>) -> (Vec<&'static str>, bool) {
    let mut records = Records::new();
    for record in &log.records {
        if let Some((id, memory)) = record.memory().and_then(|memory| Some((memory.id()?, memory))) {
            records.entry(id).or_insert((record, memory));
        }
    }
    let live = |id: &str| !deleted.contains(id);
    let of_tags: fn(&StoredMemory) -> Vec<String> =
        |memory| memory.tags().map(|tag| tag.to_string()).collect();
    let of_type: fn(&StoredMemory) -> Vec<String> = |memory| vec![memory.kind().to_string()];
    let is_wrong = |(name, keys): &(&str, fn(&StoredMemory) -> Vec<String>)| {
        let Some(map) = index.get(name) else {
            return records.iter().any(|(id, (_, memory))| live(id) && !keys(memory).is_empty());
        };
        let indexed = pairs(map);
        let of = |(id, (_, memory)): (&&str, &(_, &StoredMemory))| {
            let id = (*id).to_owned();
            keys(memory).into_iter().map(move |key| (key, id.clone())).collect::<Vec<_>>()
        };
        let own: HashSet<(String, String)> = records.iter().flat_map(of).collect();
        let may_stay = |id: &str| !live(id) && records.contains_key(id);
        own.difference(&indexed).any(|(_, id)| live(id))
            || indexed.difference(&own).any(|(_, id)| !may_stay(id))
    };
    let entries = match index.get("entries") {
        Some(entries) => are_entries(entries, &records, deleted),
        None => !records.keys().any(|id| live(id)),
    };
    let maps = [("tags", of_tags), ("types", of_type)].into_iter().filter(is_wrong).map(|(name, _)| name);
    let wrong = (!entries).then_some("entries").into_iter().chain(maps).collect();
    let entries = index.get("entries").into_iter().flat_map(|entries| entries.members());
    let is_live = |entry: &Json<'_>| entry.get("deleted").and_then(|mark| mark.bool()) != Some(true);
    let of_deleted = |id: &str| !live(id) && records.contains_key(id);
    let unmarked = entries.filter(|(key, entry)| of_deleted(&key.text().unwrap()) && is_live(entry)).count();
    (wrong, unmarked == 0)
}

fn are_entries(entries: Json<'_>, records: &Records<'_>, deleted: &HashSet<&str>) -> bool {
    let id = |key: Json<'_>| key.text().unwrap().into_owned();
    let seen: HashSet<String> = entries.members().map(|(key, _)| id(key)).collect();
    let is_right = |(key, entry): (Json<'_>, Json<'_>)| {
        records.get(id(key).as_str()).is_some_and(|(record, memory)| is_as_logged(entry, record, memory))
    };
    entries.members().all(is_right) && records.keys().all(|id| deleted.contains(*id) || seen.contains(*id))
}

fn is_as_logged(entry: Json<'_>, record: &Record, memory: &StoredMemory) -> bool {
    let number = |name: &str, value: f64| entry.get(name).is_none_or(|stored| stored.number() == Some(value));
    let tags = entry.get("tags").is_none_or(|tags| {
        let stored: HashSet<String> = tags.items().map(|tag| tag.plain()).collect();
        let own: HashSet<String> = memory.tags().map(|tag| tag.to_string()).collect();
        stored == own
    });
    let when = entry.get("timestamp").is_none_or(|stored| {
        let stored = stored.text().and_then(|text| Moment::parse(&text)).map(|(when, _)| when);
        stored == memory.created
    });
    let importance = entry.get("importance").and_then(|own| Some(own.number()?.clamp(0.0, 1.0)));
    entry.kind() == JsonKind::Object
        && number("line_number", f64::from(record.line))
        && number("byte_offset", record.span.start as f64)
        && importance.is_none_or(|stored| stored == memory.importance)
        && entry.get("type").is_none_or(|kind| kind.is_text(memory.kind()))
        && tags
        && when
}

/// A log with doubled and escaped ids, and with a broken line.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    let tags = proptest::collection::vec(select(&KEYS[..4]), 0..4);
    let line = (0_usize..12, tags, select(&["finding", "decision", "\u{e9}"][..]), 0_u8..9, any::<bool>());
    let line = line.prop_map(|(id, tags, kind, importance, escaped)| {
        let rest = json!({
            "session_id": "s", "timestamp": "2026-01-10T12:00:00Z", "type": kind, "content": {"finding": "x"},
            "importance": f64::from(importance) / 7.0, "tags": tags,
        });
        match (IDS[..7].get(id), id) {
            (Some(id), _) => format!("{{\"id\":{},{}\n", spelled(id, escaped), &rest.to_string()[1..]),
            (None, 7) => "{\"id\":\"a\"\n".to_owned(),
            (None, _) => format!("{{\"id\":\"r{id}{importance}\",{}\n", &rest.to_string()[1..]),
        }
    });
    proptest::collection::vec(line, 0..9).prop_map(|lines| lines.concat().into_bytes())
}

/// Returns a member of an index as a map that can be damaged.
fn map_of(index: Json<'_>, name: &str) -> Map {
    let text = |json: Json<'_>| String::from_utf8(json.raw().to_vec()).unwrap();
    let members = index.get(name).unwrap().members();
    let lists = members.flat_map(|(key, value)| match value.kind() {
        JsonKind::Array => value.items().map(|item| (text(key), text(item))).collect(),
        _ => vec![(text(key), text(value))],
    });
    lists.collect()
}

const ENTRIES: [&str; 9] = [
    "{}",
    "null",
    "[]",
    r#"{"deleted":true}"#,
    r#"{"deleted":false,"line_number":1,"line_number":1.0}"#,
    r#"{"byte_offset":0,"line_number":1,"tags":["u","t"],"type":"f\u0069nding"}"#,
    r#"{"tags":["t","t",""]}"#,
    r#"{"importance":7,"timestamp":"2026-01-10T13:00:00+01:00"}"#,
    r#"{"timestamp":17,"tags":"t"}"#,
];

proptest! {
    #![proptest_config(crate::tries::config(256, 20_000))]

    #[test]
    fn an_index_is_judged_as_its_sets_are(
        log in any_log(),
        before in any_log(),
        is_stale in any::<bool>(),
        deleted in proptest::collection::vec(select(&IDS[..]), 0..3),
        damage in [any_damage(), any_damage(), any_damage()],
        left_out in 0_usize..20,
        version in select(&["", "\"version\":1,", "\"version\":\"1\","][..]),
    ) {
        let tombstone = |id: &&str| json!({"id": id, "timestamp": "2026-01-10T12:00:00Z", "reason": "x"}).to_string() + "\n";
        let tombstones: String = deleted.iter().map(tombstone).collect();
        let tombstones = document("tombstones.jsonl", Role::Tombstones, tombstones.as_bytes());
        let written_of = document("memory.jsonl", Role::Records, if is_stale { &before } else { &log });
        let log = document("memory.jsonl", Role::Records, &log);
        let documents = [written_of, tombstones.clone()];
        let parts = AssemblyInput::of(&documents, &[]);
        let touched = [log.path.clone()];
        let written = SessionLog.derived(&parts, &touched, NOW).pop().unwrap().bytes;
        let mut tape = Tape::default();
        let written = whole_object(&mut tape, &written).unwrap();
        let [mut entries, mut tags, mut types] = ["entries", "tags", "types"].map(|name| map_of(written, name));
        damage[0].done_to(&mut entries, &ENTRIES.map(str::to_owned));
        damage[1].done_to(&mut tags, &["1".into(), "\"\\ud800\"".into()]);
        damage[2].done_to(&mut types, &["[]".into()]);
        let entries: Vec<String> = entries.iter().map(|(id, entry)| format!("{id}: {entry}")).collect();
        let parts = [format!("\"entries\":{{{}}}", entries.join(",")), format!("\"tags\":{}", lists(&tags)), format!("\"types\":{}", lists(&types))];
        let kept = parts.into_iter().enumerate().filter(|(at, _)| *at != left_out);
        let index = format!("{{{version}{}}}", kept.map(|(_, part)| part).collect::<Vec<_>>().join(","));
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, index.as_bytes()).unwrap();

        let own = EntryLog::of(Some(&log), Some(&tombstones));
        let problems = check(index.as_bytes(), Path::new("i"), &own);
        let (wrong, is_marked) = by_sets(object, &log, &deleted.iter().copied().collect());
        let wrong: Vec<String> = wrong.iter().map(|name| format!("`{name}`")).collect();
        let mut expected = Vec::new();
        expected.extend(version.contains("\"1\"").then(|| "The index names version 1; this format has 1.".to_owned()));
        expected.extend((!wrong.is_empty()).then(|| format!("The index disagrees with the log: {}. A repair rebuilds it from the log.", wrong.join(", "))));
        expected.extend((!is_marked).then(|| "The index names deleted memories as if they were live.".to_owned()));
        let told: Vec<Cow<'_, str>> = problems.iter().map(|problem| Cow::from(&*problem.message)).collect();
        prop_assert_eq!(&told, &expected, "{}", index);
        prop_assert_eq!(is_right(index.as_bytes(), &own), told.is_empty() && object.get("entries").is_some(), "{}", index);
    }
}
