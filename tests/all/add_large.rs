//! `palimp add` to a large session: its log is not read, and the derived files follow later.

use std::fs;
use std::path::PathBuf;

use palimp::memory::Memory;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Output, Verb};

struct Site {
    folder: TempDir,
}

impl Site {
    /// A store with a small session, and a large one that has this many entries.
    fn new(entries: usize) -> Site {
        let folder = crate::support::folder::new();
        let site = Site { folder };
        let root = site.root();
        drop(Memory::create("session-log", &root, &site.data()).unwrap());
        for (session, count) in [("large", entries), ("small", 2)] {
            let mut memory = Memory::open(&root, &site.data()).unwrap();
            memory.create_session(Some(session), "tester").unwrap();
            let line = |number: usize| {
                format!(
                    "{{\"id\":\"mem_{number:08}\",\"session_id\":\"{session}\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                     \"type\":\"finding\",\"content\":{{\"finding\":\"{}\"}},\"importance\":0.5,\"tags\":[]}}\n",
                    "x".repeat(200)
                )
            };
            let lines: String = (0..count).map(line).collect();
            fs::write(site.log(session), lines).unwrap();
        }
        site.run(&["reindex", "--yes"]).expect_status(0);
        site
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self, session: &str) -> PathBuf {
        self.root().join(format!("sessions/{session}/memory.jsonl"))
    }

    fn run(&self, words: &[&str]) -> Output {
        self.fed("", words)
    }

    fn fed(&self, text: &str, words: &[&str]) -> Output {
        let (root, data) = (self.root(), self.data());
        let own = ["--data-dir", data.to_str().unwrap(), "--store", root.to_str().unwrap()];
        Verb::new([words, &own].concat()).with_input(text).run()
    }

    fn add_records(&self, records: &str, more: &[&str]) -> Output {
        let words = ["add", "--session", "large", "--type", "finding", "--record", "-"];
        self.fed(records, &[&words[..], more].concat())
    }

    fn add(&self, text: &str) -> Output {
        self.run(&["add", "--session", "large", "--type", "finding", "--text", text, "--yes"])
    }

    /// The next start brings the index up to date.
    #[track_caller]
    fn start(&self) {
        self.run(&["list"]).expect_status(0);
        assert_eq!(self.codes(), [""; 0]);
    }

    fn codes(&self) -> Vec<String> {
        let rows = self.run(&["check", "--readonly", "--json"]).json_lines();
        rows.iter().filter_map(|row: &Value| Some(row["code"].as_str()?.to_owned())).collect()
    }
}

#[test]
fn a_memory_that_is_added_to_a_large_session_is_there_and_its_index_follows_with_the_next_start() {
    let site = Site::new(400);
    site.add("a new one").expect_status(0).expect_stdout("append").expect_stderr("undoes it");
    let rows = site.run(&["list", "--json", "a new one"]).json_lines();
    assert_eq!(rows.len(), 1);
    site.start();
    let index = fs::read_to_string(site.root().join("sessions/large/index.json")).unwrap();
    assert!(index.contains(rows[0]["id"].as_str().unwrap()));
}

#[test]
fn what_waits_is_due_and_not_stale_and_any_start_brings_it_up_to_date() {
    let site = Site::new(400);
    site.add("a new one").expect_status(0);
    let codes = site.codes();
    assert!(!codes.iter().any(|code| code == "index-stale" || code == "count-mismatch"), "{codes:?}");
    site.run(&["tag", "--query", "session:small id:mem_00000000", "+seen", "--yes"]).expect_status(0);
    assert_eq!(site.codes(), [""; 0]);
    // A verb that reads only another session leaves the index.
    site.add("one more").expect_status(0);
    site.run(&["tag", "small/mem_00000001", "+seen", "--yes"]).expect_status(0);
    site.start();
}

#[test]
fn it_is_undone_and_redone_as_any_other_change_and_its_index_comes_back_as_it_was() {
    let site = Site::new(400);
    let files = || {
        let file = |name: &str| fs::read(site.root().join("sessions/large").join(name)).unwrap();
        ["memory.jsonl", "index.json", "metadata.json"].map(file)
    };
    let before = files();
    site.add("a new one").expect_status(0);
    site.start();
    site.run(&["undo", "--yes"]).expect_status(0);
    assert!(files() == before);
    site.run(&["redo", "--yes"]).expect_status(0);
    assert!(String::from_utf8_lossy(&files()[0]).contains("a new one"));
    assert_eq!(site.codes(), [""; 0]);
}

#[test]
fn an_id_that_is_given_is_searched_for_and_refused_where_it_is_there() {
    let site = Site::new(400);
    let record = |id: &str| format!("{{\"id\":\"{id}\",\"content\":{{\"finding\":\"mine\"}}}}");
    let add = |id: &str| site.add_records(&record(id), &["--yes"]);
    add("mem_00000007").expect_status(3).expect_stderr("already exists");
    add("mem_mine").expect_status(0);
}

#[test]
fn a_torn_last_line_is_closed_before_a_memory_is_added() {
    let site = Site::new(400);
    let mut text = fs::read(site.log("large")).unwrap();
    text.truncate(text.len() - 40);
    fs::write(site.log("large"), &text).unwrap();
    site.add("a new one").expect_status(0);
    let now = fs::read(site.log("large")).unwrap();
    assert!(now.starts_with(&text) && now[text.len()] == b'\n');
    assert!(String::from_utf8_lossy(&now[text.len()..]).contains("a new one"));
}

#[test]
fn json_lines_are_added_in_one_step_or_none_of_them() {
    for entries in [3, 1000] {
        let site = Site::new(entries);
        let line = |text: &str| format!("{{\"content\":{{\"finding\":\"{text}\"}}}}");
        let lines = ["one of three", "two of three", "three of three"].map(line);
        let before = fs::read(site.log("large")).unwrap();
        let shown = site.add_records(&lines.join("\n"), &["--dry-run", "--json"]).expect_status(0);
        assert_eq!(shown.json_lines()[0]["plan"]["records"], 3);
        assert_eq!(site.add_records(&lines.join("\n"), &[]).status, Some(3), "nobody said yes");
        assert_eq!(fs::read(site.log("large")).unwrap(), before);
        site.add_records(&lines.join("\n"), &["--yes"]).expect_status(0).expect_stderr("added 3 memories");
        assert_eq!(site.run(&["list", "--json", "of three"]).json_lines().len(), 3);
        let broken = [lines[0].clone(), "{\"content\":".to_owned(), lines[1].clone()];
        site.add_records(&broken.join("\n"), &["--yes"]).expect_stderr("memory 2: ");
        site.run(&["undo", "--yes"]).expect_status(0);
        assert_eq!(fs::read(site.log("large")).unwrap(), before);
        assert_eq!(site.codes(), [""; 0]);
    }
}
