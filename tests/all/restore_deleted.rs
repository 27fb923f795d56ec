//! A restore leaves out what was deleted since the backup and names it, in every format with backups.

use crate::support;

use serde_json::Value;
use support::kept_log::line;
use support::{DemoStore, KeptLog};

/// A store, and how a memory of it is deleted.
const CASES: [(&str, &str, &[&str]); 4] = [
    ("team/memories", "type:learning", &["delete"]),
    ("ops/memory", "session:release_4_3 type:finding", &["delete", "--remove"]),
    ("shop/.bmad/memory", "session:double-charge type:finding", &["delete"]),
    ("notes/.chora/memory", "type:note", &["delete", "--remove"]),
];

fn first(desk: &DemoStore, query: &str) -> (String, String, String) {
    let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
    let (id, file) = (row["id"].as_str().unwrap().to_owned(), row["file"].as_str().unwrap().to_owned());
    let name = row["session"].as_str().map_or(id.clone(), |session| format!("{session}/{id}"));
    (id, name, file)
}

fn backup(desk: &DemoStore, file: &str) -> String {
    desk.change(&["backup", "create"]).expect_status(0);
    let rows = desk.run(&["backup", "list", "--json"]).json_lines();
    let own = rows.iter().find(|row| row["file"] == file && row["reason"] == "by hand").unwrap();
    own["backup"].as_str().unwrap().to_owned()
}

fn kind(desk: &DemoStore, copy: &str, id: &str) -> Option<Value> {
    let rows = desk.run(&["backup", "diff", copy, "--json"]).json_lines();
    rows.into_iter().find(|row| row["id"] == id).map(|row| row["change"].clone())
}

#[test]
fn what_was_deleted_since_is_named_and_comes_back_only_where_it_is_chosen_in_every_format() {
    for (store, query, delete) in crate::support::tries::some(CASES, &[1]) {
        let desk = DemoStore::new(store);
        let (id, name, file) = first(&desk, query);
        let copy = backup(&desk, &file);
        desk.change(&[delete, &[&*name]].concat()).expect_status(0);
        let is_live = || desk.list(query).iter().any(|row| row["id"] == id && row["state"] == "live");
        assert_eq!(kind(&desk, &copy, &id), Some("deleted".into()), "{store}");
        for way in [&[][..], &["--replace"]] {
            let output = desk.change(&[&["backup", "restore", &copy], way].concat()).expect_status(0);
            let told = output.stdout.clone() + &output.stderr;
            assert!(told.contains("is left out  deleted 2") && told.contains(&id), "{store} {way:?}: {told}");
            assert!(!is_live(), "{store} {way:?}: it is back");
        }
        let is_one_file = file.ends_with(".md");
        for way in [&["--deleted"][..], &["--replace", "--deleted"], &[&*id], &["--replace", &*id]] {
            desk.change(&[&["backup", "restore", &copy], way].concat()).expect_status(0);
            assert!(is_live(), "{store} {way:?}: it is not back");
            assert!(is_one_file || kind(&desk, &copy, &id).is_none(), "{store} {way:?}");
            desk.change(&["undo"]).expect_status(0);
            assert!(!is_live(), "{store} {way:?}");
        }
    }
}

#[test]
fn an_item_of_a_bundle_that_was_deleted_since_stays_away_from_a_state_that_is_put_back() {
    let desk = DemoStore::new("web/.agent-memory");
    let copy = backup(&desk, "state.json");
    let [one, two] = [0, 1].map(|at| desk.list("type:gotchas")[at]["raw"].clone());
    desk.change(&["delete", "gotchas.1"]).expect_status(0);
    let has = |raw: &Value| desk.list("type:gotchas").iter().any(|row| row["raw"] == *raw);
    let output = desk.change(&["backup", "restore", &copy, "--replace"]).expect_status(0);
    assert!(output.stdout.contains("is left out  deleted 2"), "{output:?}");
    assert!(has(&one) && !has(&two));
    desk.change(&["backup", "restore", &copy, "--replace", "--deleted"]).expect_status(0);
    assert!(has(&one) && has(&two));
}

#[test]
fn a_deletion_that_was_undone_or_that_an_older_version_was_edited_before_is_told_from_one_in_force() {
    let desk = DemoStore::new("team/memories");
    let rows = desk.list("type:learning");
    let [kept, edited] = [0, 1].map(|at| rows[at]["id"].as_str().unwrap().to_owned());
    let copy = backup(&desk, "learnings.jsonl");
    desk.change(&["edit", &edited, "--set", "text=Another text of it."]).expect_status(0);
    desk.change(&["delete", &edited]).expect_status(0);
    desk.change(&["delete", &kept]).expect_status(0);
    desk.change(&["undelete", &kept]).expect_status(0);
    assert_eq!(kind(&desk, &copy, &edited), Some("deleted".into()));
    assert_eq!(kind(&desk, &copy, &kept), None);
    // Another program loses the restored memory. Nobody deleted it.
    let log = desk.store.join("learnings.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    let left: String = text.split_inclusive('\n').filter(|line| !line.contains(&kept)).collect();
    std::fs::write(&log, left).unwrap();
    assert_eq!(kind(&desk, &copy, &kept), Some("missing".into()));
    desk.change(&["backup", "restore", &copy]).expect_status(0);
    assert!(desk.has("type:learning is:live", &kept) && !desk.has("type:learning is:live", &edited));
}

#[test]
fn what_was_deleted_and_written_again_before_the_backup_was_made_is_restored() {
    let desk = DemoStore::new("team/memories");
    let (id, _, file) = first(&desk, "type:learning");
    let path = desk.store.join(&file);
    let line = desk.text_of(&file).lines().find(|line| line.contains(&id)).unwrap().to_owned();
    desk.change(&["delete", &id, "--now", "2030-01-01T10:00:00Z"]).expect_status(0);
    let without = desk.text_of(&file);
    std::fs::write(&path, format!("{without}{line}\n")).unwrap();
    desk.change(&["backup", "create", "--now", "2030-01-02T10:00:00Z"]).expect_status(0);
    std::fs::write(&path, without).unwrap();
    let rows = desk.run(&["backup", "list", "--json"]).json_lines();
    let own = rows.iter().find(|row| row["file"] == *file && row["reason"] == "by hand").unwrap();
    let copy = own["backup"].as_str().unwrap();
    assert_ne!(kind(&desk, copy, &id), Some("deleted".into()));
    desk.change(&["backup", "restore", copy]).expect_status(0);
    assert!(desk.text_of(&file).contains(&line));
}

#[test]
fn a_backup_that_an_erasure_shortened_is_intact_and_one_that_was_cut_since_is_not() {
    let desk = DemoStore::new("team/memories");
    let (id, _, file) = first(&desk, "type:learning");
    let copy = backup(&desk, &file);
    let own = |desk: &DemoStore| {
        let rows = desk.run(&["backup", "list", "--verify", "--json"]).json_lines();
        rows.into_iter().find(|row| row["backup"] == *copy).unwrap()
    };
    let before = own(&desk)["bytes"].as_u64().unwrap();
    desk.change(&["erase", &id]).expect_status(0).expect_stderr("of this store searched");
    let after = own(&desk);
    assert!(after["bytes"].as_u64().unwrap() < before, "{after}");
    assert_eq!(after["verified"], true, "{after}");
    let text = desk.text_of(&copy);
    std::fs::write(desk.store.join(&copy), &text[..text.len() / 2]).unwrap();
    assert_eq!(own(&desk)["verified"], false);
}

#[test]
fn a_tombstone_that_is_lost_comes_back_with_the_backup_of_its_log() {
    const TOMBSTONES: &str = "sessions/s/tombstones.jsonl";
    let log = KeptLog::of(&[line(1, "first"), line(2, "second")]);
    log.at("2026-02-01T12:00:00Z", &["delete", "mem_2", "--yes"]).expect_status(0);
    let copy = log.backup("2026-02-01T13:00:00Z", TOMBSTONES);
    log.at("2026-02-01T14:00:00Z", &["compact", "--session", "s", "--yes"]).expect_status(0);
    log.store.write(TOMBSTONES, b"");
    log.at("2026-02-01T15:00:00Z", &["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    let text = String::from_utf8(log.store.read(TOMBSTONES)).unwrap();
    assert!(text.contains("mem_2"), "{text}");
}

#[test]
fn a_part_of_a_bundle_that_was_written_again_before_the_backup_can_come_back() {
    let desk = DemoStore::new("web/.agent-memory");
    let (state, query) = ("state.json", "type:gotchas");
    let before = desk.text_of(state);
    let key = desk.list(query)[0]["key"].as_str().unwrap().to_owned();
    desk.change(&["delete", &key, "--now", "2030-01-01T10:00:00Z"]).expect_status(0);
    let without = desk.text_of(state);
    std::fs::write(desk.store.join(state), &before).unwrap();
    desk.change(&["backup", "create", "--now", "2030-01-02T10:00:00Z"]).expect_status(0);
    std::fs::write(desk.store.join(state), &without).unwrap();
    let rows = desk.run(&["backup", "list", "--json"]).json_lines();
    let own = rows.iter().find(|row| row["file"] == *state && row["reason"] == "by hand").unwrap();
    let count = desk.list(query).len();
    desk.change(&["backup", "restore", own["backup"].as_str().unwrap(), "--replace"]).expect_status(0);
    assert_eq!(desk.list(query).len(), count + 1);
}
