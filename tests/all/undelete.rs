//! Removed memories are listed and can be restored, in every format that removes them.

use crate::support;

use std::fs;

use serde_json::Value;
use support::{DemoStore, tries};

/// A store of the demo, a query for its memories, and the verb that deletes one.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 4] = [
    ("team/memories", "type:learning", &["delete"]),
    ("ops/memory", "session:release_4_3 type:finding", &["delete", "--remove"]),
    ("shop/.bmad/memory", "session:double-charge type:finding", &["delete", "--remove"]),
    ("notes/.chora/memory", "type:note", &["delete", "--remove"]),
];
/// The cases whose memories are lines.
const LOGS: [Case; 3] = [CASES[0], CASES[1], CASES[2]];

#[test]
fn what_was_removed_is_listed_as_deleted_and_comes_back_as_it_was_by_id_by_key_and_by_query() {
    for (number, (store, query, verb)) in tries::some(CASES, &[1, 3]).into_iter().enumerate() {
        let desk = DemoStore::new(store);
        for by in tries::some(["id", "key", "query"], &[number + 1]) {
            let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
            let (id, raw) = (row["id"].as_str().unwrap(), &row["raw"]);
            // Each session has its own ids.
            let session = row["session"].as_str();
            let name = session.map_or(id.to_owned(), |session| format!("{session}/{id}"));
            let scope = session.map_or(String::new(), |session| format!("session:{session}"));
            let gone = format!("is:deleted {scope}");
            assert!(!desk.has(&gone, id));
            desk.change(&[verb, &[&*name]].concat()).expect_status(0);
            assert!(!desk.has(&scope, id), "{store}");
            let deleted = desk.list(&gone);
            let own = deleted.iter().find(|row| row["id"] == id).unwrap();
            assert_eq!((&own["state"], &own["raw"]), (&Value::from("deleted"), raw), "{store}");
            let shown = desk.change(&["show", &name, "--json"]).expect_status(0).json_lines();
            assert_eq!(shown[0]["raw"], *raw);
            let key = own["key"].as_str().unwrap();
            desk.change(&["show", key]).expect_status(0);
            let back = match by {
                "id" => desk.change(&["undelete", &name]),
                "key" => desk.change(&["undelete", key]),
                _ => desk.change(&["undelete", "--query", &format!("{gone} id:{id}")]),
            };
            back.expect_status(0);
            let now = desk.list(&scope).into_iter().find(|row| row["id"] == id).unwrap();
            assert_eq!((&now["state"], &now["raw"]), (&Value::from("live"), raw), "{store}");
            assert!(!desk.has(&gone, id), "{store}");
            desk.change(&["undo"]).expect_status(0);
            assert!(!desk.has(&scope, id) && desk.has(&gone, id), "{store}");
            desk.change(&["redo"]).expect_status(0);
            assert!(desk.has(&scope, id), "{store}");
        }
    }
}

#[test]
fn what_was_changed_and_is_there_is_not_deleted_and_what_was_erased_never_comes_back() {
    let desk = DemoStore::new("team/memories");
    let rows = desk.list("type:learning");
    let [kept, gone] = [0, 1].map(|at| rows[at]["id"].as_str().unwrap().to_owned());
    desk.change(&["backup", "create"]).expect_status(0);
    desk.change(&["tag", &kept, "+new"]).expect_status(0);
    assert!(!desk.has("is:deleted", &kept));
    desk.change(&["delete", &gone]).expect_status(0);
    assert!(desk.has("is:deleted", &gone));
    desk.change(&["undelete", &gone]).expect_status(0);
    desk.change(&["erase", &gone]).expect_status(0);
    assert!(!desk.has("is:deleted", &gone));
    desk.change(&["undelete", &gone]).expect_status(1);
    desk.change(&["show", &gone]).expect_status(1);
}

#[test]
fn an_item_of_a_bundle_comes_back_to_its_place_though_others_changed_since() {
    for by in tries::some(["id", "key", "query"], &[1]) {
        let desk = DemoStore::new("web/.agent-memory");
        let before = desk.list("type:gotchas");
        let raws = |rows: &[Value]| rows.iter().map(|row| row["raw"].clone()).collect::<Vec<_>>();
        let problems = || desk.change(&["check", "--json"]).json_lines().len();
        let known = problems();
        desk.change(&["delete", "gotchas.0", "gotchas.1"]).expect_status(0);
        desk.change(&["edit", "currentFocus", "--set", "summary=Another one."]).expect_status(0);
        let gone = desk.list("is:deleted");
        assert_eq!(raws(&gone), raws(&before[..2]));
        let keys: Vec<&str> = gone.iter().map(|row| row["key"].as_str().unwrap()).collect();
        let back = match by {
            "id" => desk.change(&["undelete", "gotchas.0", "gotchas.1"]),
            "key" => desk.change(&[&["undelete"], &keys[..]].concat()),
            _ => desk.change(&["undelete", "--query", "is:deleted type:gotchas"]),
        };
        back.expect_status(0);
        assert_eq!(raws(&desk.list("type:gotchas")), raws(&before), "{by}");
        assert!(desk.list("type:currentFocus")[0]["raw"].as_str().unwrap().contains("Another one."));
        assert!(desk.list("is:deleted").is_empty());
        assert!(problems() <= known);
        desk.change(&["undo"]).expect_status(0);
        assert_eq!(desk.list("is:deleted").len(), 2);
    }
}

#[test]
fn a_backup_alone_brings_a_record_back() {
    let desk = DemoStore::new("team/memories");
    let id = desk.list("type:learning")[0]["id"].as_str().unwrap().to_owned();
    desk.change(&["backup", "create"]).expect_status(0);
    let log = desk.store.join("learnings.jsonl");
    let lines = fs::read_to_string(&log).unwrap();
    let left: String = lines.split_inclusive('\n').filter(|line| !line.contains(&id)).collect();
    fs::write(&log, left).unwrap();
    assert!(desk.has("is:deleted", &id));
    desk.change(&["undelete", &id]).expect_status(0);
    assert!(desk.has("", &id));
}

/// Adds a record of the demo without its id at the end of its file.
fn nameless(desk: &DemoStore, query: &str) -> Value {
    let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
    let mut record: Value = serde_json::from_str(row["raw"].as_str().unwrap()).unwrap();
    let own = record.as_object_mut().unwrap();
    own.remove("id");
    own.remove("checksum");
    let line = format!("{record}\n");
    let log = desk.store.join(row["file"].as_str().unwrap());
    let before = fs::read_to_string(&log).unwrap();
    let end = if before.ends_with('\n') { "" } else { "\n" };
    fs::write(&log, before + end + &line).unwrap();
    let rows = desk.list(query);
    let own = rows.iter().find(|row| row["raw"] == *line.trim_end());
    own.unwrap_or_else(|| panic!("{line} is not among {rows:#?}")).clone()
}

#[test]
fn a_record_without_an_id_is_listed_and_comes_back_by_its_key_and_by_query_and_one_that_was_changed_is_not() {
    for (number, (store, query, verb)) in tries::some(LOGS, &[1]).into_iter().enumerate() {
        // In the short form, one store's record is restored by its key, the next one's by a query.
        for by in tries::some(["key", "query"], &[number % 2]) {
            let desk = DemoStore::new(store);
            desk.change(&["backup", "create"]);
            let row = nameless(&desk, query);
            let key = row["key"].as_str().unwrap();
            desk.change(&[verb, &[key]].concat()).expect_status(0);
            let all_gone = || desk.list(&format!("is:deleted {query}")).into_iter();
            let gone = || -> Vec<Value> { all_gone().filter(|own| own["raw"] == row["raw"]).collect() };
            assert_eq!(gone().len(), 1, "{store}");
            let known: Vec<Value> =
                all_gone().map(|own| own["raw"].clone()).filter(|raw| *raw != row["raw"]).collect();
            let gone_now = gone();
            let key = gone_now[0]["key"].as_str().unwrap();
            desk.change(&["show", key]).expect_status(0);
            match by {
                "key" => desk.change(&["undelete", key]).expect_status(0),
                _ => desk.change(&["undelete", "--query", &format!("is:deleted {query}")]).expect_status(0),
            };
            assert!(gone().is_empty(), "{store}");
            let back = desk.list(query).into_iter().find(|own| own["raw"] == row["raw"]).unwrap();
            assert_eq!(back["state"], "live", "{store}");
            desk.change(&["undo"]).expect_status(0);
            assert_eq!(gone().len(), 1, "{store}");
            desk.change(&["redo"]).expect_status(0);
            // A changed memory is not deleted, though undo data has its old version.
            desk.change(&["edit", back["key"].as_str().unwrap(), "--set", "text=Another one."])
                .expect_status(0);
            let listed = all_gone().filter(|own| !known.contains(&own["raw"]));
            assert!(listed.collect::<Vec<_>>().iter().all(|own| own["raw"] == row["raw"]), "{store}");
            desk.change(&["undo"]).expect_status(0);
            // A deleted memory can be erased as well: then nothing restores it.
            desk.change(&[verb, &[back["key"].as_str().unwrap()]].concat()).expect_status(0);
            desk.change(&["erase", "--query", &format!("is:deleted {query}")]).expect_status(0);
            assert!(desk.list(&format!("is:deleted {query}")).is_empty(), "{store}: {by}");
        }
    }
}

#[test]
fn records_of_a_session_that_is_gone_are_listed_and_come_back_with_it() {
    let sessions = [("ops/memory", "release_4_3"), ("shop/.bmad/memory", "double-charge")];
    for (store, session) in tries::some(sessions, &[1]) {
        let desk = DemoStore::new(store);
        let session = &*desk.list(&format!("session:{session}"))[0]["session"].as_str().unwrap().to_owned();
        let scope = format!("session:{session}");
        let gone = format!("is:deleted {scope}");
        let raws = |query: &str| -> Vec<Value> {
            let mut raws: Vec<Value> = desk.list(query).iter().map(|row| row["raw"].clone()).collect();
            raws.sort_by_key(Value::to_string);
            raws
        };
        let problems = || desk.change(&["check", "--json"]).json_lines().len();
        let (before, known) = (raws(&format!("{scope} is:live")), problems());
        let live = desk.list(&format!("{scope} is:live"));
        desk.change(&["session", "delete", session]).expect_status(0);
        assert!(desk.list(&scope).is_empty());
        let listed = desk.list(&gone);
        assert!(before.iter().all(|raw| listed.iter().any(|row| row["raw"] == *raw)), "{store}");
        // Only the oldest, which refers to none, by its key: the session is there again, with that record.
        let oldest = live.last().unwrap();
        let row = listed.iter().find(|row| row["id"] == oldest["id"]).unwrap();
        desk.change(&["undelete", row["key"].as_str().unwrap()]).expect_status(0);
        assert_eq!(raws(&format!("{scope} is:live")), [oldest["raw"].clone()], "{store}");
        desk.change(&["session", "list", "--json"]).expect_stdout(session);
        assert!(problems() <= known, "{}", desk.change(&["check"]).stdout);
        // The rest follows, and undo undoes each.
        let rest = format!("{gone} -id:{}", oldest["id"].as_str().unwrap());
        desk.change(&["undelete", "--query", &rest]).expect_status(0);
        assert!(before.iter().all(|raw| raws(&format!("{scope} is:live")).contains(raw)), "{store}");
        assert!(problems() <= known, "{}", desk.change(&["check"]).stdout);
        desk.change(&["undo"]).expect_status(0);
        desk.change(&["undo"]).expect_status(0);
        assert_eq!(desk.list(&scope).len(), 0);
        assert_eq!(desk.list(&gone).len(), listed.len(), "{store}");
    }
}

#[test]
fn of_equal_records_without_ids_as_many_are_listed_as_were_deleted_and_each_comes_back_once() {
    for (store, query, verb) in tries::some(LOGS, &[0]) {
        let desk = DemoStore::new(store);
        let row = nameless(&desk, query);
        let log = desk.store.join(row["file"].as_str().unwrap());
        let line = format!("{}\n", row["raw"].as_str().unwrap());
        let text = fs::read_to_string(&log).unwrap();
        fs::write(&log, text + &line + &line).unwrap();
        let keys = |query: &str| -> Vec<String> {
            let rows = desk.list(query).into_iter().filter(|own| own["raw"] == row["raw"]);
            rows.map(|own| own["key"].as_str().unwrap().to_owned()).collect()
        };
        let (live, gone) = (|| keys(query), || keys(&format!("is:deleted {query}")));
        assert_eq!((live().len(), gone().len()), (3, 0), "{store}");
        for left in [2, 1] {
            let key = live()[left].clone();
            desk.change(&[verb, &[&*key]].concat()).expect_status(0);
            assert_eq!((live().len(), gone().len()), (left, 3 - left), "{store}");
        }
        desk.change(&["undelete", &gone()[1]]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (2, 1), "{store}");
        desk.change(&["undo"]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (1, 2), "{store}");
        let keys = gone();
        desk.change(&["undelete", &keys[0], &keys[1]]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (3, 0), "{store}");
    }
}

fn doubled(desk: &DemoStore, query: &str) -> (Value, String) {
    let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
    let (title, file) = (row["title"].as_str().unwrap(), row["file"].as_str().unwrap());
    let other = row["raw"].as_str().unwrap().replacen(title, "It says something else", 1);
    assert_ne!(row["raw"], other.as_str(), "{query}");
    let text = desk.text_of(file);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    fs::write(desk.store.join(file), text + end + &other + "\n").unwrap();
    (row, other)
}

#[test]
fn records_that_share_id_and_time_and_were_deleted_one_after_the_other_are_all_listed_and_come_back() {
    for (store, query, verb) in tries::some(LOGS, &[2]) {
        let desk = DemoStore::new(store);
        let (row, other) = doubled(&desk, query);
        let raw = row["raw"].as_str().unwrap();
        let scope = format!("{query} id:{}", row["id"].as_str().unwrap());
        let gone = || desk.list(&format!("is:deleted {scope}"));
        for own in [raw, &other] {
            let live = desk.list(&scope);
            let live = live.iter().find(|row| row["raw"] == own).unwrap();
            desk.change(&[verb, &[live["key"].as_str().unwrap()]].concat()).expect_status(0);
        }
        for left in (0..2).rev() {
            let listed = gone();
            assert_eq!(listed.len(), left + 1, "{store}: {listed:?}");
            desk.change(&["undelete", listed[0]["key"].as_str().unwrap()]).expect_status(0);
        }
        assert!(gone().is_empty(), "{store}");
        let back = desk.list(&scope);
        for own in [raw, &other] {
            assert!(back.iter().any(|row| row["raw"] == own), "{store}: {back:?}");
        }
        // If an agent writes the memory again with an additional member, it is the same one.
        let live = desk.list(&scope);
        desk.change(&[verb, &[live[0]["key"].as_str().unwrap()]].concat()).expect_status(0);
        let again = live[0]["raw"].as_str().unwrap().replacen('{', "{\"noted\":1,", 1);
        let log = desk.store.join(row["file"].as_str().unwrap());
        fs::write(&log, fs::read_to_string(&log).unwrap() + &again + "\n").unwrap();
        let live = desk.list(&scope);
        let live = live.iter().find(|row| row["raw"] == *again).unwrap();
        desk.change(&[verb, &[live["key"].as_str().unwrap()]].concat()).expect_status(0);
        let listed = gone();
        assert!(listed.len() == 1 && listed[0]["raw"] == *again, "{store}: {listed:?}");
    }
}

#[test]
fn a_deleted_item_of_a_bundle_can_be_erased() {
    let desk = DemoStore::new("web/.agent-memory");
    let before = desk.list("type:gotchas");
    let problems = || desk.change(&["check", "--json"]).json_lines().len();
    let known = problems();
    desk.change(&["delete", "gotchas.0"]).expect_status(0);
    let gone = desk.list("is:deleted");
    assert_eq!(gone.len(), 1);
    let text = gone[0]["title"].as_str().unwrap().to_owned();
    let holds = |folder: &std::path::Path| {
        let out = std::process::Command::new("grep").arg("-rlF").arg(&text).arg(folder).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    assert_ne!(holds(&desk.store), "");
    desk.change(&["erase", gone[0]["key"].as_str().unwrap()]).expect_status(0);
    assert_eq!(holds(desk.folder()), "");
    assert!(desk.list("is:deleted").is_empty());
    let raws = |rows: &[Value]| rows.iter().map(|row| row["raw"].clone()).collect::<Vec<_>>();
    assert_eq!(raws(&desk.list("type:gotchas")), raws(&before[1..]));
    assert!(problems() <= known, "{}", desk.change(&["check"]).stdout);
}

#[test]
fn what_is_not_deleted_is_refused_in_words_that_every_format_knows() {
    let stores = CASES.iter().map(|own| own.0).chain(["web/.agent-memory"]);
    for store in tries::some(stores, &[1, 4]) {
        let desk = DemoStore::new(store);
        let row = desk.list("").into_iter().find(|row| row["state"] == "live").unwrap();
        let told = desk.change(&["undelete", row["key"].as_str().unwrap()]).expect_status(3).stderr;
        assert!(told.contains("none of these is deleted"), "{store}: {told}");
        assert!(!told.contains("tombstone"), "{store}: {told}");
    }
}
