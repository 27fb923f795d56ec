//! Verbs on records that a query finds: records that are left out, renamed tags, fields of several records.

use crate::support;

use serde_json::{Value, json};
use support::{Output, StoreBuilder, TempStore, Verb};

const NOW: &str = "2026-02-01T12:00:00Z";

/// Runs a verb on stores, with its own palimp data.
fn change(stores: &[&TempStore], words: &[&str]) -> Output {
    let data = stores[0].data();
    let options = ["--yes", "--now", NOW, "--data-dir", data.to_str().unwrap()];
    let named = stores.iter().flat_map(|store| ["--store", store.path.to_str().unwrap()]);
    Verb::new(words.iter().copied().chain(options).chain(named)).run()
}

fn log() -> TempStore {
    StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "type": "finding", "tags": ["a", "old", "b"]}))
        .entry(json!({"id": "mem_2", "type": "finding", "tags": ["new", "c", "old"]}))
        .entry(json!({"id": "mem_3", "type": "finding", "tags": ["old", "new"]}))
        .entry(json!({"id": "mem_4", "type": "finding", "tags": ["older", "new", "new"]}))
        .build()
}

fn text(store: &TempStore) -> String {
    store.text("sessions/s/memory.jsonl")
}

#[test]
fn a_tag_is_renamed_in_its_place_and_joined_where_the_other_exists() {
    let store = log();
    let before = text(&store);
    change(&[&store], &["tag", "--query", "tag:old", "--rename", "old=new"]).expect_status(0);
    let after = text(&store);
    for tags in [r#"["a","new","b"]"#, r#"["new","c"]"#, r#"["new"]"#, r#"["older","new","new"]"#] {
        assert!(after.contains(&format!("\"tags\":{tags}")), "{tags} in {after}");
    }
    change(&[&store], &["undo"]).expect_status(0);
    assert_eq!(text(&store), before);
}

#[test]
fn a_rename_names_its_records_and_two_tags_that_differ() {
    let store = log();
    let before = text(&store);
    for words in [
        ["tag", "--rename", "old=new"].as_slice(),
        &["tag", "--query", "", "--rename", "old=new"],
        &["tag", "--query", "tag:old", "--rename", "old"],
        &["tag", "--query", "tag:old", "--rename", "old="],
        &["tag", "--query", "tag:old", "--rename", "old=old"],
        &["tag", "--query", "tag:old", "--rename", "old=new", "+more"],
        &["tag", "--query", "tag:old"],
        &["tag"],
    ] {
        let output = change(&[&store], words);
        assert_eq!(output.status, Some(2), "{words:?}: {}", output.stderr);
    }
    change(&[&store], &["tag", "--query", "tag:none", "--rename", "none=new"]).expect_status(1);
    assert_eq!(text(&store), before);
}

#[test]
fn of_what_a_query_finds_is_left_out_what_cannot_be_changed() {
    let (store, other) = (log(), StoreBuilder::memory_server().learning(json!({"id": "k-1"})).build());
    let output = change(&[&store, &other], &["archive", "--query", "type:finding OR type:learning"]);
    output.expect_status(0).expect_stderr("left out: 4 of 5 memories: session-log has no archive");
    assert!(!other.text("learnings.jsonl").contains("k-1"));
    // If none can be changed, or if they are named, it is refused.
    change(&[&store], &["archive", "--query", "type:finding"]).expect_status(3);
    change(&[&store], &["archive", "mem_1", "mem_2"]).expect_status(3);
}

#[test]
fn a_field_is_set_of_all_that_a_query_finds() {
    let store = log();
    let before = text(&store);
    change(&[&store], &["edit", "--query", "tag:old", "--set", "importance=0.9"]).expect_status(0);
    assert_eq!(text(&store).matches("\"importance\":0.9").count(), 3);
    change(&[&store], &["undo"]).expect_status(0);
    assert_eq!(text(&store), before);
    for (words, status) in [
        (["edit", "--query", "tag:old", "--set", "importance=7"].as_slice(), 3),
        (&["edit", "--query", "tag:old", "--set", "id=x"], 3),
        (&["edit", "--query", "tag:none", "--set", "importance=0.9"], 1),
        (&["edit", "--query", "", "--set", "importance=0.9"], 2),
        (&["edit", "mem_1", "--query", "tag:old", "--set", "importance=0.9"], 2),
        (&["edit", "--query", "tag:old"], 2),
        (&["edit", "--set", "importance=0.9"], 2),
    ] {
        let output = change(&[&store], words);
        assert_eq!(output.status, Some(status), "{words:?}: {}", output.stderr);
    }
    assert_eq!(text(&store), before);
}

#[test]
fn a_change_of_several_stores_is_undone_and_redone_as_one() {
    let other = StoreBuilder::memory_server().learning(json!({"id": "k-1", "tags": ["old"]})).build();
    let stores = [&log(), &other];
    let read = || [stores[0].read("sessions/s/memory.jsonl"), other.read("learnings.jsonl")];
    let before = read();
    change(&stores, &["tag", "--query", "tag:old", "+seen"]).expect_status(0);
    let tagged = read();
    assert!(tagged.iter().zip(&before).all(|(after, before)| after != before));
    change(&stores, &["undo"]).expect_status(0);
    assert_eq!(read(), before);
    change(&stores, &["redo"]).expect_status(0);
    assert_eq!(read(), tagged);
    // A later change in one of the stores is a change of its own, and is undone first.
    change(&stores, &["tag", "k-1", "+more"]).expect_status(0);
    change(&stores, &["undo"]).expect_status(0);
    assert_eq!(read(), tagged);
    change(&stores, &["undo"]).expect_status(0);
    assert_eq!(read(), before);
    // Nothing is left, and the next undo says so.
    change(&stores, &["undo"]).expect_status(1);
}

#[test]
fn a_step_of_a_change_of_several_stores_is_undone_alone_where_it_is_named() {
    let other = StoreBuilder::memory_server().learning(json!({"id": "k-1", "tags": ["old"]})).build();
    let stores = [&log(), &other];
    let before = other.read("learnings.jsonl");
    change(&stores, &["tag", "--query", "tag:old", "+seen"]).expect_status(0);
    let tagged = text(stores[0]);
    let data = stores[0].data();
    let verb = ["undo", "1", "--yes", "--now", NOW, "--data-dir", data.to_str().unwrap(), "--store"];
    Verb::new(verb.into_iter().chain([other.path.to_str().unwrap()])).run().expect_status(0);
    assert_eq!(other.read("learnings.jsonl"), before);
    // The next undo is about the rest of it.
    change(&stores, &["undo"]).expect_status(0);
    assert_eq!(other.read("learnings.jsonl"), before);
    assert!(!text(stores[0]).contains("seen") && tagged.contains("seen"));
}

#[test]
fn an_undo_passes_over_a_store_in_which_something_was_only_erased() {
    let entry = json!({"id": "mem_9", "type": "finding", "tags": ["z"]});
    let (tagged, erased) = (log(), StoreBuilder::session_log().session("t").entry(entry).build());
    let (both, before) = ([&tagged, &erased], text(&tagged));
    change(&both, &["tag", "--query", "tag:a", "+x"]).expect_status(0);
    change(&both, &["erase", "--query", "tag:z"]).expect_status(0);
    change(&both, &["undo"]).expect_status(0);
    assert_eq!(text(&tagged), before);
}

#[test]
fn equal_plans_have_equal_fingerprints_whenever_they_are_made() {
    let store = log();
    let print = |words: &[&str], now: &str| -> Value {
        let dry = [words, &["--now", now, "--dry-run", "--json"]].concat();
        store.verb(&dry).run().expect_status(0).json_lines()[0]["plan"]["fingerprint"].clone()
    };
    let add = ["add", "--session", "s", "--type", "finding", "--text"];
    let plans: [&[&str]; 9] = [
        &["tag", "mem_1", "+x"],
        &["tag", "mem_1", "+y"],
        &["tag", "mem_2", "+x"],
        &["edit", "mem_1", "--set", "text=One"],
        &["edit", "mem_1", "--set", "text=Two"],
        &["delete", "mem_1"],
        &[&add[..], &["One"]].concat(),
        &[&add[..], &["Two"]].concat(),
        &["session", "new"],
    ];
    let [now, later] = [NOW, "2026-02-03T04:05:06Z"].map(|now| plans.map(|words| print(words, now)));
    assert_eq!(now, later);
    let different: std::collections::HashSet<String> = now.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), plans.len(), "{now:?}");
}

#[test]
fn stores_are_named_before_the_verb_and_behind_it_and_each_has_to_be_there() {
    let other = StoreBuilder::memory_server().learning(json!({"id": "k-1", "tags": ["old"]})).build();
    let store = log();
    let data = store.data();
    let words = |first: &str, rest: &[&str], last: &str| {
        let head = ["--store", first].into_iter().chain(rest.iter().copied());
        let tail = ["--now", NOW, "--data-dir", data.to_str().unwrap(), "--store", last];
        Verb::new(head.chain(tail)).run()
    };
    let [one, two] = [&store, &other].map(|own| own.path.to_str().unwrap());
    words(one, &["list", "--json"], two).expect_status(0).expect_stdout("mem_1").expect_stdout("k-1");
    let gone = store.around().join("nowhere");
    let before = text(&store);
    words(one, &["tag", "mem_1", "+x", "--yes"], gone.to_str().unwrap()).expect_status(1);
    assert_eq!(text(&store), before);
    assert_eq!(Verb::new(["list", "--store"]).run().status, Some(2));
}

#[test]
fn a_store_that_a_change_emptied_is_still_known_and_the_change_is_undone() {
    let store = StoreBuilder::memory_server().learning(json!({"id": "k-1"})).build();
    let before = store.read("learnings.jsonl");
    change(&[&store], &["delete", "k-1"]).expect_status(0);
    for left in [".backup", "index.json"] {
        let left = store.path.join(left);
        let _ = if left.is_dir() { std::fs::remove_dir_all(left) } else { std::fs::remove_file(left) };
    }
    assert_eq!(store.read("learnings.jsonl"), b"");
    change(&[&store], &["undo"]).expect_status(0);
    assert_eq!(store.read("learnings.jsonl"), before);
}

#[test]
fn an_edit_that_changes_nothing_makes_no_copy_and_no_step() {
    let store = StoreBuilder::memory_server().learning(json!({"id": "k-1", "content": "as it is"})).build();
    let files = || std::fs::read_dir(&store.path).unwrap().count();
    let before = files();
    let output = change(&[&store], &["edit", "k-1", "--set", "text=as it is"]).expect_status(0);
    assert!(output.stderr.contains("nothing to change"), "{}", output.stderr);
    assert_eq!(files(), before);
    change(&[&store], &["journal"]).expect_status(1);
}

#[test]
fn a_step_that_was_undone_stays_so_in_the_journal_when_something_new_is_done() {
    let store = log();
    for verb in [["tag", "mem_1", "+x"].as_slice(), &["undo"], &["tag", "mem_2", "+y"]] {
        change(&[&store], verb).expect_status(0);
    }
    let output = change(&[&store], &["journal", "--json"]).expect_status(0);
    let first: serde_json::Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(
        (first["undone"].as_bool(), first["why_not"].as_str()),
        (Some(true), Some("another change was made since"))
    );
}
