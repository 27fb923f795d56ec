//! Slips of the one who types: what says nothing, or names what nobody knows, is refused with the
//! reason, and nothing is changed.

use crate::support;

use serde_json::{Value, json};
use support::{Output, StoreBuilder, TempStore, Verb, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn on(store: &TempStore, words: &[&str]) -> Output {
    let (path, data) = (store.path.to_str().unwrap(), store.around().join("data"));
    Verb::new([words, &["--store", path, "--data-dir", data.to_str().unwrap(), "--now", NOW]].concat()).run()
}

/// One editable record of each format and type of the demo.
fn each_kind(rows: &[Value]) -> Vec<&Value> {
    let mut seen = Vec::new();
    let kind = |row: &Value| (row["format"].clone(), row["type"].clone());
    let own =
        rows.iter().filter(|row| row["state"] == "live" && row["problems"].as_array().unwrap().is_empty());
    own.filter(|row| {
        let is_new = !seen.contains(&kind(row));
        seen.push(kind(row));
        is_new
    })
    .collect()
}

#[test]
fn in_every_format_an_empty_text_and_an_unknown_field_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (demo, data) = (folder.path().join("demo"), folder.path().join("data"));
    run(["demo", demo.to_str().unwrap(), "--now", NOW]).expect_status(0);
    let end =
        ["--store", demo.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", NOW, "--yes"];
    let on = |words: &[&str]| run([words, &end].concat());
    let rows = on(&["list", "--json"]).json_lines();
    let before = support::lasting(&demo);
    let mut formats = Vec::new();
    for row in each_kind(&rows) {
        let (format, key) = (row["format"].as_str().unwrap(), row["key"].as_str().unwrap());
        let kept = on(&["edit", key, "--set", "text=Another text.", "--dry-run"]);
        if kept.status != Some(0) {
            continue;
        }
        formats.push(format);
        for empty in ["text=", "text= \n "] {
            let own = on(&["edit", key, "--set", empty]).expect_status(3);
            assert!(own.stderr.contains("can't be empty"), "{format} {}: {}", row["type"], own.stderr);
        }
        let own = on(&["edit", key, "--set", "colour=red"]).expect_status(3);
        assert!(own.stderr.contains("Nothing was changed"), "{format}: {}", own.stderr);
    }
    formats.dedup();
    formats.sort();
    formats.dedup();
    assert_eq!(formats, ["a-mem", "agent-memory", "bmad", "memory-server", "session-log"]);
    for row in &rows {
        let format = row["format"].as_str().unwrap();
        let kind = match format {
            "a-mem" => "note",
            "session-log" | "bmad" => "finding",
            "memory-server" => "core",
            _ => continue,
        };
        let store = row["store"].as_str().unwrap();
        let session = row["session"].as_str().map(|name| vec!["--session", name]).unwrap_or_default();
        if formats.contains(&format) {
            formats.retain(|own| *own != format);
            let words = ["add", "--type", kind, "--text", "", "--store", store, "--yes", "--data-dir"];
            let own = run([&words[..], &[data.to_str().unwrap()], &session].concat());
            assert!(own.status == Some(3) && own.stderr.contains(" text"), "{format}: {own:?}");
        }
    }
    assert_eq!(formats, ["agent-memory"]);
    assert!(support::lasting(&demo) == before);
}

#[test]
fn a_mistyped_field_is_told_the_nearest_and_members_beyond_the_schema_may_be_set() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "mood": "calm", "metadata": {}}))
        .entries(1)
        .build();
    for (set, near) in [("importence=0.9", "`importance`"), ("tag=a", "`tags`")] {
        for words in [
            &["edit", "mem_1", "--set", set, "--yes"][..],
            &["edit", "--query", "id:mem_1", "--set", set, "--yes"],
        ] {
            let own = on(&store, words).expect_status(3);
            assert!(own.stderr.contains(near), "{words:?} {}", own.stderr);
        }
    }
    for set in ["mood=glad", "importance=0.9", "text=Other.", "content.finding=Another.", "metadata.more=1"] {
        let own = on(&store, &["edit", "mem_1", "--set", set, "--yes"]);
        assert_eq!(own.status, Some(0), "{set}: {own:?}");
    }
    let own = on(&store, &["add", "--session", "s", "--type", "finding", "--text", " \n", "--yes"]);
    assert!(own.status == Some(3) && own.stderr.contains("the text is empty"), "{own:?}");
}
