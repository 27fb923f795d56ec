//! What `check` finds, and what it does not report.

use crate::support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use palimp::demo;
use palimp::model::{Code, Moment};
use serde_json::{Value, json};
use support::made::KINDS;
use support::{MadeStore, SOON, StoreBuilder, TempStore, Terminal, check, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn codes(store: &TempStore) -> Vec<String> {
    let rows = check(store).json_lines();
    let mut codes: Vec<String> = rows.iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect();
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn every_problem_planted_in_the_demo_is_found_in_its_file_and_line_and_nothing_else_is() {
    let now = Moment::parse(NOW).unwrap().0;
    for seed in [1, 2, 77] {
        let demo = TempStore::of_files("demo", &demo::stores(seed, now));
        let path = demo.path.to_str().unwrap();
        let rows = run(["check", "--json", "--now", NOW, "--store", path]).expect_status(1).json_lines();
        let place = |row: &Value| {
            let file = Path::new(row["store"].as_str().unwrap()).join(row["file"].as_str().unwrap());
            let file = file.strip_prefix(&demo.path).unwrap().to_str().unwrap().to_owned();
            (file, row["line"].as_u64(), row["code"].as_str().unwrap().to_owned())
        };
        let planted = demo::planted(seed, now).into_iter().map(|(file, line, code)| {
            (file.to_str().unwrap().to_owned(), line.map(u64::from), code.as_str().to_owned())
        });
        let found: BTreeSet<_> = rows.iter().map(place).collect();
        assert_eq!(found, planted.collect::<BTreeSet<_>>(), "seed {seed}");
    }
}

fn time_of(words: &[&str]) -> Duration {
    let began = Instant::now();
    assert!(matches!(run(words.iter().copied()).status, Some(0 | 1)));
    began.elapsed()
}

#[test]
fn a_check_of_many_faulty_notes_with_their_fixes_takes_at_most_five_times_as_long_as_a_list() {
    let count = crate::support::tries::count(150, 4_000);
    let note = |n: usize| {
        let text =
            format!("---\nid: note-{n}\ncreated: nonsense\ntags: 7\n---\nText {n}, see [[nowhere-{n}]].\n");
        (format!("knowledge/notes/note-{n}.md").into(), text.into_bytes())
    };
    let files: Vec<_> = (0..count).map(note).collect();
    let store = TempStore::of_files(".chora/memory", &files);
    let options = ["--json", "--now", NOW, "--as", "a-mem", "--store", store.path.to_str().unwrap()];
    let words = |verb| [&[verb], &options[..]].concat();
    let rows = run(words("check")).json_lines();
    assert!(rows.len() >= 2 * count, "{} problems", rows.len());
    // Other processes only make both slower, so the shortest time of each counts.
    let (mut check, mut list) = (Duration::MAX, Duration::MAX);
    let is_quick = (0..20).any(|_| {
        check = check.min(time_of(&words("check")));
        list = list.min(time_of(&words("list")));
        check < list * 5
    });
    assert!(is_quick, "{count} notes: check {check:?}, list {list:?}");
}

#[test]
fn a_check_on_a_terminal_is_a_line_for_each_kind_of_problem_errors_first() {
    let mut builder = StoreBuilder::session_log().session("s");
    for n in 0..300 {
        builder = builder.entry(json!({"id": format!("mem_{n}"), "importance": 7}));
    }
    let store = builder.build();
    store.append("sessions/s/memory.jsonl", b"{\"id\":\"torn");
    let path = store.path.to_str().unwrap();
    let rows = check(&store).json_lines();
    assert!(rows.len() > 300, "{} rows off a terminal", rows.len());
    let shown = |more: &[&str]| {
        let words = [&["check", "--now", NOW, "--store", path], more].concat();
        let terminal = Terminal::palimp(words, 400, 300);
        terminal.wait_exit(SOON);
        terminal.screen(|screen| screen.contents())
    };
    let grouped = shown(&[]);
    let line = |word: &str| grouped.lines().position(|line| line.contains(word));
    assert!(line("torn-line").unwrap() < line("out-of-range").unwrap(), "{grouped}");
    assert!(
        grouped.contains("✖ 300 out-of-range") && grouped.contains("memory.jsonl:1,2,3,4,5,…  (300)"),
        "{grouped}"
    );
    assert!(grouped.lines().filter(|line| !line.is_empty()).count() < 20, "{grouped}");
    assert!(grouped.contains("Each one: palimp check --all"), "{grouped}");
    assert!(shown(&["--all"]).matches("out-of-range").count() >= 300);
}

#[test]
fn a_problem_keeps_its_key_when_the_store_changes_elsewhere() {
    let store = StoreBuilder::session_log().session("s").entry(json!({"importance": 3})).entries(2).build();
    let key = |store: &TempStore| {
        let rows = check(store).json_lines();
        rows.iter().find(|row| row["code"] == "out-of-range").map(|row| row["problem"].clone())
    };
    let before = key(&store);
    assert!(before.is_some());
    store.append("sessions/s/memory.jsonl", b"{\"id\":\"x\"");
    assert_eq!(key(&store), before);
}

/// Each deviation of an entry, and its code.
#[test]
fn what_an_entry_of_a_session_log_can_have_wrong_is_found() {
    let cases: &[(Value, &str)] = &[
        (json!({"importance": 1.5}), "out-of-range"),
        (json!({"importance": "high"}), "wrong-type"),
        (json!({"type": "insight"}), "out-of-range"),
        (json!({"timestamp": "soon"}), "bad-timestamp"),
        (json!({"timestamp": "2026-01-01T10:00:00"}), "no-timezone"),
        (json!({"timestamp": "2031-01-01T10:00:00Z"}), "future-timestamp"),
        (json!({"tags": "auth"}), "wrong-type"),
        (json!({"tags": ["x".repeat(40)]}), "too-long"),
        (json!({"references": ["mem_gone"]}), "dangling-reference"),
        (json!({"checksum": "sha256:00"}), "checksum-mismatch"),
        (json!({"session_id": "elsewhere"}), "unexpected-place"),
        (json!({"schema_version": 9}), "unsupported-version"),
        (json!({"content": {"message": "x".repeat(1_100_000)}}), "limit-exceeded"),
    ];
    for (entry, code) in cases {
        let builder = StoreBuilder::session_log().session("s").entry(entry.clone()).entries(1);
        let store = builder.without("index.json").metadata("total_size_bytes", Value::Null).build();
        assert_eq!(codes(&store), [*code], "{}", &entry.to_string()[..entry.to_string().len().min(80)]);
    }
}

#[test]
fn what_a_memory_of_a_memory_server_can_have_wrong_is_found() {
    let cases: &[(Value, &str)] = &[
        (json!({"content": ""}), "out-of-range"),
        (json!({"content": "x".repeat(5001)}), "too-long"),
        (json!({"content": 7}), "wrong-type"),
        (json!({"importance": "urgent"}), "out-of-range"),
        (json!({"tags": vec!["t"; 11]}), "too-long"),
        (json!({"tags": ["t".repeat(31)]}), "too-long"),
        (json!({"category": "c".repeat(51)}), "too-long"),
        (json!({"access_count": -1}), "out-of-range"),
        (json!({"access_count": 1.5}), "wrong-type"),
        (json!({"archived": "no"}), "wrong-type"),
        (json!({"accessed_at": "2026-01-01"}), "no-timezone"),
        (json!({"task_metadata": {"status": "completed"}}), "missing-field"),
        (json!({"task_metadata": {"status": "done"}}), "out-of-range"),
    ];
    for (memory, code) in cases {
        let store =
            StoreBuilder::memory_server().core(memory.clone()).core(json!({})).without("index.json").build();
        assert_eq!(codes(&store), [*code], "{}", &memory.to_string()[..memory.to_string().len().min(80)]);
    }
    let wrong_file =
        StoreBuilder::memory_server().line("core_memories.jsonl", task_line()).without("index.json").build();
    assert_eq!(codes(&wrong_file), ["unexpected-place"]);
}

fn task_line() -> String {
    json!({"id": "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", "type": "task", "content": "x",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "accessed_at": "2026-01-01T00:00:00Z", "access_count": 0, "tags": [], "importance": "low", "archived": false})
    .to_string()
}

#[test]
fn what_the_files_of_a_session_can_have_wrong_is_found() {
    let healthy = || StoreBuilder::session_log().session("s").entries(2);
    let cases = [
        (healthy().metadata("total_entries", json!(9)), "count-mismatch"),
        (healthy().metadata("session_id", json!("other")), "unexpected-place"),
        (healthy().metadata("decay_config", json!({"half_life_hours": -3})), "out-of-range"),
        (healthy().raw("metadata.json", "{\"session_id\":"), "bad-json"),
        (healthy().raw("index.json", "{"), "index-broken"),
        (healthy().raw("index.json", "{\"version\":1,\"entries\":{}}"), "index-stale"),
        (healthy().raw("index.json", "{\"version\":7}"), "unsupported-version"),
        (healthy().raw("lock", "{\"pid\":1,\"expires_at\":\"2026-01-01T00:00:00Z\"}"), "stale-lock"),
        (
            healthy().tombstone("mem_9").entry(json!({"id": "mem_9", "timestamp": "2026-01-30T00:00:00Z"})),
            "hidden-memory",
        ),
        (healthy().raw("memory.jsonl.tmp", ""), "leftover-temp"),
        (healthy().raw("notes.txt", "hello"), "unexpected-place"),
        (healthy().file("indices/global_index.json", "{"), "index-broken"),
        (
            healthy().config(json!({"decay": {"type_specific": {"finding": {"half_life_hours": 5, "decay_enabled": false}}}})),
            "config-contradiction",
        ),
    ];
    for (store, code) in cases {
        let store = store.build();
        assert!(codes(&store).contains(&code.to_owned()), "{code}: {:?}", codes(&store));
    }
}

#[test]
fn what_is_in_the_file_system_is_found_and_never_opened() {
    use std::os::unix::fs::symlink;
    let store = StoreBuilder::session_log().session("s").entries(2).build();
    store.chmod("sessions/s/memory.jsonl", 0o644);
    assert_eq!(codes(&store), ["loose-permissions"]);
    store.chmod("sessions/s/memory.jsonl", 0o600);
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    symlink(elsewhere.path(), store.file("sessions/s/tombstones.jsonl")).unwrap_or_else(|_| {
        store.remove("sessions/s/tombstones.jsonl");
        symlink(elsewhere.path(), store.file("sessions/s/tombstones.jsonl")).unwrap();
    });
    assert_eq!(codes(&store), ["link-outside"]);
    store.remove("sessions/s/tombstones.jsonl");
    let fifo = store.file("sessions/s/lock");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(codes(&store), ["not-a-regular-file"]);
}

#[test]
fn what_palimp_brought_back_itself_is_undone_by_no_other_program() {
    for (format, verbs) in [
        (2, "session archive SESSION; session unarchive SESSION"),
        (0, "session delete SESSION; undo"),
        (0, "session new s2; move ID --to s2; undo"),
    ] {
        let made = MadeStore::new(KINDS[format]);
        made.add("There and back.");
        let row = made.rows().remove(0);
        let text = |name: &str| row[name].as_str().unwrap();
        for verb in verbs.replace("SESSION", text("session")).replace("ID", text("id")).split("; ") {
            made.run(&verb.split(' ').collect::<Vec<_>>()).expect_status(0);
        }
        let found = made.run(&["check", "--json"]).expect_status(0).json_lines();
        assert!(found.iter().all(|row| row["code"] != "change-undone"), "{verbs:?}: {found:?}");
    }
}

#[test]
fn every_code_is_explained_in_the_documentation() {
    let page = include_str!("../../docs/problems.md");
    for code in Code::ALL {
        assert!(page.contains(&format!("`{}`", code.as_str())), "{}", code.as_str());
    }
}
