//! Verbs that change things, as a script runs them: what they refuse, and what they say.

mod support;

use serde_json::json;
use support::{StoreBuilder, TempStore, Tree, Verb, assert_untouched, verb::Output};

/// Runs a changing verb on a store, agreed to beforehand.
fn change(store: &TempStore, args: &[&str]) -> Output {
    changing(store, args).run()
}

fn changing(store: &TempStore, args: &[&str]) -> Verb {
    let (path, data) = (store.path.to_str().unwrap(), store.around().join("data"));
    let options = ["--store", path, "--yes", "--data-dir", data.to_str().unwrap()];
    Verb::new([args, &options].concat())
}

#[track_caller]
fn refused(store: &TempStore, args: &[&str], said: &[&str]) {
    let before = Tree::of(&store.path);
    let output = change(store, args).expect_status(3);
    for words in said {
        assert!(output.stderr.contains(words), "{args:?}: {}", output.stderr);
    }
    assert!(output.stderr.contains("Nothing was changed"), "{}", output.stderr);
    assert_untouched(&store.path, &before);
}

#[test]
fn tags_that_are_no_list_are_never_replaced_by_tagging() {
    for tags in [json!("a, b"), json!({"a": 1}), json!(7)] {
        let store =
            StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1", "tags": tags})).build();
        refused(&store, &["tag", "mem_1", "+new"], &["`tags` of mem_1", "no list", "palimp edit mem_1"]);
        refused(&store, &["tag", "mem_1", "-a"], &["no list"]);
        change(&store, &["edit", "mem_1", "--set", r#"tags=["a"]"#]).expect_status(0);
        change(&store, &["tag", "mem_1", "+new"]).expect_status(0);
        let log = String::from_utf8(store.read("sessions/s/memory.jsonl")).unwrap();
        assert!(log.contains(r#""tags":["a","new"]"#), "{log}");
    }
}

#[test]
fn a_broken_record_is_called_broken_and_repair_is_named() {
    let store = StoreBuilder::session_log().session("s").entries(1).line(r#"{"id":"mem_2","#).build();
    let list = Verb::new(["list", "is:broken", "--json", "--store", store.path.to_str().unwrap()]).run();
    let key = list.json_lines()[0]["key"].as_str().unwrap().to_owned();
    for args in [
        ["tag", &key, "+a"].as_slice(),
        &["tag", "--query", "is:broken", "+a"],
        &["archive", &key],
        &["edit", &key, "--set", "text=x"],
    ] {
        refused(&store, args, &["can't be read as a record", "palimp repair", "E_STORAGE_CORRUPT"]);
    }
    let deleted = change(&store, &["delete", &key]).expect_status(0);
    assert!(deleted.stdout.contains("can't be read"), "{}", deleted.stdout);
}

#[test]
fn a_record_in_a_state_that_does_not_fit_is_told_with_that_state() {
    let store =
        StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1"})).tombstone("mem_1").build();
    let output = change(&store, &["tag", "mem_1", "+a"]).expect_status(1);
    assert!(output.stderr.contains("is deleted; `palimp undelete`"), "{}", output.stderr);
}

#[test]
fn a_tag_is_what_the_format_allows_whichever_verb_brings_it() {
    let long = "x".repeat(31);
    let longer = format!("+{long}");
    let list = format!(r#"tags=["{long}"]"#);
    let record = json!({"id": "550e8400-e29b-41d4-a716-446655440000", "content": "Use it"});
    let store = StoreBuilder::memory_server().core(record).build();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    for tag in ["+", "+ ", "+a\u{7}b", "+a\nb", &longer] {
        refused(&store, &["tag", id, tag], &["tag"]);
    }
    refused(&store, &["edit", id, "--set", &list], &["too-long"]);
    refused(&store, &["edit", id, "--set", r#"tags=["\u0007"]"#], &["control characters"]);
    refused(&store, &["add", "--type", "core", "--text", "x", "--tag", "a\u{7}"], &["control characters"]);
    refused(&store, &["add", "--type", "core", "--text", "x", "--tag", ""], &["a tag is empty"]);
    let eleven: Vec<String> = (0..11).map(|number| format!("+t{number}")).collect();
    let eleven: Vec<&str> = ["tag", id].into_iter().chain(eleven.iter().map(String::as_str)).collect();
    refused(&store, &eleven, &["tags"]);
    change(&store, &["tag", id, "+two words", "+größe"]).expect_status(0);
}
