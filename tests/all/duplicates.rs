//! `duplicates`: records with equal or nearly equal text, in one store and in several.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::files::NOW;
use crate::support::store::{StoreBuilder, TempStore};
use crate::support::{Output, run};

const TEXT: &str = "The pool of connections holds forty of them, and a request waits for two seconds";

fn learning(id: &str, text: &str, importance: &str) -> Value {
    json!({"id": id, "content": text, "importance": importance})
}

fn verb(stores: &[&TempStore], words: &[&str]) -> Output {
    let named = stores.iter().flat_map(|store| ["--store", store.path.to_str().unwrap()]);
    let all = ["duplicates"].into_iter().chain(words.iter().copied()).chain(["--now", NOW]).chain(named);
    run(all.collect::<Vec<_>>())
}

fn groups(stores: &[&TempStore], words: &[&str]) -> Vec<Vec<String>> {
    let rows = verb(stores, &[words, &["--json"]].concat()).json_lines();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let number = row["group"].as_u64().unwrap() as usize;
        assert_eq!(row["first"], groups.len() < number, "{row}");
        groups.resize(number, Vec::new());
        groups[number - 1].push(row["id"].as_str().unwrap().to_owned());
    }
    groups
}

#[test]
fn groups_have_the_most_important_first_and_tell_how_alike_the_others_are() {
    let store = StoreBuilder::memory_server()
        .learning(learning("low", TEXT, "low"))
        .learning(learning("other", "Nothing of that is in this text", "high"))
        .learning(learning("near", &format!("{TEXT}, then it fails"), "medium"))
        .learning(learning("high", &TEXT.to_uppercase(), "high"))
        .build();
    assert_eq!(groups(&[&store], &[]), [["high", "near", "low"]]);
    let rows = verb(&[&store], &["--json"]).expect_status(0).json_lines();
    assert_eq!((&rows[0]["similarity"], &rows[2]["similarity"]), (&json!(1.0), &json!(1.0)));
    assert_eq!(rows[1]["similarity"], json!(14.0 / 17.0));
    assert!(rows.iter().all(|row| row["key"].is_string() && row["raw"].is_string()));
    let told = verb(&[&store], &[]).expect_status(0).stdout;
    let starts: Vec<&str> = told.lines().map(|line| line.get(..7).unwrap_or(line)).collect();
    assert_eq!(starts, ["group 1", "  first", "   82 %", "   99 %"], "{told}");
    assert!(told.starts_with("group 1: 3 memories, at least 82 % alike\n"), "{told}");
}

#[test]
fn a_threshold_a_query_and_a_limit_make_it_less_and_nothing_alike_ends_with_1() {
    let store = StoreBuilder::memory_server()
        .learning(learning("a", TEXT, "low"))
        .learning(learning("b", &format!("{TEXT}, then it fails"), "medium"))
        .task(learning("c", TEXT, "low"))
        .learning(learning("d", "Use tabs", "low"))
        .task(learning("e", "use tabs.", "low"))
        .build();
    assert_eq!(groups(&[&store], &[]), [vec!["b", "a", "c"], vec!["d", "e"]]);
    assert_eq!(groups(&[&store], &["--limit", "1"]), [["b", "a", "c"]]);
    assert_eq!(groups(&[&store], &["--threshold", "90"]), [["a", "c"], ["d", "e"]]);
    assert_eq!(groups(&[&store], &["type:learning", "connections"]), [["b", "a"]]);
    assert_eq!(groups(&[&store], &["-pool"]), [["d", "e"]]);
    assert_eq!(verb(&[&store], &["type:core"]).expect_status(1).stdout, "");
    for wrong in ["49", "101", "0.8", "x"] {
        verb(&[&store], &["--threshold", wrong]).expect_status(2);
    }
}

#[test]
fn archived_ones_are_left_out_unless_they_are_asked_for_and_come_behind_live_ones() {
    let mut old = learning("old", TEXT, "high");
    old["archived"] = json!(true);
    let store = StoreBuilder::memory_server().learning(old).learning(learning("new", TEXT, "low")).build();
    verb(&[&store], &[]).expect_status(1);
    assert_eq!(groups(&[&store], &["--all"]), [["new", "old"]]);
}

#[test]
fn stores_are_compared_with_each_other_and_what_is_read_block_by_block_as_what_is_held() {
    let of = |from: usize| {
        let text =
            |number: usize| format!("Part {number} of the plan was left for {} days in all", number * 7);
        let all = (from..from + 600).map(|number| learning(&format!("m{number}"), &text(number), "low"));
        all.fold(StoreBuilder::memory_server(), |store, own| store.learning(own)).build()
    };
    // Both logs are longer than what palimp holds of a log in memory.
    let (one, other) = (of(0), of(590));
    assert!(one.read("learnings.jsonl").len() > 64 << 10);
    let found = groups(&[&one, &other], &["--threshold", "100"]);
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|group| group.len() == 2 && group[0] == group[1]), "{found:?}");
    // The result is the same if everything is held.
    assert_eq!(groups(&[&one, &other], &["--threshold", "100", "--all"]), found);
}

#[test]
fn a_reason_that_differs_makes_decisions_differ_though_they_begin_alike() {
    let entry = |id: &str, reason: &str| json!({"id": id, "type": "decision", "content": {"decision": "Use SQLite for the cache", "rationale": reason}});
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(entry("mem_1", "it is one file and needs no server at all"))
        .entry(entry("mem_2", "nobody on the team knows how to run anything else"))
        .entry(entry("mem_3", "it is one file and needs no server at all"))
        .build();
    assert_eq!(groups(&[&store], &[]).concat().len(), 2);
}

/// For each format: the place of its store, its log, the name of a record's id, and a record.
fn logs() -> [(&'static str, &'static str, &'static str, Value); 5] {
    let when = "2026-01-02T10:00:00Z";
    [
        (
            "memory",
            "learnings.jsonl",
            "id",
            json!({"type": "learning", "content": TEXT, "created_at": when, "tags": ["a"]}),
        ),
        (
            "memory",
            "sessions/s/memory.jsonl",
            "id",
            json!({"session_id": "s", "timestamp": when, "type": "finding", "content": {"finding": TEXT}, "tags": ["a"]}),
        ),
        (
            "site/.agent-memory",
            "history/events.jsonl",
            "id",
            json!({"kind": "tool_run", "sourceId": "agent-memory.local", "createdAt": when, "contentHash": "00ff",
                "summary": TEXT, "sourceRef": "agent-memory:update"}),
        ),
        (
            "site/.bmad/memory",
            "sessions/s/conversation.jsonl",
            "id",
            json!({"timestamp": when, "agent_id": "dev", "role": "user", "content": TEXT, "metadata": {"tokens": 3}}),
        ),
        (
            "site/.chora/memory",
            "events/2026-01/events.jsonl",
            "event_id",
            json!({"timestamp": when, "event_type": "gateway.tool_call", "source": "gateway", "status": "success",
                "metadata": {"message": TEXT}}),
        ),
    ]
}

#[test]
fn equal_is_what_differs_in_nothing_but_its_id_and_its_accesses_in_every_format() {
    let changes = [
        json!({"bundleHash": "aa"}),
        json!({"eventId": "evt-9"}),
        json!({"tags": ["a", "other"]}),
        json!({"unknown": {"deep": [1, null]}}),
        json!({"timestamp": "2026-01-03T10:00:00Z", "created_at": "2026-01-03T10:00:00Z", "createdAt": "2026-01-03T10:00:00Z"}),
    ];
    for (root, file, id, record) in logs() {
        let named = |number: usize, change: &Value| {
            let mut own = record.clone();
            own[id] = json!(format!("evt-{number:06}"));
            own.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            format!("{own}\n")
        };
        // A different spelling of fields, or another number of accesses, still counts as equal.
        let mut lines =
            named(1, &json!({})) + &named(2, &json!({})).replace(":", " : ").replace(" : 00", ":00");
        lines += &named(3, &json!({"access_count": 0}));
        lines.extend((4..).zip(&changes).map(|(number, change)| named(number, change)));
        let store = TempStore::of_files(root, &[(PathBuf::from(file), lines.into_bytes())]);
        let rows = verb(&[&store], &["--json", "--all"]).json_lines();
        assert_eq!(rows.len(), 3 + changes.len(), "{file}: {rows:#?}");
        let equal: Vec<u64> = rows
            .iter()
            .filter(|row| row["differs"] == json!([]))
            .map(|row| row["line"].as_u64().unwrap())
            .collect();
        let first = rows[0]["line"].as_u64().unwrap();
        let expected: Vec<u64> = (1..=3).filter(|line| first <= 3 && *line != first).collect();
        assert!(equal.iter().all(|line| expected.contains(line)), "{file}: {equal:?} {first}");
        assert!(first > 3 || equal.len() == 2, "{file}: {equal:?} {first}");
    }
}

#[test]
fn short_texts_that_are_one_word_apart_are_alike_and_those_two_words_apart_are_not() {
    let text = "The deploy of the shop runs on Friday at noon";
    for (other, similarity) in [
        ("The deploy of the shop runs on Monday at noon", Some(9.0 / 11.0)),
        ("The deploy of the shop runs on Friday at night", Some(9.0 / 11.0)),
        ("A deploy of the shop runs on Friday at noon", Some(9.0 / 11.0)),
        ("The deploy of the shop always runs on Friday at noon", Some(10.0 / 11.0)),
        ("The deploy of the shop runs on Friday", None),
        ("The deploy of the shop runs on Monday at night", None),
        ("A deploy of the shop runs on Friday at night", None),
        ("The deploy of the shop runs on Friday after lunch", None),
        ("On Friday the deploy of the shop runs at noon", None),
        ("The tests of the shop run on Friday at noon", None),
        ("The deploy of the shop2 runs on Friday at noon", None),
        // Another word of four says something else.
        ("Use tabs, not spaces", None),
    ] {
        let store = StoreBuilder::memory_server()
            .learning(learning("a", text, "high"))
            .learning(learning("b", other, "low"))
            .learning(learning("c", "Use tabs, not blanks", "low"))
            .build();
        let found = verb(&[&store], &["--json"]).stdout;
        let near = found.lines().nth(1).map(|row| serde_json::from_str::<Value>(row).unwrap());
        let near = near.map(|row| (row["similarity"].as_f64().unwrap() * 1e6).round());
        assert_eq!(near, similarity.map(|share: f64| (share * 1e6).round()), "{other}");
    }
}
