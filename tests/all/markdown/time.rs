//! Memories without a time of their own have their file's, and it is said whose time it is.

use serde_json::Value;

use super::claude;
use crate::support::{Desk, Files, rows, run};

const OLD: &str = "2026-01-10T08:00:00Z";
const NEW: &str = "2026-01-31T08:00:00Z";

/// Folders of four families, each with two files: the first is the older one.
fn folders() -> [(&'static str, Files, [&'static str; 2]); 4] {
    let files = |names: [&str; 2], texts: [&str; 2]| {
        Files::default().with(names[0], texts[0]).with(names[1], texts[1])
    };
    let topics = claude().without("MEMORY.md").without("alone.md");
    let serena = files(["a.md", "b.md"], ["An old one.\n", "A new one.\n"]);
    let bank = ["projectbrief.md", "progress.md"];
    let hermes = ["MEMORY.md", "USER.md"];
    [
        (".claude/memory", topics, ["deploy.md", "feedback_tabs.md"]),
        (".serena/memories", serena.with("../project.yml", "project_name: shop\n"), ["a.md", "b.md"]),
        ("memory-bank", files(bank, ["# Brief\n", "# Done\n"]), bank),
        ("memories", files(hermes, ["one\n§\ntwo", "three"]), hermes),
    ]
}

fn with_day() -> Files {
    claude().with("scan_2026_01_12.md", "---\nname: scan\n---\n\nText.\n")
}

fn files_of(rows: &[Value]) -> Vec<&str> {
    let mut files: Vec<&str> = rows.iter().map(|row| row["file"].as_str().unwrap()).collect();
    files.dedup();
    files
}

#[test]
fn in_every_family_memories_are_ordered_and_found_by_the_times_of_their_files() {
    for (root, files, [old, new]) in folders() {
        let store = files.build(root);
        store.set_time(old, OLD);
        store.set_time(new, NEW);
        assert_eq!(files_of(&rows(&store, "list", "")), [new, old], "{root}");
        assert_eq!(files_of(&rows(&store, "list", "until:2026-01-15")), [old], "{root}");
        let found = rows(&store, "list", "since:-7d");
        assert_eq!(files_of(&found), [new], "{root}");
        assert_eq!((&found[0]["created"], &found[0]["time"]), (&NEW.into(), &"file".into()), "{root}");
        let line = run(["list", "--now", "2026-02-01T12:00:00Z", "--store", store.path.to_str().unwrap()]);
        assert!(line.stdout.lines().next().unwrap().contains(" ~1d "), "{}", line.stdout);
    }
}

#[test]
fn a_stored_time_counts_and_a_stored_day_gets_its_hour_from_a_file_of_that_day() {
    let store = with_day().build(".claude/memory");
    let scan = |at: &str| {
        store.set_time("scan_2026_01_12.md", at);
        rows(&store, "list", "id:scan_2026_01_12").remove(0)
    };
    for (at, created, source) in [
        (NEW, "2026-01-12T00:00:00Z", Value::Null),
        ("2026-01-12T15:00:00Z", "2026-01-12T15:00:00Z", "file".into()),
    ] {
        let row = scan(at);
        assert_eq!((&row["created"], &row["time"]), (&created.into(), &source), "{row}");
    }
}

#[test]
fn the_detail_and_the_statistics_say_whose_time_it_is() {
    let desk = Desk::of(&with_day(), ".claude/memory");
    desk.store.set_time("alone.md", "1970-01-01T00:00:00Z");
    let shown = desk.run(&["show", "deploy"]).stdout;
    assert!(shown.contains("time           file changed 24 h ago"), "{shown}");
    assert!(shown.contains("file changed   2026-01-31 12:00"), "{shown}");
    let counted = &desk.run(&["stats", "--json"]).json_lines()[0]["stores"][0];
    let counts = ["records", "by_file_time", "without_time"].map(|name| counted[name].as_u64().unwrap());
    assert_eq!(counts, [5, 3, 1]);
    desk.run(&["stats"]).expect_stdout("3 by the time of their file, 1 without a known time");
}

#[test]
fn a_search_by_time_says_how_many_memories_have_none() {
    let desk = Desk::of(&claude(), ".claude/memory");
    desk.store.set_time("alone.md", "1970-01-01T00:00:00Z");
    let said = "palimp: 1 memory has no known time and is not among them.\n";
    for words in [["list", "since:-7d"], ["search", "until:2026-12-31 here"]] {
        assert_eq!(desk.run(&words).stderr, said, "{words:?}");
    }
    assert_eq!(desk.run(&["list", "since:-7d type:feedback"]).stderr, "");
    assert_eq!(desk.run(&["list"]).stderr, "");
}

#[test]
fn a_file_that_was_only_touched_has_the_same_memories() {
    let store = claude().build(".claude/memory");
    let listed = || rows(&store, "list", "id:deploy").remove(0);
    let before = listed();
    store.set_time("deploy.md", OLD);
    let after = listed();
    assert_eq!(before["key"], after["key"]);
    assert_ne!(before["created"], after["created"]);
}

#[test]
fn forget_takes_what_was_written_since_and_says_what_is_not_known_of_its_time() {
    let desk = Desk::of(&claude(), ".claude/memory");
    for (file, at) in [("deploy.md", NEW), ("feedback_tabs.md", OLD), ("alone.md", "1970-01-01T00:00:00Z")] {
        desk.store.set_time(file, at);
    }
    let asked = ["forget", "--query", "type:project OR type:feedback", "--since", "-7d"];
    let shown = desk.run(&[&asked[..], &["--dry-run"]].concat()).stdout;
    assert!(shown.contains("1 memory has no known time and is not among them"), "{shown}");
    assert!(shown.contains("of 1 memory only the time of its file is known: it may be older"), "{shown}");
    desk.change(&asked);
    let left = ["deploy.md", "feedback_tabs.md", "alone.md"].map(|file| desk.store.file(file).exists());
    assert_eq!(left, [false, true, true]);
}
