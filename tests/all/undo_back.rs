//! What another program brought back meanwhile is not brought back once more.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Output, Verb};
use tempfile::TempDir;

const NOW: &str = "2026-03-01T12:00:00Z";

struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        Verb::new(["demo", demo.to_str().unwrap(), "--now", NOW]).run().expect_status(0);
        Desk { folder }
    }

    fn store(&self, name: &str) -> PathBuf {
        self.folder.path().join("demo").join(name)
    }

    fn run(&self, store: &Path, args: &str) -> Output {
        let data = self.folder.path().join("data");
        let options = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        let args: Vec<&str> = args.split(' ').collect();
        Verb::new([&args[..], &options, &["--yes", "--now", NOW]].concat()).run()
    }
}

/// Lines in their order, as another program may have put them elsewhere.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Does a verb, puts the file back as another program would, and undoes the verb.
fn put_back(store: &str, file: &str, verb: &str) {
    let desk = Desk::new();
    let store = desk.store(store);
    let file = store.join(file);
    let saved = fs::read_to_string(&file).unwrap();
    desk.run(&store, verb).expect_status(0);
    assert_ne!(fs::read_to_string(&file).unwrap_or_default(), saved, "{verb} changed nothing");
    fs::write(&file, &saved).unwrap();
    let undone = desk.run(&store, "undo").expect_status(0);
    assert_eq!(sorted(&fs::read_to_string(&file).unwrap()), sorted(&saved), "undo of {verb}");
    assert!(undone.stdout.contains("brought back by another program"), "{verb}: {}", undone.stdout);
    // It is undone: the next undo is not about it.
    let again = desk.run(&store, "undo");
    assert!(!again.stdout.contains("undo step 1"), "{verb}: {}", again.stdout);
}

#[test]
fn records_that_another_program_put_back_are_not_there_twice_after_undo() {
    put_back("agents/memories", "learnings.jsonl", "delete --query pooling");
    put_back("agents/memories", "learnings.jsonl", "archive --query type:learning");
    put_back("project/memory", "sessions/sess_today/memory.jsonl", "delete --remove mem_tod_035");
    put_back(
        "project/.bmad/memory",
        "sessions/sess-review-orders/decisions.jsonl",
        "delete --query type:decision",
    );
}

#[test]
fn what_was_brought_back_with_other_content_is_left_as_it_is() {
    let desk = Desk::new();
    let store = desk.store("project/memory");
    let file = store.join("sessions/sess_today/memory.jsonl");
    let saved = fs::read_to_string(&file).unwrap();
    desk.run(&store, "delete --remove mem_tod_035 mem_tod_036").expect_status(0);
    let line = saved.lines().find(|line| line.contains("\"mem_tod_035\"")).unwrap();
    let other = line.replace("\"message\":\"", "\"message\":\"In other words: ");
    assert_ne!(other, line);
    let now = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{now}{other}\n")).unwrap();
    let undone = desk.run(&store, "undo").expect_status(0);
    assert!(undone.stdout.contains("1 record was brought back by another program with other content"));
    let now = fs::read_to_string(&file).unwrap();
    assert!(now.contains(&other) && !now.contains(line), "{now}");
    assert!(now.contains("\"id\":\"mem_tod_036\"") || now.contains("\"id\": \"mem_tod_036\""), "{now}");
}

/// An id that two records share is a defect that the undo of a deletion must not hide.
#[test]
fn one_of_two_records_with_the_same_id_comes_back() {
    let desk = Desk::new();
    let store = desk.store("agents/memories");
    let file = store.join("learnings.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let first = text.lines().find(|line| line.contains("\"content\"")).unwrap().to_owned();
    fs::write(&file, format!("{text}{}\n", first.replace("\"content\":\"", "\"content\":\"Twin: "))).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    desk.run(&store, "delete --query Twin").expect_status(0);
    // Others go on.
    let now = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{now}{}\n", first.replace("\"id\":\"", "\"id\":\"other-"))).unwrap();
    desk.run(&store, "undo").expect_status(0);
    let now = fs::read_to_string(&file).unwrap();
    assert!(before.lines().all(|line| now.contains(line)), "{now}");
}

#[test]
fn what_another_program_added_is_not_added_again_by_redo() {
    let desk = Desk::new();
    let store = desk.store("project/memory");
    let file = store.join("sessions/sess_today/memory.jsonl");
    desk.run(&store, "add --session sess_today --type finding --text new").expect_status(0);
    let with = fs::read_to_string(&file).unwrap();
    desk.run(&store, "undo").expect_status(0);
    fs::write(&file, &with).unwrap();
    desk.run(&store, "redo").expect_status(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), with);
}

#[test]
fn what_is_there_again_is_not_undeleted_or_restored_once_more() {
    let desk = Desk::new();
    let store = desk.store("agents/memories");
    let file = store.join("learnings.jsonl");
    let saved = fs::read_to_string(&file).unwrap();
    let line = saved.lines().find(|line| line.contains("pooling")).unwrap();
    let id = line.split("\"id\":").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    desk.run(&store, &format!("delete {id}")).expect_status(0);
    let other = saved.replace(line, &line.replace("\"content\":\"", "\"content\":\"In other words: "));
    assert_ne!(other, saved);
    for there in [&saved, &other] {
        fs::write(&file, there).unwrap();
        let again = desk.run(&store, &format!("undelete {id}"));
        assert_ne!(again.status, Some(0), "{}", again.stdout);
        assert_eq!(&fs::read_to_string(&file).unwrap(), there);
    }
    fs::write(&file, &other).unwrap();
    let list = desk.run(&store, "backup list");
    let backup = list.stdout.split_whitespace().find(|word| word.contains("learnings.jsonl.backup")).unwrap();
    desk.run(&store, &format!("backup restore {backup}"));
    assert_eq!(fs::read_to_string(&file).unwrap().matches(&format!("\"id\":\"{id}\"")).count(), 1);
}
