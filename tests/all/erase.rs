//! `erase`: an independent search of every byte finds nothing afterwards, and everything else is as before.

use site::*;

use crate::support;

mod again;
mod bundle;
mod busy;
mod copies;
mod cut_short;
mod finished;
mod forget;
mod forget_stays;
mod git;
mod line_ends;
mod looked;
mod moved;
mod names;
mod read_only;
mod site;
mod surroundings;
mod torn;
mod values_cut_short;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde_json::{Value, json};
use support::agent_memory::{WHEN, gotcha, hash, pretty};
use support::traces::{forms, found, holds};
use support::tries::{count, is_long};
use support::{DemoStore, Output, SOON, StoreBuilder, TempStore, Tree, assert_untouched, gzip, tar_gz};

const NOW: &str = "2026-02-01T12:00:00Z";

#[test]
fn nothing_is_left_of_a_session_log_entry_and_everything_else_stays() {
    let site = session_log();
    let texts = [secret(1), secret(2), term()];
    assert!(found(&site.data, &texts).len() >= 4 && found(&site.store.path, &texts).len() >= 3);
    let (before, other) = (site.lines(LOG), site.store.read("sessions/sess_b/memory.jsonl"));
    let row = site.erase("sess_a/mem_001");
    assert_eq!(row["applied"], true, "{row}");
    assert_eq!(row["undo"], Value::Null);
    assert!(row["searched"].as_array().unwrap().iter().all(|own| own["left"] == 0 && own["files"] != 0));
    assert!(!row["cannot_reach"].as_array().unwrap().is_empty());
    assert_eq!(found(site.store.around(), &texts), Vec::<PathBuf>::new());
    assert_eq!(site.lines(LOG), before[1..]);
    assert_eq!(site.store.read("sessions/sess_b/memory.jsonl"), other);
    assert_eq!(site.lines("sessions/sess_a/memory.jsonl.bak"), before[2..]);
    let stones = site.lines("sessions/sess_a/tombstones.jsonl");
    assert!(
        stones[1].contains(r#""id":"mem_001""#) && stones[1].contains(r#""reason":"erased""#),
        "{stones:?}"
    );
    let journal = site.run(&["journal", "--json"]).json_lines();
    assert_eq!(journal.last().unwrap()["ids"], json!(["mem_001"]));
    assert_eq!(
        site.run(&["check", "--json"]).json_lines().iter().filter(|own| own["severity"] == "error").count(),
        0
    );
}

#[test]
fn nothing_brings_an_erased_entry_back() {
    let site = session_log();
    site.erase("sess_a/mem_001");
    let step = site.run(&["journal", "--json"]).json_lines().last().unwrap()["step"].to_string();
    site.run(&["undo", &step, "--yes"]).expect_status(1).expect_stderr("can't be undone");
    assert_eq!(site.run(&["undo", "1", "--yes"]).status, Some(1));
    // The step before it is undone instead.
    site.run(&["undo", "--yes"]).expect_status(0).expect_stdout(format!("step {step} is skipped"));
    for row in site.run(&["backup", "list", "--json"]).json_lines() {
        let name = row["backup"].as_str().unwrap();
        site.run(&["backup", "restore", name, "--yes"]);
        site.run(&["backup", "restore", name, "--replace", "--yes"]);
    }
    site.run(&["undelete", "--query", "is:deleted", "--yes"]);
    assert_eq!(found(site.store.around(), &[secret(1), secret(2), term()]), Vec::<PathBuf>::new());
}

#[test]
fn an_erasure_list_that_cannot_be_read_stops_the_change_and_stays() {
    let site = session_log();
    let old = site.store.read(LOG);
    site.erase("sess_a/mem_001");
    let name = "sessions%2Fsess_a%2Fmemory.jsonl.backup.20260101_100000";
    site.keep("backups", name, &old);
    let list = site.vault().join("erased.jsonl");
    let whole = std::fs::read(&list).unwrap();
    let torn = &whole[..whole.len() / 2];
    for says in [Some(torn), None] {
        std::fs::remove_file(&list).unwrap();
        match says {
            Some(bytes) => std::fs::write(&list, bytes).unwrap(),
            None => std::fs::create_dir(&list).unwrap(),
        }
        let before = Tree::of(site.store.around());
        for words in [
            &["erase", "sess_a/mem_003", "--yes"][..],
            &["backup", "restore", name, "--yes"],
            &["backup", "restore", name, "--replace", "--yes"],
            &["undelete", "sess_a/mem_002", "--yes"],
            &["undo", "--yes"],
        ] {
            let output = site.run(words);
            assert_ne!(output.status, Some(0), "{words:?}: {}", output.stderr);
            assert!(output.stderr.contains("erased.jsonl"), "{words:?}: {}", output.stderr);
        }
        assert_untouched(site.store.around(), &before);
    }
}

#[test]
fn an_erasure_that_began_and_cannot_be_read_stops_every_change() {
    let site = session_log();
    let entry = site.vault().join("erasing.json");
    std::fs::write(&entry, b"{\"step\": 3").unwrap();
    let before = Tree::of(&site.store.path);
    site.run(&["delete", "sess_a/mem_003", "--yes"]).expect_status(3).expect_stderr("erasing.json");
    assert_untouched(&site.store.path, &before);
    assert_eq!(std::fs::read(&entry).unwrap(), b"{\"step\": 3");
}

#[test]
fn an_agent_that_writes_an_erased_entry_anew_is_reported() {
    let site = session_log();
    let old = site.store.read(LOG);
    site.erase("sess_a/mem_001");
    let anew = |site: &Site| -> Vec<Value> {
        let rows = site.run(&["check", "--json"]).json_lines();
        rows.into_iter().filter(|row| row["code"] == "erased-anew").collect()
    };
    assert_eq!(anew(&site), Vec::<Value>::new());
    site.store.append(LOG, &old[..old.iter().position(|byte| *byte == b'\n').unwrap() + 1]);
    let told = anew(&site);
    assert_eq!((told.len(), &told[0]["id"], &told[0]["line"]), (1, &json!("mem_001"), &json!(3)));
    site.erase("sess_a/mem_001");
    assert_eq!(anew(&site), Vec::<Value>::new());
}

#[test]
fn nothing_is_left_of_a_memory_in_backups_and_archives() {
    let site = memory_server();
    let texts = [secret(3), secret(4), term()];
    let keeps = site.lines("learnings.jsonl")[1].clone();
    assert!(found(&site.store.path, &texts).len() >= 6, "{:?}", found(&site.store.path, &texts));
    let key = site.run(&["list", "--json", "k-1"]).json_lines()[0]["key"].as_str().unwrap().to_owned();
    let row = site.erase(&key);
    assert_eq!(found(site.store.around(), &texts), Vec::<PathBuf>::new(), "{row}");
    for file in [
        "learnings.jsonl",
        "archive/2025/learnings_2025_Q4.jsonl",
        ".backup/learnings.jsonl.backup.20250101_100000",
    ] {
        assert_eq!(site.lines(file), std::slice::from_ref(&keeps), "{file}");
    }
    let mut unpacked = Vec::new();
    let packed = site.store.read("archive/learnings.jsonl.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, format!("{keeps}\n").as_bytes());
    let members = palimp::text::unpack::untar(&site.store.read("archive/kept.tar.gz"), 1 << 20).content;
    let files: Vec<&[u8]> = members.iter().map(|own| &*own.bytes).collect();
    assert_eq!(files, [format!("{keeps}\n").as_bytes(), b"other"]);
    site.run(&["undo", "1", "--yes"]).expect_status(1);
}

#[test]
fn a_dry_run_writes_nothing_and_without_a_yes_nothing_is_done() {
    let site = memory_server();
    let before = Tree::of(site.store.around());
    site.run(&["erase", "--query", "id:k-1", "--dry-run", "--json"]).expect_status(0);
    site.run(&["erase", "--query", "id:k-1"]).expect_status(3);
    site.run(&["erase", "--query", "id:k-1", "--yes", "--reason", "a whole sentence"]).expect_status(3);
    site.run(&["erase", "--yes"]).expect_status(2);
    assert_untouched(site.store.around(), &before);
}

#[test]
fn what_is_in_a_file_that_is_not_ours_to_change_is_told_and_is_no_success() {
    let site = memory_server();
    let note = base64::engine::general_purpose::STANDARD.encode(format!("see: {}.", secret(4)));
    site.store.write("notes.txt", note.as_bytes());
    let output = site.run(&["erase", "--query", "id:k-1", "--yes", "--json"]).expect_status(4);
    assert!(output.stderr.contains("notes.txt"), "{}", output.stderr);
    let row: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(row["searched"][0]["left"], 1);
    assert_eq!(found(site.store.around(), &[secret(4)]), [site.store.file("notes.txt")]);
}

#[test]
fn another_record_of_the_same_text_is_named_and_stays() {
    let text = secret(5);
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": text}))
        .learning(json!({"id": "k-2", "content": text}))
        .build();
    let site = Site::of(store);
    let line = site.lines("learnings.jsonl")[1].clone();
    site.run(&["erase", "--query", "id:k-1", "--yes"]).expect_status(0).expect_stderr("k-2");
    assert_eq!(site.lines("learnings.jsonl"), [line]);
}

#[test]
fn a_record_without_an_id_is_told_by_its_bytes_and_others_without_one_stay() {
    let torn = format!("{{\"content\": \"{}", secret(8).replace('"', "'"));
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "", "content": "It has an empty id, and stays."}))
        .line("learnings.jsonl", &torn)
        .line("learnings.jsonl", "{\"id\": \"\", \"content\": \"torn, and stays")
        .build();
    let site = Site::of(store);
    let before = site.lines("learnings.jsonl");
    let rows = site.run(&["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["raw"] == json!(torn)).unwrap();
    site.erase(row["key"].as_str().unwrap());
    assert_eq!(site.lines("learnings.jsonl"), [before[0].clone(), before[2].clone()]);
    assert_eq!(found(site.store.around(), &[secret(8).replace('"', "'")]), Vec::<PathBuf>::new());
    let list = std::fs::read_to_string(site.vault().join("erased.jsonl")).unwrap();
    assert!(!list.contains("digest"), "{list}");
}

#[test]
fn on_a_terminal_it_is_typed_what_is_done() {
    let site = memory_server();
    let before = Tree::of(site.store.around());
    for (typed, is_done) in [("\r", false), ("erase 1\r", false), ("erase 2\r", true)] {
        assert_untouched(site.store.around(), &before);
        let mut terminal = site.store.on_terminal(&["erase", "--query", "id:k-1"], (40, 160));
        terminal.wait_for_text("Type erase 2 to go on", SOON);
        terminal.send_keys(typed);
        assert_eq!(terminal.wait_exit(SOON) == support::Exit::Status(0), is_done, "{typed:?}");
    }
    assert_eq!(found(site.store.around(), &[secret(3), secret(4)]), Vec::<PathBuf>::new());
}

#[test]
fn an_event_that_is_erased_leaves_one_that_says_so_and_not_what() {
    let event = |text: &str, trace: &str| {
        json!({"timestamp": "2026-02-01T10:00:00.000000+00:00", "trace_id": trace, "status": "failure",
            "schema_version": "1.0", "event_type": "gateway.tool_call", "source": "gateway",
            "metadata": {"error": text}})
    };
    let (own, stays) = (event(&secret(30), "abc"), event("It stays as it is.", "def"));
    let store = support::Files::default()
        .with("events/2026-02/events.jsonl", format!("{own}\n{stays}\n"))
        .with("events/2026-02/traces/abc.jsonl", format!("{own}\n"))
        .with("knowledge/tags.json", "{\"tags\": {}}")
        .build("notes/.chora/memory");
    let site = Site::of(store);
    let rows = site.run(&["list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["raw"] == json!(own.to_string())).unwrap();
    site.erase(row["key"].as_str().unwrap());
    assert_eq!(found(site.store.around(), &[secret(30)]), Vec::<PathBuf>::new());
    let lines = site.lines("events/2026-02/events.jsonl");
    assert_eq!((lines.len(), &lines[0]), (2, &stays.to_string()));
    let told: Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!(told["event_type"], "memory.events_erased");
    assert_eq!(told["metadata"]["events"], 1);
    // The erasure is over: the next change has nothing to add.
    site.run(&["reindex", "--yes"]);
    assert_eq!(site.lines("events/2026-02/events.jsonl"), lines);
}

fn changes(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeSet<String> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let told = |path: &PathBuf| match (before.get(path), after.get(path)) {
        (Some(was), Some(is)) if was == is => None,
        (Some(_), Some(_)) => Some(format!("changes {}", path.display())),
        (None, _) => Some(format!("creates {}", path.display())),
        (_, None) => Some(format!("removes {}", path.display())),
    };
    paths.into_iter().filter_map(told).collect()
}

#[test]
fn what_is_shown_before_is_what_is_done_in_every_format() {
    let demo = DemoStore::at("", NOW);
    let at = |words: &[&str], store: &str| demo.run_on(store, NOW, words);
    let (mut seen, mut formats) = (BTreeSet::new(), BTreeSet::new());
    // The short form takes one of each format, the long one one of each type per store.
    let mut unseen = |formats: &BTreeSet<String>| {
        let rows = demo.run(&["list", "--json"]).json_lines();
        let is_done = |row: &Value| !is_long() && formats.contains(row["format"].as_str().unwrap());
        let of = count("format", "store");
        let mut rows = rows.into_iter().filter(|row| !is_done(row));
        rows.find(|row| seen.insert(format!("{} {}", row[of], row["type"])))
    };
    while let Some(row) = unseen(&formats) {
        let [store, format, kind] =
            ["store", "format", "type"].map(|name| row[name].as_str().unwrap_or_default());
        let key = row["key"].as_str().unwrap();
        let dry = at(&["erase", key, "--dry-run", "--json"], store);
        if dry.status == Some(3) {
            continue;
        }
        formats.insert(format.to_owned());
        let plan: Value = serde_json::from_str(&dry.expect_status(0).stdout).unwrap();
        let files = plan["plan"]["files"].as_array().unwrap().iter();
        let shown: BTreeSet<String> = files
            .map(|own| {
                let word = match own["change"].as_str().unwrap() {
                    "create" => "creates",
                    "remove" => "removes",
                    _ => "changes",
                };
                format!("{word} {}", own["path"].as_str().unwrap())
            })
            .collect();
        let around = |from: &str| -> BTreeMap<PathBuf, Vec<u8>> {
            let root = Path::new(from);
            let mut files = below(root.to_owned());
            if let ("agent-memory", Some(parent)) = (format, root.parent()) {
                let beside = below(parent.to_owned()).into_iter();
                let beside = beside.filter(|(path, _)| !path.starts_with(root.file_name().unwrap()));
                files.extend(beside.map(|(path, bytes)| (Path::new("..").join(path), bytes)));
            }
            files.retain(|path, _| !path.ends_with(".lock"));
            files
        };
        let before = around(store);
        let done = at(&["erase", key, "--yes", "--json"], store);
        assert!(matches!(done.status, Some(0 | 4)), "{}", done.stderr);
        // The trace of the event about the erasure has another name each time.
        let named = |lines: BTreeSet<String>| -> BTreeSet<String> {
            let name =
                |line: String| match line.strip_prefix("creates ").and_then(|own| own.split_once("/traces/"))
                {
                    Some((month, _)) => format!("creates a trace in {month}"),
                    None => line,
                };
            lines.into_iter().map(name).collect()
        };
        assert_eq!(
            named(changes(&before, &around(store))),
            named(shown),
            "{store} {kind} {key}: {}",
            done.stderr
        );
    }
    assert_eq!(formats.len(), 5, "{formats:?}");
}

/// The tombstone of the deletion has a reason, which is a code and no content.
#[test]
fn the_only_deleted_memory_of_a_session_is_erased_at_once() {
    let lines: String = (0..3)
        .map(|number| {
            json!({"id": format!("mem_{number}"), "session_id": "s", "timestamp": NOW, "type": "finding",
                "content": {"finding": format!("text number {number}, to be erased")}})
            .to_string()
                + "\n"
        })
        .collect();
    let files = [("sessions/s/memory.jsonl".into(), lines.into_bytes())];
    let site = Site::of(TempStore::of_files("memory", &files));
    site.run(&["delete", "mem_1", "--yes"]).expect_status(0);
    site.run(&["erase", "mem_1", "--yes"]).expect_status(0);
    assert_eq!(
        found(site.store.around(), &["text number 1, to be erased".to_owned()]),
        Vec::<PathBuf>::new()
    );
}
