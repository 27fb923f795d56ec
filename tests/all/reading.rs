//! Every readable record is read as itself, every other line as a broken one, and no byte moves.

use crate::support;

use palimp::model::{Extent, Moment, Snapshot, State, Store};
use palimp::store::{load, look_at};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{StoreBuilder, TempStore, Tree, assert_untouched, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn now() -> Moment {
    Moment::parse(NOW).unwrap().0
}

fn loaded(store: &TempStore) -> Store {
    let places = look_at(&store.path, None).found.unwrap();
    assert_eq!(places.len(), 1);
    load(&places[0], Extent::All, None, now())
}

/// The content of a line of a log.
#[derive(Clone, Debug)]
enum Written {
    Whole(String),
    Torn,
    Glued(String, String),
    ExtraBrace(String),
    Pretty(String),
    Nuls(String),
    NotUtf8,
    RawNewline,
    Rubbish(&'static str),
    Blank,
}

fn entry(text: &str) -> Value {
    json!({"id": "", "session_id": "s", "timestamp": "2026-01-10T12:00:00Z", "type": "finding",
           "content": {"finding": text}, "importance": 0.50, "tags": ["a.b"], "references": []})
}

/// A record as it should be read: its id, `None` for a broken one, and its raw bytes.
type Expected = (Option<String>, Vec<u8>);

fn bytes_of(written: &Written, number: usize) -> (Vec<u8>, Vec<Expected>) {
    let id = |part: usize| format!("mem_{number}_{part}");
    let object = |text: &str, part: usize| {
        let mut entry = entry(text);
        entry["id"] = id(part).into();
        entry
    };
    let compact = |text: &str, part: usize| object(text, part).to_string().into_bytes();
    let broken = |bytes: &[u8], raw: &[u8]| (bytes.to_vec(), vec![(None, raw.to_vec())]);
    match written {
        Written::Whole(text) => {
            let line = compact(text, 0);
            ([&line[..], b"\n"].concat(), vec![(Some(id(0)), line)])
        }
        Written::Torn => {
            let line = compact("was never finished", 0);
            let half = &line[..line.len() / 2];
            broken(&[half, b"\n"].concat(), half)
        }
        Written::Glued(one, two) => {
            let (one, two) = (compact(one, 0), compact(two, 1));
            let bytes = [&one[..], &two[..], b"\n"].concat();
            (bytes, vec![(Some(id(0)), one), (Some(id(1)), two)])
        }
        Written::ExtraBrace(text) => {
            let line = compact(text, 0);
            ([&line[..], b"}\n"].concat(), vec![(Some(id(0)), line)])
        }
        Written::Pretty(text) => {
            let lines = serde_json::to_vec_pretty(&object(text, 0)).unwrap();
            ([&lines[..], b"\n"].concat(), vec![(Some(id(0)), lines)])
        }
        Written::Nuls(text) => {
            let line = compact(text, 0);
            ([&[0; 9][..], &line, b"\0\0\n"].concat(), vec![(Some(id(0)), line)])
        }
        Written::NotUtf8 => broken(b"{\"id\":\"\xff\xfe\"}\n", b"{\"id\":\"\xff\xfe\"}"),
        Written::RawNewline => broken(b"{\"id\":\"a\nb\"}\n", b"{\"id\":\"a\nb\"}"),
        Written::Rubbish(text) => broken(format!("{text}\n").as_bytes(), text.as_bytes()),
        Written::Blank => (b" \r\n".to_vec(), Vec::new()),
    }
}

fn lines() -> impl Strategy<Value = Vec<Written>> {
    let text = || "[a-zäé 接\\\\\"{}]{0,12}";
    let line = prop_oneof![
        6 => text().prop_map(Written::Whole),
        1 => Just(Written::Torn),
        1 => (text(), text()).prop_map(|(one, two)| Written::Glued(one, two)),
        1 => text().prop_map(Written::ExtraBrace),
        1 => text().prop_map(Written::Pretty),
        1 => text().prop_map(Written::Nuls),
        1 => Just(Written::NotUtf8),
        1 => Just(Written::RawNewline),
        1 => prop_oneof![Just("[1,2]"), Just("null"), Just("hello"), Just("<<<<<<< HEAD"), Just("{oops}")]
            .prop_map(Written::Rubbish),
        1 => Just(Written::Blank),
    ];
    proptest::collection::vec(line, 0..14)
}

proptest! {
    #![proptest_config(crate::support::tries::config(64, 6_400))]

    #[test]
    fn every_record_loads_as_itself_and_every_unreadable_line_as_a_broken_one(lines in lines()) {
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let first = 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u32;
            let (own, records) = bytes_of(line, number);
            expected.extend(records.into_iter().map(|(id, raw)| (id, raw, first)));
            bytes.extend(own);
        }
        let store = StoreBuilder::session_log().session("s").bytes(&bytes).build();
        let read = loaded(&store);
        let found: Vec<(Option<String>, Vec<u8>, u32)> = read.entries.iter().map(|entry| {
            let id = read.id(entry).map(str::to_owned);
            (id, read.raw(entry).to_vec(), read.record(entry).line)
        }).collect();
        prop_assert_eq!(found, expected);
        for entry in &read.entries {
            let span = read.record(entry).span;
            prop_assert_eq!(&bytes[span.range()], &*read.raw(entry));
            let broken = read.memory(entry).is_none();
            prop_assert_eq!(entry.state, if broken { State::Broken } else { State::Live });
            prop_assert!(!broken || read.problems_of(entry).next().is_some());
        }
    }
}

#[test]
fn a_document_of_the_first_writer_is_read_item_by_item() {
    let document = "{\n \"core_memories\": [\n  {\"id\":\"a\",\"content\":\"one\"},\n  7\n ],\n \"learnings\": [],\n \"tasks\": []\n}\n";
    let store = StoreBuilder::memory_server()
        .without("core_memories.jsonl")
        .without("learnings.jsonl")
        .without("tasks.jsonl")
        .without("index.json")
        .file("agent.json", document)
        .build();
    let rows = run(["list", "--store", store.path.to_str().unwrap(), "--json"]).json_lines();
    let of: Vec<(&str, u64, &str)> = rows
        .iter()
        .map(|row| {
            (row["raw"].as_str().unwrap(), row["line"].as_u64().unwrap(), row["state"].as_str().unwrap())
        })
        .collect();
    assert!(of.contains(&("{\"id\":\"a\",\"content\":\"one\"}", 3, "live")), "{of:?}");
    assert!(of.contains(&("7", 4, "broken")), "{of:?}");
}

#[test]
fn reading_touches_neither_bytes_nor_times_nor_modes() {
    let store = StoreBuilder::session_log().session("s").entries(5).tombstone("mem_1").build();
    let before = Tree::of(store.around());
    let path = store.path.to_str().unwrap();
    for verb in [&["stores"][..], &["list"], &["search", "note"], &["check"], &["list", "--all", "--json"]] {
        run([verb, &["--store", path]].concat());
        assert_untouched(store.around(), &before);
    }
}

#[test]
fn the_tail_of_a_long_log_shows_its_newest_entries_with_their_bytes_in_place() {
    let store = StoreBuilder::session_log().session("s").entries(2000).build();
    let places = look_at(&store.path, None).found.unwrap();
    let tail = load(&places[0], Extent::Newest, None, now());
    let whole = load(&places[0], Extent::All, None, now());
    let bytes = store.read("sessions/s/memory.jsonl");
    assert!(tail.entries.len() > 20 && tail.entries.len() < whole.entries.len());
    for entry in &tail.entries {
        let span = tail.record(entry).span;
        assert_eq!(&bytes[span.range()], &*tail.raw(entry));
        assert!(tail.memory(entry).is_some());
    }
    let last = |store: &Store| store.entries.last().map(|entry| store.raw(entry).to_vec());
    assert_eq!(last(&tail), last(&whole));
    assert!(!Snapshot::of(vec![tail.into()]).is_whole());
}
