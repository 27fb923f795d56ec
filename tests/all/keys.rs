//! Keys: each names the record it was listed with, even if that has moved, and no other.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{DemoStore, SOON, StoreBuilder, TempStore};

const NOW: &str = "2026-02-01T12:00:00Z";
const LOG: &str = "sessions/s/memory.jsonl";

/// A log of records without ids. Equal letters are equal records.
fn log(letters: &str) -> TempStore {
    let store = StoreBuilder::session_log().session("s").build();
    for letter in letters.chars() {
        store.append(LOG, line(letter).as_bytes());
    }
    store
}

fn line(letter: char) -> String {
    let content = json!({"note": format!("this is {letter}")});
    let record = json!({"session_id": "s", "type": "finding", "timestamp": "2026-01-01T00:00:00Z", "content": content});
    format!("{record}\n")
}

fn letters(store: &TempStore) -> String {
    let text = store.text(LOG);
    text.lines().map(|line| line.split("this is ").nth(1).unwrap().chars().next().unwrap()).collect()
}

fn keys(store: &TempStore) -> Vec<String> {
    let mut rows = store.at_now(&["list", "--json"]).json_lines();
    rows.sort_by_key(|row| row["line"].as_u64());
    rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn equal_records_go_once_for_each_of_their_keys_in_any_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let store = log("axaya");
        let keys = keys(&store);
        for (done, at) in order.into_iter().enumerate() {
            let key = &keys[2 * at];
            store.at_now(&["delete", "--remove", key, "--yes"]).expect_status(0);
            assert_eq!(letters(&store).matches('a').count(), 2 - done, "{order:?}");
            assert_eq!(letters(&store).replace('a', ""), "xy", "{order:?}");
        }
        let gone = store.at_now(&["delete", "--remove", &keys[0], "--yes"]).expect_status(3);
        assert!(gone.stderr.contains("changed, moved or removed"), "{}", gone.stderr);
    }
    // After one of several equal records is gone, each other key still names one of them.
    let store = log("axaya");
    let keys = keys(&store);
    store.at_now(&["delete", "--remove", &keys[0], "--yes"]).expect_status(0);
    store.at_now(&["delete", "--remove", &keys[2], &keys[4], "--yes"]).expect_status(0);
    assert_eq!(letters(&store), "xy");
}

#[test]
fn a_key_of_a_record_that_changed_is_refused_by_every_verb() {
    let store = log("ab");
    let key = keys(&store)[0].clone();
    store.at_now(&["tag", &key, "+seen", "--yes"]).expect_status(0);
    let before = store.read(LOG);
    for rest in "show|edit --set importance=0.9|tag +more|delete|erase|archive|undelete|unarchive".split('|')
    {
        let mut words: Vec<&str> = rest.split(' ').collect();
        words.insert(1, &key);
        words.extend((rest != "show").then_some("--yes"));
        let output = store.at_now(&words).expect_status(3);
        assert!(output.stderr.contains("changed, moved"), "{words:?}: {}", output.stderr);
    }
    assert_eq!(store.read(LOG), before);
}

/// How often each record occurs, by its bytes.
type Raws = BTreeMap<String, usize>;

fn raws(rows: &[Value]) -> Raws {
    let mut raws = Raws::new();
    rows.iter().for_each(|row| *raws.entry(row["raw"].as_str().unwrap().to_owned()).or_default() += 1);
    raws
}

fn gone(before: &Raws, after: &Raws) -> Raws {
    let left = |raw: &String, count: usize| count.saturating_sub(after.get(raw).copied().unwrap_or(0));
    let gone = before.iter().map(|(raw, count)| (raw.clone(), left(raw, *count)));
    gone.filter(|(_, count)| *count > 0).collect()
}

/// Adds records of equal length without ids to a log of the store; three of them are equal.
fn add_twins(root: &Path, rows: &[Value]) {
    let is_line = |row: &&Value| {
        row["file"].as_str().unwrap().ends_with(".jsonl")
            && row["state"] == "live"
            && row["raw"].as_str().unwrap().starts_with('{')
    };
    let Some(row) = rows.iter().find(is_line) else { return };
    let mut record: Value = serde_json::from_str(row["raw"].as_str().unwrap()).unwrap();
    record.as_object_mut().unwrap().remove("id");
    let mut lines = String::new();
    for word in ["same", "odd1", "same", "odd2", "same"] {
        record["twin"] = word.into();
        lines += &format!("{record}\n");
    }
    append(&root.join(row["file"].as_str().unwrap()), &lines);
}

fn append(file: &Path, lines: &str) {
    use std::io::Write;
    std::fs::OpenOptions::new().append(true).open(file).unwrap().write_all(lines.as_bytes()).unwrap();
}

const VERBS: [&[&str]; 4] =
    [&["erase"], &["delete", "--remove"], &["tag", "+seen"], &["edit", "--set", "importance=0.9"]];

proptest! {
    #![proptest_config(crate::support::tries::config(1, 200))]

    #[test]
    fn keys_of_one_list_hit_exactly_their_records_in_every_format(
        which in 0..5_usize, choices in proptest::collection::vec((any::<proptest::sample::Index>(), 0..VERBS.len()), 5), twins in 0..5_usize
    ) {
        let demo = DemoStore::at("", NOW);
        for place in demo.run(&["stores", "--json"]).json_lines().into_iter().skip(which).take(1) {
            let root = Path::new(place["path"].as_str().unwrap());
            let is_bundle = place["format"] == "agent-memory";
            let list = || demo.run_on(root, NOW, &["list", "--json"]).json_lines();
            if !is_bundle {
                add_twins(root, &list());
            }
            // On a line with several records, the others have the same text.
            let is_own = |row: &Value| row.get("record").is_none_or(Value::is_null);
            let listed: Vec<Value> = list().into_iter().filter(is_own).collect();
            let is_twin = |row: &&Value| row["raw"].as_str().unwrap().contains("\"twin\":");
            let own: Vec<&Value> = listed.iter().filter(is_twin).skip(twins.min(2)).take(3).collect();
            let others = choices.iter().map(|(index, _)| index.get(&listed));
            let mut chosen: Vec<&Value> = own.into_iter().chain(others).collect();
            chosen.dedup_by_key(|row| row["key"].clone());
            let mut used: Vec<&str> = Vec::new();
            for (number, row) in chosen.iter().enumerate() {
                let (key, raw) = (row["key"].as_str().unwrap(), row["raw"].as_str().unwrap());
                if used.contains(&key) {
                    continue;
                }
                used.push(key);
                let words = VERBS[(choices[number % choices.len()].1 + number) % VERBS.len()];
                let before = raws(&list());
                let output = demo.run_on(root, NOW, &[&[words[0], key, "--yes"], &words[1..]].concat());
                let after = raws(&list());
                let gone = gone(&before, &after);
                let there = before.get(raw).copied().unwrap_or(0);
                let what = format!("{words:?} {key} in {}: {}", root.display(), output.stderr);
                match output.status {
                    // An erasure removes every copy; another change, one record.
                    Some(0) => {
                        let others: Vec<&String> = gone.keys().filter(|own| *own != raw).collect();
                        let is_alike = |own: &&String| row["id"].is_string() && words[0] == "erase" && own.contains(row["id"].as_str().unwrap());
                        prop_assert!(others.iter().all(|own| is_bundle || is_alike(own)), "{what} {others:?}");
                        let count = gone.get(raw).copied().unwrap_or(0);
                        prop_assert!(count <= 1 || words[0] == "erase" && count == there, "{what}");
                    }
                    Some(3) => {
                        prop_assert!(gone.is_empty(), "{what}");
                        prop_assert!(there == 0 || !output.stderr.contains("no record has this key"), "{what}");
                    }
                    _ => prop_assert!(false, "{what}"),
                }
            }
        }
    }
}

#[test]
fn a_refused_change_of_many_leaves_out_every_record_that_is_in_the_way() {
    let builder = (0..300).fold(StoreBuilder::memory_server(), |own, n| {
        let tags: Vec<String> = (0..if n % 3 == 0 { 9 } else { 1 }).map(|at| format!("t{at}")).collect();
        own.learning(json!({"id": format!("k-{n:03}"), "tags": tags}))
    });
    let store = builder.build();
    let words = ["tag", "--query", "type:learning", "+new_a", "+new_b", "--yes"];
    let output = store.at_now(&words).expect_status(0);
    output.expect_stderr("left out: 100 of 300 memories: `tags` holds 11 tags");
    let text = store.text("learnings.jsonl");
    assert_eq!(text.matches("new_a").count(), 200);
}

#[test]
fn a_verb_that_asks_shows_first_what_it_is_about_masked_and_safe() {
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let text = format!("The first line\u{1b}[31m\nwith {token} in it");
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "type": "conversation", "content": {"role": "user", "message": text}}))
        .build();
    let verbs: [(&[&str], &str); 4] = [
        (&["delete"], "anything else cancels"),
        (&["erase"], "Type erase 1 to go on"),
        (&["edit", "--set", "importance=0.9"], "anything else cancels"),
        (&["tag", "+seen"], "anything else cancels"),
    ];
    for (words, question) in verbs {
        let mut terminal = store.on_terminal(&[&[words[0], "mem_1"], &words[1..]].concat(), (36, 120));
        terminal.wait_for_text(question, SOON);
        let screen = terminal.screen_text();
        let at = screen.find("The first line").unwrap_or_else(|| panic!("{words:?}: {screen}"));
        assert!(at < screen.find(question).unwrap() && screen.contains("with ghp_"), "{screen}");
        assert!(!screen.contains(&token), "{screen}");
        terminal.send_keys("n\r");
        terminal.wait_exit(SOON);
    }
}

#[test]
fn a_key_holds_through_our_own_changes_of_state_and_not_through_an_edit() {
    let cases: [(&str, &str, &[&str], &str); 8] = [
        ("team/memories", "type:learning", &["delete"], "undelete"),
        ("ops/memory", "session:release_4_3 type:finding", &["delete"], "undelete"),
        ("ops/memory", "session:release_4_3 type:finding", &["delete", "--remove"], "undelete"),
        ("shop/.bmad/memory", "session:double-charge type:finding", &["delete"], "undelete"),
        ("notes/.chora/memory", "type:note", &["delete"], "undelete"),
        ("notes/.chora/memory", "type:note", &["delete", "--remove"], "undelete"),
        ("web/.agent-memory", "type:gotchas", &["delete"], "undelete"),
        // Only complete months before this one can be archived.
        ("notes/.chora/memory", "type:event until:-31d", &["archive"], "unarchive"),
    ];
    for (store, query, away, back) in crate::support::tries::some(cases, &[1, 5, 7]) {
        let desk = DemoStore::new(store);
        // The oldest event is in a month that is over.
        let rows = desk.list(query).into_iter().filter(|row| row["state"] == "live");
        let row = rows.min_by_key(|row| row["file"].to_string()).unwrap();
        let (key, id) = (row["key"].as_str().unwrap(), &row["id"]);
        desk.change(&[away, &[key]].concat()).expect_status(0);
        desk.change(&[back, key]).expect_status(0);
        let shown = desk.run(&["show", key, "--json"]).expect_status(0).json_lines();
        assert_eq!((&shown[0]["id"], &shown[0]["state"]), (id, &"live".into()), "{store} {away:?}");
        // After that, its contents are different.
        if query == "type:note" {
            desk.change(&["edit", key, "--set", "text=Something else."]).expect_status(0);
            desk.run(&["show", key]).expect_status(3);
        }
    }
}
