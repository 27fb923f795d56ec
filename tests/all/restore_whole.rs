//! `backup restore --replace`: lost memories are named, what other verbs refuse is refused here
//! too, and erased memories stay away in every format.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::kept_log::{LOG, line};
use support::{DemoStore, KeptLog, Output, StoreBuilder, TempStore};

const BEFORE: &str = "2026-02-01T10:00:00Z";
const NOW: &str = "2026-02-01T12:00:00Z";

fn told(output: &Output) -> Vec<String> {
    let rows = output.json_lines();
    let told = rows[0]["plan"]["told"].as_array().unwrap();
    told.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_whole_file_loses_and_what_comes_back_deleted_is_told_by_name() {
    let site =
        KeptLog::of(&[line(0, "stays"), line(1, "goes"), line(2, "is deleted"), line(3, "is changed")]);
    let copy = site.backup(BEFORE, LOG);
    site.run(&["delete", "mem_2", "--yes"]).expect_status(0);
    // After a compaction: the tombstone is there, and the record is not.
    let now = [line(0, "stays"), line(3, "otherwise"), line(8, "late"), line(9, "later still")];
    site.store.write(LOG, now.concat().as_bytes());
    let output = site.run(&["backup", "restore", &copy, "--replace", "--dry-run", "--json"]).expect_status(0);
    let told = told(&output);
    assert_eq!(
        told[0],
        "−2 that the backup lacks are LOST, ⊘1 are restored as DELETED: a tombstone names them, ~1 are changed back, \
         +1 are restored"
    );
    for (sign, fate, id) in [
        ('−', "  LOST  ", "mem_8"),
        ('−', "  LOST  ", "mem_9"),
        ('⊘', "  is restored as deleted  deleted 2026-02-01", "mem_2"),
        ('~', "  is changed back  ", "mem_3"),
        ('+', "  is restored  ", "mem_1"),
    ] {
        let named = |line: &&String| line.starts_with(sign) && line.contains(fate) && line.ends_with(id);
        assert_eq!(told.iter().filter(named).count(), 1, "{id}: {told:#?}");
    }
    assert!(!told.iter().any(|line| line.contains("mem_0")), "{told:#?}");
    site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    let rows = site.run(&["list", "--json"]).json_lines();
    let live: BTreeSet<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(live, BTreeSet::from(["mem_0", "mem_1", "mem_3"]), "a tombstone keeps the other deleted");
    site.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(site.store.read(LOG), now.concat().into_bytes());
}

#[test]
fn a_log_of_deletions_that_is_replaced_says_which_deletions_are_lost() {
    let site = KeptLog::of(&[line(0, "a"), line(1, "b"), line(2, "c")]);
    site.at(BEFORE, &["delete", "mem_0", "--yes"]).expect_status(0);
    let copy = site.backup(BEFORE, "sessions/s/tombstones.jsonl");
    site.run(&["delete", "mem_1", "--yes"]).expect_status(0);
    let output = site.run(&["backup", "restore", &copy, "--replace", "--dry-run", "--json"]).expect_status(0);
    let told = told(&output);
    assert_eq!(told[0], "−1 deletions made later are LOST: the memories are live again");
    assert!(told[1].contains("  its deletion is LOST") && told[1].ends_with("mem_1"), "{told:?}");
    site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    let rows = site.run(&["list", "--json"]).json_lines();
    let live: BTreeSet<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(live, BTreeSet::from(["mem_1", "mem_2"]));
}

#[test]
fn a_copy_that_is_damaged_where_the_file_is_not_is_refused_as_every_other_change_would_be() {
    let lines = [line(0, "a"), line(1, "b")];
    let site = KeptLog::of(&lines);
    let copy = site.backup(BEFORE, LOG);
    std::fs::write(&copy, [&lines[0], &lines[1][..30]].concat()).unwrap();
    let refused = site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(3);
    assert!(refused.stderr.contains("Nothing was changed"), "{}", refused.stderr);
    refused.expect_stderr(format!("the backup of {LOG} is damaged: line 2 is broken"));
    assert_eq!(site.store.read(LOG), lines.concat().into_bytes());
}

#[test]
fn a_restore_from_a_backup_without_its_last_lines_says_so() {
    let memory = |id: &str| json!({"id": id, "content": format!("about {id}")});
    let store = StoreBuilder::memory_server().learning(memory("k-1")).learning(memory("k-2")).build();
    let site = KeptLog { store, data: support::folder::new() };
    site.run(&["tag", "k-1", "+new", "--yes"]).expect_status(0);
    let rows = site.run(&["backup", "list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["step"] == 1 && row["file"] == "learnings.jsonl").unwrap();
    let copy = row["backup"].as_str().unwrap();
    let all = site.store.read(copy);
    let first = all.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    site.store.write(copy, &all[..first]);
    for more in [&["--replace"][..], &[]] {
        let words = [&["backup", "restore", copy, "--dry-run", "--json"], more].concat();
        let told = told(&site.run(&words).expect_status(0));
        let damage = "✖ the backup of learnings.jsonl is damaged: its end is missing".to_owned();
        assert!(told.contains(&damage), "{told:#?}");
    }
}

#[test]
fn a_memory_that_was_archived_since_is_left_out_of_a_file_that_is_replaced() {
    let memory = |id: &str| json!({"id": id, "content": format!("about {id}")});
    let store = StoreBuilder::memory_server().learning(memory("k-1")).learning(memory("k-2")).build();
    let site = KeptLog { store, data: support::folder::new() };
    let copy = site.backup(BEFORE, "learnings.jsonl");
    site.run(&["archive", "k-1", "--yes"]).expect_status(0);
    site.store.write("learnings.jsonl", b"");
    let output = site.run(&["backup", "restore", &copy, "--replace", "--dry-run", "--json"]).expect_status(0);
    let told = told(&output);
    assert_eq!(told[0], "+1 are restored, ·1 are in another file now, and are left out");
    let named = |line: &String| line.starts_with("· about k-1  is left out  is in archive/");
    assert!(told.iter().any(named), "{told:#?}");
    site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    let rows = site.run(&["list", "--all", "--json"]).json_lines();
    let mut all: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["id"].as_str().unwrap(), row["state"].as_str().unwrap())).collect();
    all.sort_unstable();
    assert_eq!(all, [("k-1", "archived"), ("k-2", "live")]);
}

/// A-MEM stores each event twice: in the log of its month and in its trace.
#[test]
fn a_lost_log_comes_back_with_the_events_that_their_traces_have() {
    let event = |number: usize| {
        let event = json!({
            "timestamp": format!("2026-01-1{number}T12:00:00Z"), "event_id": format!("evt_{number}"),
            "trace_id": "abc", "status": "success", "schema_version": "1.0",
            "event_type": "gateway.tool_call", "source": "gateway", "metadata": {"tool_name": "deploy"},
        });
        format!("{event}\n")
    };
    let (log, trace) = ("events/2026-01/events.jsonl", "events/2026-01/traces/abc.jsonl");
    let all = [event(1), event(2), event(3)].concat();
    let files = [log, trace].map(|file| (PathBuf::from(file), all.clone().into_bytes()));
    let site = KeptLog { store: TempStore::of_files("memory", &files), data: support::folder::new() };
    let copy = site.backup(BEFORE, log);
    site.store.write(log, event(1).as_bytes());
    let restore = ["backup", "restore", &copy, "--replace", "--dry-run", "--json"];
    let told = told(&site.run(&restore).expect_status(0));
    assert!(!told.iter().any(|line| line.contains("left out")), "{told:#?}");
    assert!(told[0].contains("2 are restored, and are in another file too"), "{told:#?}");
    site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    assert_eq!(site.store.text(log), all);
    let step =
        site.run(&["journal", "--json"]).json_lines().into_iter().find(|row| row["verb"] == "backup restore");
    assert_eq!(step.unwrap()["records"], 2);
    // In the log of another month, they are no copies.
    site.store.write(log, event(1).as_bytes());
    site.store.write("events/2026-02/events.jsonl", [event(2), event(3)].concat().as_bytes());
    let told = self::told(&site.run(&restore).expect_status(0));
    assert!(told[0].contains("2 are in another file now, and are left out"), "{told:#?}");
}

fn holding(store: &str, text: &str) -> Vec<PathBuf> {
    let is_copy = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.contains(".backup") || name.contains(".bak") || name.ends_with(".palimp-old")
    };
    let mut files = support::files_below(Path::new(store));
    files.retain(|path, bytes| !is_copy(path) && memchr::memmem::find(bytes, text.as_bytes()).is_some());
    files.into_keys().collect()
}

fn stretch(row: &Value) -> Option<String> {
    let raw = row["raw"].as_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == ' ' || c == '.' || c == ',';
    let mut runs: Vec<&str> = raw.split(|c| !plain(c)).map(str::trim).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
    let long = runs.first().filter(|run| run.len() >= 24).map(|run| (*run).to_owned());
    long.or_else(|| (row["type"] == "event").then(|| raw.to_owned()))
}

#[test]
fn what_was_erased_stays_away_from_every_copy_that_was_kept_elsewhere_in_every_format() {
    let demo = DemoStore::at("", BEFORE);
    let rows = demo.run(&["list", "--json"]).json_lines();
    let is_long = crate::support::tries::is_long();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut formats: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for row in &rows {
        let [store, format, kind] =
            ["store", "format", "type"].map(|name| row[name].as_str().unwrap_or_default());
        // Tries each type of each store in the long form, otherwise one per store.
        let kind = if is_long { kind } else { "" };
        let tried = kinds.entry(format!("{store} {kind}")).or_default();
        let Some(text) = stretch(row).filter(|text| *tried < 1 && !holding(store, text).is_empty()) else {
            continue;
        };
        let key = row["key"].as_str().unwrap();
        demo.run_on(store, BEFORE, &["backup", "create", "--yes"]);
        let copies = demo.run_on(store, NOW, &["backup", "list", "--json"]).json_lines();
        let place = |copy: &Value| Path::new(store).join(copy["backup"].as_str().unwrap());
        let mut kept: Vec<(PathBuf, Vec<u8>)> =
            copies.iter().map(|copy| (place(copy), std::fs::read(place(copy)).unwrap())).collect();
        kept.retain(|(_, bytes)| memchr::memmem::find(bytes, text.as_bytes()).is_some());
        kept.truncate(2);
        let erased = demo.run_on(store, NOW, &["erase", key, "--yes"]);
        if erased.status != Some(0) || !holding(store, &text).is_empty() {
            continue;
        }
        *tried += 1;
        for (path, bytes) in &kept {
            let _ = std::fs::remove_file(path);
            std::fs::write(path, bytes).unwrap();
        }
        for (path, _) in &kept {
            let name = path.to_str().unwrap();
            let seen = demo.run_on(store, NOW, &["backup", "diff", name, "--json"]);
            assert!(!seen.stdout.contains(&text), "{store} {kind} {name}: {}", seen.stdout);
            for words in [&["--replace", "--yes"][..], &["--yes"]] {
                let args = [&["backup", "restore", name], words].concat();
                let done = demo.run_on(store, NOW, &args);
                let back = holding(store, &text);
                assert_eq!(back, Vec::<PathBuf>::new(), "{store} {kind} {name} {words:?}: {}", done.stdout);
                formats.entry(format.to_owned()).or_default()[usize::from(done.status != Some(0))] += 1;
                if done.stderr.contains("undoes it") {
                    demo.run_on(store, NOW, &["undo", "--yes"]).expect_status(0);
                }
            }
        }
    }
    // Restores were tried in all formats, and some copies without the erased memory were restored.
    assert_eq!(formats.len(), 5, "{formats:?}");
    assert!(formats.values().all(|[done, refused]| done + refused > 0), "{formats:?}");
    assert!(formats["session-log"][0] > 0 && formats["memory-server"][0] > 0, "{formats:?}");
}

#[test]
fn a_bundle_comes_back_whole_from_the_copy_that_the_erasure_went_through_and_from_no_other() {
    let gotcha = |title: &str| support::agent_memory::gotcha(title);
    let all =
        json!([gotcha("The drawer sticks"), gotcha("The safe opens at night"), gotcha("The clock drifts")]);
    let store = support::AgentMemoryBuilder::new()
        .config("/retention/enabled", json!(false))
        .bundle(&[("/gotchas", all)])
        .files()
        .build("repo/.agent-memory");
    let site = KeptLog { store, data: crate::support::folder::new() };
    let copy = site.backup(BEFORE, "state.json");
    let elsewhere = std::fs::read(&copy).unwrap();
    site.run(&["erase", "gotchas.1", "--yes"]).expect_status(0);
    site.run(&["edit", "nextSteps.0", "--set", "why=It is stuck.", "--yes"]).expect_status(0);
    let edited = site.store.read("state.json");
    site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    let state = site.store.text("state.json");
    assert!(state.contains("The drawer sticks") && !state.contains("The safe opens"), "{state}");
    site.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(site.store.read("state.json"), edited);
    std::fs::remove_file(&copy).unwrap();
    std::fs::write(&copy, elsewhere).unwrap();
    let refused = site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(3);
    assert!(refused.stderr.contains("did not search this copy"), "{}", refused.stderr);
    let seen = site.run(&["backup", "diff", &copy, "--json"]);
    assert!(!seen.stdout.contains("The safe opens"), "{}", seen.stdout);
    assert_eq!(site.store.read("state.json"), edited);
}

#[test]
fn a_torn_last_line_stays_torn_where_a_record_before_it_is_put_back() {
    let old = [line(0, "a"), line(1, "b")];
    let site = KeptLog::of(&old);
    let copy = site.backup(BEFORE, LOG);
    let now = [line(0, "otherwise"), line(1, "b"), line(2, "c")[..40].to_owned()].concat();
    site.store.write(LOG, now.as_bytes());
    site.run(&["backup", "restore", &copy, "mem_0", "--yes"]).expect_status(0);
    let should = [old.concat(), line(2, "c")[..40].to_owned()].concat();
    assert_eq!(site.store.text(LOG), should);
    site.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(site.store.text(LOG), now);
}

#[test]
fn a_file_that_is_as_the_copy_has_it_is_not_copied_and_not_written() {
    let site = KeptLog::of(&[line(0, "a")]);
    let copy = site.backup(BEFORE, LOG);
    let count = || site.run(&["backup", "list", "--json"]).json_lines().len();
    let before = count();
    let output = site.run(&["backup", "restore", &copy, "--replace", "--yes"]).expect_status(0);
    assert!(output.stderr.contains("there is nothing to change"), "{}", output.stderr);
    assert_eq!(count(), before);
}
