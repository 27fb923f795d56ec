//! `secrets`: finds what looks sensitive in every format, shows none of it, and takes the user's word.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Desk;
use crate::support::files::LOGS;

const WHEN: &str = "2026-01-20T10:00:00Z";

/// Returns what `secrets` lists.
pub fn found(desk: &Desk, words: &[&str]) -> Vec<Value> {
    desk.run(&[&["secrets", "--json"], words].concat()).json_lines()
}

/// Built here, so that no file has a token.
pub fn token() -> String {
    ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat()
}

pub fn record(format: &str, text: &str) -> String {
    let value: Value = match format {
        "memory-server" => json!({"id": "learn_1", "type": "learning", "content": text, "created_at": WHEN,
            "updated_at": WHEN, "importance": "high", "tags": ["a"]}),
        "session-log" => json!({"id": "mem_1", "session_id": "s", "timestamp": WHEN, "type": "finding",
            "content": {"finding": text}, "importance": 0.5, "tags": ["a"],
            "checksum": format!("sha256:{}", "4a".repeat(32))}),
        "agent-memory" => json!({"id": "evt-000001", "kind": "tool_run", "createdAt": WHEN, "summary": text,
            "contentHash": "5b".repeat(32)}),
        "bmad" => {
            json!({"id": "conv_1", "timestamp": WHEN, "agent_id": "dev", "role": "user", "content": text})
        }
        _ => json!({"event_id": "5f2c1d3e-0000-4000-8000-00000000002a", "timestamp": WHEN, "source": "t",
            "trace_id": "9f".repeat(16), "summary": text}),
    };
    value.to_string()
}

#[test]
fn a_token_is_listed_with_its_place_and_masked_in_every_format() {
    for (format, log) in LOGS {
        let text = format!("before \"q\"\nthe key is {}, keep it", token());
        let line = record(format, &text);
        let desk = Desk::of_log(format, log, &format!("{line}\n"));
        let found = found(&desk, &[]);
        assert_eq!(found.len(), 1, "{format}: {found:?}");
        let own = &found[0];
        assert_eq!((own["kind"].as_str(), own["rule"].as_str()), (Some("token"), Some("github-token")));
        assert_eq!((own["file"].as_str(), own["line"].as_u64()), (Some(log), Some(1)));
        let span = own["span"].as_array().unwrap();
        let at = |n: usize| span[n].as_u64().unwrap() as usize;
        assert_eq!(&line[at(0)..at(1)], token(), "{format}");
        assert_eq!(own["masked"], "ghp_••••••");
        for words in [&["secrets"][..], &["secrets", "--json"]] {
            let out = desk.run(words).expect_status(1);
            assert!(!out.stdout.contains(&token()[6..]) && !out.stderr.contains(&token()[6..]), "{format}");
        }
    }
}

#[test]
fn ids_and_checksums_are_never_listed_and_a_store_without_secrets_is_clean() {
    for (format, log) in LOGS {
        let desk = Desk::of_log(format, log, &format!("{}\n", record(format, "Use tabs, not spaces")));
        let out = desk.run(&["secrets", "--json"]).expect_status(0);
        assert_eq!(out.stdout, "", "{format}");
    }
}

#[test]
fn a_member_s_name_says_what_its_value_is_and_a_value_with_escapes_has_its_place() {
    let password = ["Kx", "9!", "\\u00e9", "vq2"].concat();
    let line =
        [r#"{"id":"mem_1","session_id":"s","type":"finding","content":{"password":""#, &password, r#""}}"#]
            .concat();
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{line}\n"));
    let found = found(&desk, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["kind"], "password");
    let start = found[0]["span"][0].as_u64().unwrap() as usize;
    assert!(line[start..].starts_with("Kx9!"), "{}", &line[start..]);
}

#[test]
fn a_torn_line_and_a_note_are_searched_too() {
    let line = record("session-log", &format!("x {} y", token()));
    let torn = &format!("{}\n", &line[..line.find(" y").unwrap()]);
    let desk = Desk::of_log("session-log", LOGS[1].1, torn);
    assert_eq!(found(&desk, &[]).len(), 1, "{torn}");
    let note = format!("---\nid: auth\ntags: [a]\n---\n# Auth\n\nThe key:\n{}\n", token());
    let desk = Desk::of_log("a-mem", "knowledge/auth.md", &note);
    let found = found(&desk, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0]["line"].as_u64(), &found[0]["span"]), (Some(8), &json!([0, token().len()])));
}

#[test]
fn only_some_kinds_and_the_names_of_a_list_are_listed() {
    let text = format!("{} of a@example.org, ask Ada Lovelace", token());
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{}\n", record("session-log", &text)));
    let kinds = |words: &[&str]| -> Vec<String> {
        found(&desk, words).iter().map(|own| own["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&[]), ["token", "email"]);
    assert_eq!(kinds(&["--only", "email"]), ["email"]);
    let list = desk.data.path().join("names.txt");
    std::fs::write(&list, "# people\nada lovelace\n").unwrap();
    assert_eq!(kinds(&["--names", list.to_str().unwrap()]), ["token", "email", "name"]);
    let wrong = desk.run(&["secrets", "--only", "tokens"]).expect_status(2).stderr.clone();
    assert!(wrong.contains("private-key"), "{wrong}");
    desk.run(&["secrets", "--names", "/no/such/file"]).expect_status(2).expect_stderr("/no/such/file");
}

#[test]
fn a_false_alarm_is_left_out_afterwards_and_what_is_kept_of_it_is_no_value() {
    let text = format!("{} and a@example.org", token());
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{}\n", record("session-log", &text)));
    let finding = found(&desk, &["--only", "email"])[0]["finding"].as_str().unwrap().to_owned();
    let said = desk.run(&["secrets", "--triage", &format!("{finding}=no")]).expect_status(0).stderr.clone();
    assert!(said.contains("1 verdict noted"), "{said}");
    assert_eq!(found(&desk, &[]).len(), 1);
    let all = found(&desk, &["--all"]);
    assert_eq!((all.len(), &all[1]["triage"]), (2, &json!("no")));
    let kept = std::fs::read_to_string(desk.data.path().join("triage.json")).unwrap();
    assert!(!kept.contains("example.org"), "{kept}");
    let unknown =
        desk.run(&["secrets", "--triage", "0a1b2c3d@0123456789abcdef=no"]).expect_status(3).stderr.clone();
    assert!(unknown.contains("names no finding"), "{unknown}");
    desk.run(&["secrets", "--triage", "x=maybe"]).expect_status(2);
    let shown = desk.run(&["secrets", "--triage", &format!("{finding}=yes"), "--readonly"]).expect_status(3);
    assert!(shown.stderr.contains("readonly"), "{}", shown.stderr);
}

#[test]
fn a_card_in_a_number_and_a_token_in_the_name_of_a_member_are_listed_and_dates_in_numbers_are_not() {
    let card = ["4111", "111111", "111111"].concat();
    let line = format!(
        "{{\"id\":\"mem_1\",\"session_id\":\"s\",\"timestamp\":\"{WHEN}\",\"type\":\"finding\",\"content\":{{\"finding\":\"x y\"}},\"importance\":0.5,\"metadata\":{{\"card\":{card},\"{}\":1,\"written\":1770000000000000,\"size\":123456789012}}}}\n",
        token()
    );
    let desk = Desk::of_log("session-log", "sessions/s/memory.jsonl", &line);
    let found = found(&desk, &[]);
    let kinds: Vec<&str> = found.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["card", "token"], "{found:?}");
    let span = |row: &Value| {
        let [from, to] = [0, 1].map(|at| row["span"][at].as_u64().unwrap() as usize);
        line[from..to].to_owned()
    };
    assert_eq!((span(&found[0]), span(&found[1])), (card, token()));
}

#[test]
fn an_export_with_places_says_where_each_memory_is_also_those_that_are_deleted() {
    let line = |id: &str, text: &str| record("session-log", text).replace("mem_1", id) + "\n";
    let lines = [line("mem_1", "ask ann"), line("mem_2", "nothing"), line("mem_3", "ann, too")].concat();
    let desk = Desk::of_log("session-log", LOGS[1].1, &lines);
    desk.run(&["delete", "mem_3", "--yes"]).expect_status(0);
    let all = desk.run(&["export", "--all", "--places", "--format", "jsonl", "ann"]).json_lines();
    let place = |row: &Value, name: &str| row["place"][name].clone();
    let mut found: Vec<(Value, Value, Value)> = all
        .iter()
        .map(|row| (row["memory"]["id"].clone(), place(row, "state"), place(row, "line")))
        .collect();
    found.sort_by_key(|(id, ..)| id.to_string());
    assert_eq!(found[0], (json!("mem_1"), json!("live"), json!(1)), "{found:?}");
    assert_eq!((&found[1].0, &found[1].1), (&json!("mem_3"), &json!("deleted")), "{found:?}");
    let csv = desk.run(&["export", "--places", "--format", "csv", "ann"]).expect_status(0);
    assert!(csv.stdout.starts_with("store,file,line,key,id,"), "{}", csv.stdout);
    let markdown = desk.run(&["export", "--places", "--format", "markdown", "ann"]).expect_status(0);
    assert!(markdown.stdout.contains("sessions/s/memory.jsonl:1 (live)"), "{}", markdown.stdout);
}

#[test]
fn the_place_of_a_finding_is_readable_in_every_file_though_its_label_is_that_of_a_password() {
    let value = ["postgres://shop:", "Kestrel", "Wagon77", "@db.example.org/shop"].concat();
    let topic = format!("---\nname: db\ndescription: where it is\n---\nUse {value} today.\n");
    let index = "# Memory\n\n- [db](db.md) - where it is\n";
    let token_in_root = record("memory-server", &format!("the password is {}", token()));
    let files = |files: &[(&str, &str)]| -> Vec<(PathBuf, Vec<u8>)> {
        files.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect()
    };
    let desks = [
        (
            Desk::of_files("markdown", "own", &files(&[("db.md", &topic), ("MEMORY.md", index)])),
            "own: db.md:5",
        ),
        (Desk::of_log("memory-server", "learnings.jsonl", &token_in_root), "own: learnings.jsonl:1"),
    ];
    for (desk, place) in desks {
        let out = desk.run(&["secrets"]).expect_status(1).stdout;
        assert!(out.contains(place), "{out}");
        assert!(!out.contains("Wagon77") && !out.contains(&token()[6..]), "{out}");
    }
}

#[test]
fn a_verdict_is_given_once_for_each_finding() {
    let desk = Desk::of_log("session-log", LOGS[1].1, &format!("{}\n", record("session-log", &token())));
    let name = found(&desk, &[])[0]["finding"].as_str().unwrap().to_owned();
    let (yes, no) = (format!("{name}=yes"), format!("{name}=no"));
    desk.run(&["secrets", "--triage", &yes, "--triage", &no]).expect_status(2).expect_stderr("given twice");
    assert_eq!(found(&desk, &[])[0]["triage"], Value::Null);
}

type CopyCase = (&'static str, &'static str, String, &'static str, Vec<u8>, u64);

/// Copies of memories: the format, a file of memories, its text, the copy, and the line of the token in it.
fn copies() -> Vec<CopyCase> {
    let topic = "---\nname: db\ndescription: where it is\n---\nIt is here.\n";
    let text = |before: &str| format!("{before}The key is {}.\n", token()).into_bytes();
    let log = |id: &str| record("session-log", "tea").replace("mem_1", id) + "\n";
    let old_log = format!("{}{}\n", log("mem_1"), record("session-log", &token()).replace("mem_1", "mem_2"));
    let swap = [b"b0VIM 9.0\0\0~ada/home/ada/notes\0".as_slice(), &[0; 900], &text("")].concat();
    vec![
        ("markdown/hermes", "MEMORY.md", "One.\n".into(), "MEMORY.md.bak.1763000000", text("One.\n§\n"), 3),
        ("markdown/claude", "db.md", topic.into(), ".db.md.swp", swap, 1),
        ("markdown/claude", "team/db.md", topic.into(), "team/db.md.orig", text(topic), 6),
        ("markdown/claude", "db.md", topic.into(), "gone.md~", text(""), 1),
        ("markdown/claude", "db.md", topic.into(), "db (old).txt", text(""), 1),
        ("session-log", LOGS[1].1, log("mem_1"), "sessions/s/memory.jsonl.1", old_log.into(), 2),
        ("memory-server", LOGS[0].1, record("memory-server", "tea"), "#learnings.jsonl#", text(""), 1),
    ]
}

#[test]
fn a_token_that_only_a_copy_beside_the_memories_has_is_listed_and_the_exit_status_says_so() {
    for (format, file, text, copy, bytes, line) in copies() {
        let desk = Desk::of_log(format, file, &text);
        desk.run(&["secrets"]).expect_status(0);
        desk.store.write(copy, &bytes);
        let found = desk.run(&["secrets", "--json"]).expect_status(1).json_lines();
        assert_eq!(found.len(), 1, "{copy:?}: {found:?}");
        assert_eq!(found[0]["file"], copy);
        assert_eq!((found[0]["line"].as_u64(), &found[0]["key"]), (Some(line), &Value::Null), "{copy:?}");
        let text = desk.run(&["secrets"]).expect_status(1).stdout;
        assert!(text.contains("(a copy)") && !text.contains(&token()[6..]), "{text}");
        let span = [0, 1].map(|at| found[0]["span"][at].as_u64().unwrap() as usize);
        let line = bytes.split(|byte| *byte == b'\n').nth(line as usize - 1).unwrap();
        assert_eq!(&line[span[0]..span[1]], token().as_bytes(), "{copy:?}");
        let verdict = format!("{}=no", found[0]["finding"].as_str().unwrap());
        desk.run(&["secrets", "--triage", &verdict]).expect_status(0);
        assert_eq!(desk.run(&["secrets", "--json"]).expect_status(0).stdout, "", "{copy:?}");
    }
}

#[test]
fn a_clean_copy_and_files_that_are_no_copies_are_not_listed_and_a_copy_that_is_too_large_is_said() {
    let files = [("MEMORY.md", "One.\n§\nTwo.\n"), ("MEMORY.md.bak.1", "One.\n")];
    let files = files.map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
    let desk = Desk::of_files("markdown/hermes", "own", &files);
    for other in [".env", ".env.bak", "config.yaml", "memory.db", "old/notes.txt"] {
        desk.store.write(other, token().as_bytes());
    }
    let home = b"b0VIM 9.0\0\0~ada/home/ada/.hermes/memories/MEMORY.md\0at shed.local\n";
    desk.store.write(".MEMORY.md.swp", home);
    let out = desk.run(&["secrets"]).expect_status(0);
    assert_eq!((&*out.stdout, &*out.stderr), ("", ""));
    std::fs::File::create(desk.store.file("MEMORY.md.orig")).unwrap().set_len((64 << 20) + 1).unwrap();
    let out = desk.run(&["secrets"]).expect_status(1);
    let note = "MEMORY.md.orig: only 67108864 bytes of this copy were searched";
    assert!(out.stderr.contains(note), "{}", out.stderr);
}
