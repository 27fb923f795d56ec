//! What was deleted by removing it is listed and comes back, in every format that does so.

use crate::support;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use support::{Output, Verb};
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
    store: PathBuf,
}

impl Desk {
    /// The demo's store of that name.
    fn new(name: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        Verb::new(["demo", demo.to_str().unwrap()]).run().expect_status(0);
        Desk { store: demo.join(name), folder }
    }

    fn run(&self, args: &[&str]) -> Output {
        let data = self.folder.path().join("data");
        let options =
            ["--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        Verb::new([args, &options].concat()).run()
    }

    fn list(&self, query: &str) -> Vec<Value> {
        let output = self.run(&["list", query, "--json"]);
        assert!(matches!(output.status, Some(0 | 1)), "{}", output.stderr);
        output.json_lines()
    }

    fn has(&self, query: &str, id: &str) -> bool {
        self.list(query).iter().any(|row| row["id"] == id)
    }
}

const CASES: [(&str, &str, &str); 4] = [
    ("agents/memories", "type:learning", "delete"),
    ("project/memory", "session:sess_today type:finding", "delete --remove"),
    ("project/.bmad/memory", "session:sess-review-orders type:finding", "delete --remove"),
    ("project/.chora/memory", "type:note", "delete --remove"),
];

#[test]
fn what_was_removed_is_listed_as_deleted_and_comes_back_as_it_was_by_id_by_key_and_by_query() {
    let is_long = crate::support::tries::is_long();
    for (number, (store, query, verb)) in CASES.into_iter().enumerate() {
        let desk = Desk::new(store);
        let ways = ["id", "key", "query"].into_iter().enumerate();
        for (_, by) in ways.filter(|(way, _)| is_long || number % 3 == *way) {
            let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
            let (id, raw) = (row["id"].as_str().unwrap(), &row["raw"]);
            // Ids are each session's own.
            let session = row["session"].as_str();
            let name = session.map_or(id.to_owned(), |session| format!("{session}/{id}"));
            let scope = session.map_or(String::new(), |session| format!("session:{session}"));
            let gone = format!("is:deleted {scope}");
            assert!(!desk.has(&gone, id));
            let words: Vec<&str> = verb.split(' ').collect();
            desk.run(&[&words[..], &[&*name]].concat()).expect_status(0);
            assert!(!desk.has(&scope, id), "{store}");
            let deleted = desk.list(&gone);
            let own = deleted.iter().find(|row| row["id"] == id).unwrap();
            assert_eq!((&own["state"], &own["raw"]), (&Value::from("deleted"), raw), "{store}");
            let shown = desk.run(&["show", &name, "--json"]).expect_status(0).json_lines();
            assert_eq!(shown[0]["raw"], *raw);
            let key = own["key"].as_str().unwrap();
            desk.run(&["show", key]).expect_status(0);
            let back = match by {
                "id" => desk.run(&["undelete", &name]),
                "key" => desk.run(&["undelete", key]),
                _ => desk.run(&["undelete", "--query", &format!("{gone} id:{id}")]),
            };
            back.expect_status(0);
            let now = desk.list(&scope).into_iter().find(|row| row["id"] == id).unwrap();
            assert_eq!((&now["state"], &now["raw"]), (&Value::from("live"), raw), "{store}");
            assert!(!desk.has(&gone, id), "{store}");
            desk.run(&["undo"]).expect_status(0);
            assert!(!desk.has(&scope, id) && desk.has(&gone, id), "{store}");
            desk.run(&["redo"]).expect_status(0);
            assert!(desk.has(&scope, id), "{store}");
        }
    }
}

#[test]
fn what_was_changed_and_is_there_is_not_deleted_and_what_was_erased_never_comes_back() {
    let desk = Desk::new("agents/memories");
    let rows = desk.list("type:learning");
    let [kept, gone] = [0, 1].map(|at| rows[at]["id"].as_str().unwrap().to_owned());
    desk.run(&["backup", "create"]).expect_status(0);
    desk.run(&["tag", &kept, "+new"]).expect_status(0);
    assert!(!desk.has("is:deleted", &kept));
    desk.run(&["delete", &gone]).expect_status(0);
    assert!(desk.has("is:deleted", &gone));
    desk.run(&["undelete", &gone]).expect_status(0);
    desk.run(&["erase", &gone]).expect_status(0);
    assert!(!desk.has("is:deleted", &gone));
    desk.run(&["undelete", &gone]).expect_status(1);
    desk.run(&["show", &gone]).expect_status(1);
}

#[test]
fn an_item_of_a_bundle_comes_back_to_its_place_though_others_changed_since() {
    for by in ["id", "key", "query"] {
        let desk = Desk::new("project/.agent-memory");
        let before = desk.list("type:gotchas");
        let raws = |rows: &[Value]| rows.iter().map(|row| row["raw"].clone()).collect::<Vec<_>>();
        let problems = || desk.run(&["check", "--json"]).json_lines().len();
        let known = problems();
        desk.run(&["delete", "gotchas.0", "gotchas.1"]).expect_status(0);
        desk.run(&["edit", "currentFocus", "--set", "summary=Another one."]).expect_status(0);
        let gone = desk.list("is:deleted");
        assert_eq!(raws(&gone), raws(&before[..2]));
        let keys: Vec<&str> = gone.iter().map(|row| row["key"].as_str().unwrap()).collect();
        let back = match by {
            "id" => desk.run(&["undelete", "gotchas.0", "gotchas.1"]),
            "key" => desk.run(&[&["undelete"], &keys[..]].concat()),
            _ => desk.run(&["undelete", "--query", "is:deleted type:gotchas"]),
        };
        back.expect_status(0);
        assert_eq!(raws(&desk.list("type:gotchas")), raws(&before), "{by}");
        assert!(desk.list("type:currentFocus")[0]["raw"].as_str().unwrap().contains("Another one."));
        assert!(desk.list("is:deleted").is_empty());
        assert!(problems() <= known);
        desk.run(&["undo"]).expect_status(0);
        assert_eq!(desk.list("is:deleted").len(), 2);
    }
}

#[test]
fn a_backup_alone_brings_a_record_back() {
    let desk = Desk::new("agents/memories");
    let id = desk.list("type:learning")[0]["id"].as_str().unwrap().to_owned();
    desk.run(&["backup", "create"]).expect_status(0);
    let log = desk.store.join("learnings.jsonl");
    let lines = fs::read_to_string(&log).unwrap();
    let left: String = lines.split_inclusive('\n').filter(|line| !line.contains(&id)).collect();
    fs::write(&log, left).unwrap();
    assert!(desk.has("is:deleted", &id));
    desk.run(&["undelete", &id]).expect_status(0);
    assert!(desk.has("", &id));
}

/// A record of the demo without its id, at the end of the file that it is from.
fn nameless(desk: &Desk, query: &str) -> Value {
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
    for (store, query, verb) in CASES.into_iter().filter(|(_, query, _)| !query.contains("note")) {
        let desk = Desk::new(store);
        desk.run(&["backup", "create"]);
        for by in ["key", "query"] {
            let row = nameless(&desk, query);
            let key = row["key"].as_str().unwrap();
            desk.run(&[&verb.split(' ').collect::<Vec<_>>()[..], &[key]].concat()).expect_status(0);
            let gone = desk.list(&format!("is:deleted {query}"));
            assert_eq!(gone.len(), 1, "{store}: {gone:?}");
            assert_eq!(gone[0]["raw"], row["raw"], "{store}");
            let key = gone[0]["key"].as_str().unwrap();
            desk.run(&["show", key]).expect_status(0);
            match by {
                "key" => desk.run(&["undelete", key]).expect_status(0),
                _ => desk.run(&["undelete", "--query", &format!("is:deleted {query}")]).expect_status(0),
            };
            assert!(desk.list(&format!("is:deleted {query}")).is_empty(), "{store}");
            let back = desk.list(query).into_iter().find(|own| own["raw"] == row["raw"]).unwrap();
            assert_eq!(back["state"], "live", "{store}");
            desk.run(&["undo"]).expect_status(0);
            assert_eq!(desk.list(&format!("is:deleted {query}")).len(), 1, "{store}");
            desk.run(&["redo"]).expect_status(0);
            // What was changed is not deleted, though undo data has it as it was.
            desk.run(&["edit", back["key"].as_str().unwrap(), "--set", "text=Another one."]).expect_status(0);
            let listed = desk.list(&format!("is:deleted {query}"));
            assert!(listed.iter().all(|own| own["raw"] == row["raw"]), "{store}: {listed:?}");
            desk.run(&["undo"]).expect_status(0);
            // What is deleted can be erased as well: then nothing brings it back.
            desk.run(&[&verb.split(' ').collect::<Vec<_>>()[..], &[back["key"].as_str().unwrap()]].concat())
                .expect_status(0);
            desk.run(&["erase", "--query", &format!("is:deleted {query}")]).expect_status(0);
            assert!(desk.list(&format!("is:deleted {query}")).is_empty(), "{store}: {by}");
        }
    }
}

#[test]
fn records_of_a_session_that_is_gone_are_listed_and_come_back_with_it() {
    for (store, session) in [("project/memory", "sess_today"), ("project/.bmad/memory", "sess-review-orders")]
    {
        let desk = Desk::new(store);
        let session = &*desk.list(&format!("session:{session}"))[0]["session"].as_str().unwrap().to_owned();
        let scope = format!("session:{session}");
        let gone = format!("is:deleted {scope}");
        let raws = |query: &str| -> Vec<Value> {
            let mut raws: Vec<Value> = desk.list(query).iter().map(|row| row["raw"].clone()).collect();
            raws.sort_by_key(Value::to_string);
            raws
        };
        let problems = || desk.run(&["check", "--json"]).json_lines().len();
        let (before, known) = (raws(&format!("{scope} is:live")), problems());
        let live = desk.list(&format!("{scope} is:live"));
        desk.run(&["session", "delete", session]).expect_status(0);
        assert!(desk.list(&scope).is_empty());
        let listed = desk.list(&gone);
        assert!(before.iter().all(|raw| listed.iter().any(|row| row["raw"] == *raw)), "{store}");
        // One alone, by its key: the session is there again, with that record.
        let row = listed.iter().find(|row| row["id"] == live[0]["id"]).unwrap();
        desk.run(&["undelete", row["key"].as_str().unwrap()]).expect_status(0);
        assert_eq!(raws(&format!("{scope} is:live")), [live[0]["raw"].clone()], "{store}");
        let sessions = desk.run(&["session", "list", "--json"]).stdout;
        assert!(sessions.contains(session), "{sessions}");
        assert!(problems() <= known, "{}", desk.run(&["check"]).stdout);
        // The rest follows, and undo takes each back.
        let rest = format!("{gone} -id:{}", live[0]["id"].as_str().unwrap());
        desk.run(&["undelete", "--query", &rest]).expect_status(0);
        assert!(before.iter().all(|raw| raws(&format!("{scope} is:live")).contains(raw)), "{store}");
        assert!(problems() <= known, "{}", desk.run(&["check"]).stdout);
        desk.run(&["undo"]).expect_status(0);
        desk.run(&["undo"]).expect_status(0);
        assert_eq!(desk.list(&scope).len(), 0);
        assert_eq!(desk.list(&gone).len(), listed.len(), "{store}");
    }
}

#[test]
fn of_equal_records_without_ids_as_many_are_listed_as_were_deleted_and_each_comes_back_once() {
    for (store, query, verb) in CASES.into_iter().filter(|(_, query, _)| !query.contains("note")) {
        let desk = Desk::new(store);
        let row = nameless(&desk, query);
        let log = desk.store.join(row["file"].as_str().unwrap());
        let line = format!("{}\n", row["raw"].as_str().unwrap());
        let text = fs::read_to_string(&log).unwrap();
        fs::write(&log, text + &line + &line).unwrap();
        let live = || -> Vec<String> {
            let rows = desk.list(query).into_iter().filter(|own| own["raw"] == row["raw"]);
            rows.map(|own| own["key"].as_str().unwrap().to_owned()).collect()
        };
        let gone = || -> Vec<String> {
            let rows = desk.list(&format!("is:deleted {query}")).into_iter();
            rows.map(|own| own["key"].as_str().unwrap().to_owned()).collect()
        };
        let words: Vec<&str> = verb.split(' ').collect();
        assert_eq!((live().len(), gone().len()), (3, 0), "{store}");
        for left in [2, 1] {
            let key = live()[left].clone();
            desk.run(&[&words[..], &[&*key]].concat()).expect_status(0);
            assert_eq!((live().len(), gone().len()), (left, 3 - left), "{store}");
        }
        desk.run(&["undelete", &gone()[1]]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (2, 1), "{store}");
        desk.run(&["undo"]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (1, 2), "{store}");
        let keys = gone();
        desk.run(&["undelete", &keys[0], &keys[1]]).expect_status(0);
        assert_eq!((live().len(), gone().len()), (3, 0), "{store}");
    }
}

#[test]
fn of_records_that_share_id_and_time_the_deleted_one_is_listed_while_the_other_is_there() {
    for (store, query, verb) in CASES.into_iter().filter(|(_, query, _)| !query.contains("note")) {
        let desk = Desk::new(store);
        let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
        let title = row["title"].as_str().unwrap();
        let log = desk.store.join(row["file"].as_str().unwrap());
        let other = row["raw"].as_str().unwrap().replacen(title, "It says something else", 1);
        assert_ne!(row["raw"], other.as_str(), "{store}");
        let text = fs::read_to_string(&log).unwrap();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        fs::write(&log, text + end + &other + "\n").unwrap();
        let scope = format!("{query} id:{}", row["id"].as_str().unwrap());
        let gone = || desk.list(&format!("is:deleted {scope}"));
        let words: Vec<&str> = verb.split(' ').collect();
        let key = row["key"].as_str().unwrap();
        desk.run(&[&words[..], &[key]].concat()).expect_status(0);
        let listed = gone();
        assert_eq!(listed.len(), 1, "{store}");
        assert_eq!(listed[0]["raw"], row["raw"], "{store}");
        desk.run(&["undelete", listed[0]["key"].as_str().unwrap()]).expect_status(0);
        assert!(gone().is_empty(), "{store}");
        let back = desk.list(&scope);
        assert!(back.iter().any(|own| own["raw"] == row["raw"]), "{store}: {back:?}");
        // One that was brought back and changed is there.
        desk.run(&["edit", key, "--set", "text=Changed since."]).expect_status(0);
        assert!(gone().is_empty(), "{store}");
    }
}

#[test]
fn a_deleted_item_of_a_bundle_can_be_erased() {
    let desk = Desk::new("project/.agent-memory");
    let before = desk.list("type:gotchas");
    let problems = || desk.run(&["check", "--json"]).json_lines().len();
    let known = problems();
    desk.run(&["delete", "gotchas.0"]).expect_status(0);
    let gone = desk.list("is:deleted");
    assert_eq!(gone.len(), 1);
    let text = gone[0]["title"].as_str().unwrap().to_owned();
    let holds = |folder: &std::path::Path| {
        let out = std::process::Command::new("grep").arg("-rlF").arg(&text).arg(folder).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    assert_ne!(holds(&desk.store), "");
    desk.run(&["erase", gone[0]["key"].as_str().unwrap()]).expect_status(0);
    assert_eq!(holds(desk.folder.path()), "");
    assert!(desk.list("is:deleted").is_empty());
    let raws = |rows: &[Value]| rows.iter().map(|row| row["raw"].clone()).collect::<Vec<_>>();
    assert_eq!(raws(&desk.list("type:gotchas")), raws(&before[1..]));
    assert!(problems() <= known, "{}", desk.run(&["check"]).stdout);
}

#[test]
fn what_is_not_deleted_is_refused_in_words_that_every_format_knows() {
    let stores = CASES.iter().map(|own| own.0).chain(["project/.agent-memory"]);
    for store in stores {
        let desk = Desk::new(store);
        let row = desk.list("").into_iter().find(|row| row["state"] == "live").unwrap();
        let told = desk.run(&["undelete", row["key"].as_str().unwrap()]).expect_status(3).stderr;
        assert!(told.contains("none of these is deleted"), "{store}: {told}");
        assert!(!told.contains("tombstone"), "{store}: {told}");
    }
}
