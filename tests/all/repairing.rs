//! What repairs do to damaged logs of every format, and what they never do.

mod coming_back;
mod copies;
mod corpus;
mod cut;
mod erased;
mod fields;
mod left_behind;
mod many;
mod notes;
mod outcomes;
mod texts;
mod tombstones;
mod undone;
mod verbs;

use crate::faulty::Faulty;
use palimp::model::{Extent, Store};
use palimp::ops::WriteContext;
use palimp::ops::repair::{RepairContext, RepairPlan, RepairSources, RepairTarget, chosen};
use palimp::store::{Place, load_from};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::files::{LOGS, now};

const ROOT: &str = "/store";

/// Returns a record of the format. Its text and its nested objects look like records, too.
fn record(format: &str, id: &str, text: &str) -> String {
    let when = "2026-01-20T10:00:00Z";
    let nested = json!({"k": 1, "deep": [{"id": "x"}]});
    let value: Value = match format {
        "memory-server" => json!({"id": id, "type": "learning", "content": text, "created_at": when,
            "updated_at": when, "accessed_at": when, "access_count": 1, "importance": "high",
            "task_metadata": nested, "tags": ["a"]}),
        "session-log" => json!({"id": id, "timestamp": when, "type": "finding",
            "content": {"finding": text, "more": nested}, "tags": ["a"]}),
        "agent-memory" => json!({"id": id, "kind": "tool_run", "createdAt": when, "summary": text,
            "signals": nested, "sourceRef": {"id": "y"}}),
        "bmad" => json!({"id": id, "timestamp": when, "agent_id": "dev", "role": "user",
            "metadata": nested, "content": text}),
        _ => {
            json!({"event_id": id, "timestamp": when, "event_type": text, "trace_id": "t", "metadata": nested})
        }
    };
    value.to_string()
}

fn load(files: &[(&str, &[u8])], format: &'static str) -> Store {
    let disk = Faulty::new();
    for (path, bytes) in files {
        disk.put(format!("{ROOT}/{path}"), *bytes, 0o600);
    }
    let place = Place::whole(ROOT.into(), format);
    load_from(&disk, &place, Extent::All, None, now())
}

/// Asks for the fixes of a store's problems.
fn on_bench<T>(store: &Store, ask: impl FnOnce(&RepairContext<'_>) -> T) -> T {
    let context = WriteContext::of(store, now(), [7; 16]);
    ask(&RepairContext::of(&context, &RepairSources::default(), []))
}

/// Returns the log after these fixes, and the plan of them.
fn repaired_log(
    format: &'static str,
    log: &str,
    bytes: &[u8],
    which: &RepairTarget,
) -> (Vec<u8>, RepairPlan) {
    let store = load(&[(log, bytes)], format);
    let done = on_bench(&store, |bench| chosen(bench, which)).unwrap();
    let own = done.plan.iter().flat_map(|plan| &plan.changes).find(|change| change.path.as_os_str() == log);
    // The format's own note of a repair is not part of the damaged bytes.
    (own.map_or_else(|| bytes.to_vec(), |change| change.after().unwrap().to_vec()), done)
}

/// Returns the log after the safe repair, and what went to quarantine.
fn repaired(format: &'static str, log: &str, bytes: &[u8]) -> (Vec<u8>, Vec<(u64, Vec<u8>)>) {
    let (after, done) = repaired_log(format, log, bytes, &RepairTarget::AllSafe);
    let out = done.quarantined.into_iter().filter(|own| own.file.as_os_str() == log);
    (after, out.map(|own| (own.at, own.bytes)).collect())
}

/// Returns the lines of a log that a reader takes for complete records.
fn whole(format: &'static str, log: &str, bytes: &[u8]) -> Vec<String> {
    let store = load(&[(log, bytes)], format);
    let own = store.documents.iter().find(|own| own.path.as_os_str() == log).unwrap();
    let read = own.records.iter().filter(|record| record.memory().is_some());
    read.map(|record| String::from_utf8(own.raw(record).to_vec()).unwrap()).collect()
}

#[test]
fn a_whole_record_behind_a_torn_one_gets_its_own_line_and_the_torn_part_stays_beside_it() {
    for (format, log) in LOGS {
        let (torn, good) = (record(format, "torn", "t"), record(format, "good", "g"));
        let half = &torn[..torn.len() / 2];
        let (left, out) = repaired(format, log, format!("{half}{good}\n").as_bytes());
        assert_eq!(String::from_utf8_lossy(&left), format!("{half}\n{good}\n"), "{format}");
        assert_eq!(out, [], "{format}");
    }
}

#[test]
fn nested_objects_of_a_torn_record_are_no_records() {
    for (format, log) in LOGS {
        let torn = record(format, "torn", "t");
        for cut in 1..torn.len() {
            let line = format!("{}\n", &torn[..cut]);
            let (left, out) = repaired(format, log, line.as_bytes());
            assert_eq!(String::from_utf8_lossy(&left), line, "{format} {cut}");
            assert_eq!(out, [], "{format} {cut}");
        }
    }
}

#[test]
fn of_a_merge_all_lines_are_shown_as_each_fix_leaves_them() {
    let (format, log) = LOGS[1];
    let [ours, theirs] = ["a", "b"].map(|id| record(format, id, "words"));
    let text = format!("<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> topic");
    let store = load(&[(log, format!("{text}\n").as_bytes())], format);
    for own in store.problems.iter().filter(|own| own.code.as_str() == "conflict-markers") {
        let beside = on_bench(&store, |bench| bench.beside(own));
        assert_eq!(String::from_utf8_lossy(&beside.before), text);
        for (fix, after) in beside.fixes.iter().take(3) {
            let left = match fix.title.as_str() {
                "keep the first side" => ours.clone(),
                "keep the second side" => theirs.clone(),
                _ => format!("{ours}\n{theirs}"),
            };
            assert_eq!(String::from_utf8_lossy(after.as_deref().unwrap()), left, "{}", fix.title);
        }
    }
}

#[test]
fn several_byte_order_marks_leave_with_one_repair() {
    let record = record("session-log", "mem_1", "one");
    let log = format!("{record}\n");
    for (file, text) in [("config.json", "{\"version\":\"1.0\"}\n"), ("sessions/s/memory.jsonl", &log)] {
        for count in 1..4 {
            let marks = "\u{feff}".repeat(count);
            let (after, out) = repaired("session-log", file, format!("{marks}{text}").as_bytes());
            assert_eq!(String::from_utf8_lossy(&after), text, "{file} {count}");
            let out: Vec<u8> = out.into_iter().flat_map(|(_, bytes)| bytes).collect();
            assert_eq!(String::from_utf8_lossy(&out), marks, "{file} {count}");
        }
    }
}
