//! What a verb leaves behind in a store, and late writes to a file that was changed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::{DemoStore, SOON, StoreBuilder, TempStore};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        match item.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => found.extend(files(&item.path())),
            false => found.push(item.path()),
        }
    }
    found
}

fn ours(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains("palimp") || name.starts_with(".lock.")
    };
    files(folder).into_iter().filter(is_ours).collect()
}

/// Only root can look into every process, and so know that none has a file open.
fn sees_all() -> bool {
    let sees = rustix::process::geteuid().is_root();
    if !sees {
        eprintln!("skipped: only root can look into every process");
    }
    sees
}

#[track_caller]
fn until(what: &str, seen: impl Fn() -> bool) {
    let began = Instant::now();
    while !seen() {
        assert!(began.elapsed() < SOON, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn log() -> TempStore {
    StoreBuilder::session_log().session("s").entries(3).build()
}

const LOG: &str = "sessions/s/memory.jsonl";

fn late_line(store: &TempStore) -> Vec<u8> {
    let text = store.text(LOG);
    format!("{}\n", text.lines().next().unwrap().replace("mem_001", "mem_late")).into_bytes()
}

fn opened(store: &TempStore) -> File {
    OpenOptions::new().append(true).open(store.file(LOG)).unwrap()
}

fn says(store: &TempStore, word: &str) -> bool {
    store.text(LOG).contains(word)
}

#[test]
fn nothing_of_ours_and_nothing_that_was_replaced_is_left_where_nobody_has_a_store_open() {
    if !sees_all() {
        return;
    }
    let desk = DemoStore::at("", "2026-01-20T00:00:00Z");
    for format in crate::support::tries::some(["memory-server", "session-log", "bmad", "a-mem"], &[1]) {
        let list = desk.run(&["list", "--json"]).expect_status(0).json_lines();
        let may = ["note", "learning", "finding", "decision"];
        let is_one = |own: &&serde_json::Value| {
            own["format"] == format && own["state"] == "live" && may.contains(&own["type"].as_str().unwrap())
        };
        let key = list.iter().find(is_one).unwrap_or_else(|| panic!("{format}"))["key"].as_str().unwrap();
        desk.run(&["tag", key, "+left-over", "--yes"]).expect_status(0);
        assert_eq!(ours(&desk.store), Vec::<PathBuf>::new(), "{format}");
        desk.run(&["undo", "--yes"]).expect_status(0);
        assert_eq!(ours(&desk.store), Vec::<PathBuf>::new(), "{format}, undone");
    }
}

#[test]
fn a_session_that_is_deleted_leaves_no_file_that_holds_it() {
    if !sees_all() {
        return;
    }
    let store = log();
    store.verb(&["session", "delete", "s", "--yes"]).run().expect_status(0);
    let holds = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains("mem_001");
    let left: Vec<PathBuf> =
        files(&store.path).into_iter().filter(|path| !path.ends_with("tombstones.jsonl")).collect();
    assert!(!left.iter().any(holds), "{left:?}");
    assert_eq!(ours(&store.path), Vec::<PathBuf>::new());
}

#[test]
fn a_reading_verb_brings_a_late_line_to_its_file_and_takes_the_old_file_away() {
    let store = log();
    let mut agent = opened(&store);
    store.verb(&["tag", "mem_001", "+new", "--yes"]).run().expect_status(0);
    assert_eq!(ours(&store.path).len(), 1, "an agent has it open");
    agent.write_all(&late_line(&store)).unwrap();
    store.verb(&["list", "--readonly"]).run().expect_status(0);
    until("a reading verb", || {
        store.verb(&["list"]).run().expect_status(0);
        says(&store, "mem_late")
    });
    drop(agent);
    if sees_all() {
        until("the old file to go", || {
            store.verb(&["list"]).run().expect_status(0);
            ours(&store.path).is_empty()
        });
    }
    assert!(says(&store, "\"new\""));
}

#[test]
fn a_late_line_that_comes_before_a_verb_ends_is_in_its_file_then() {
    let store = log();
    let mut agent = opened(&store);
    std::thread::scope(|scope| {
        let change = scope.spawn(|| store.verb(&["tag", "mem_001", "+new", "--yes"]).run().expect_status(0));
        until("the second name", || {
            ours(&store.path).iter().any(|own| own.to_string_lossy().ends_with("palimp-old"))
        });
        agent.write_all(&late_line(&store)).unwrap();
        drop(agent);
        change.join().unwrap();
    });
    assert!(says(&store, "mem_late") && says(&store, "\"new\""));
    if sees_all() {
        assert_eq!(ours(&store.path), Vec::<PathBuf>::new());
    }
}

#[test]
fn what_a_process_writes_in_place_after_a_change_is_kept_and_told_as_a_conflict() {
    let store = log();
    let agent = OpenOptions::new().write(true).open(store.file(LOG)).unwrap();
    store.verb(&["tag", "mem_001", "+new", "--yes"]).run().expect_status(0);
    agent.set_len(0).unwrap();
    let theirs = String::from_utf8(late_line(&store)).unwrap();
    (&agent).write_all(theirs.as_bytes()).unwrap();
    drop(agent);
    until("the conflict to be told", || {
        let said = store.verb(&["list"]).run().expect_status(0).stderr;
        said.contains("conflict") && said.contains("memory.jsonl")
    });
    let kept: Vec<PathBuf> = files(&store.data())
        .into_iter()
        .filter(|path| path.parent().unwrap().ends_with("quarantine"))
        .collect();
    assert_eq!(kept.iter().map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>(), [theirs]);
    assert!(says(&store, "\"new\"") && !says(&store, "mem_late"));
}
