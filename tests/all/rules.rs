//! What the formats require of files and fields, and what `list` prints of a line.

use crate::support;

use serde_json::{Value, json};
use support::{Files, StoreBuilder, TempStore, problems, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn of_code(store: &TempStore, code: &str) -> Vec<(String, String)> {
    let own = problems(store).into_iter().filter(|(own, ..)| own == code);
    own.map(|(_, severity, file, _)| (severity, file)).collect()
}

fn rows(store: &TempStore) -> Vec<Value> {
    run(["list", "--json", "--now", NOW, "--store", store.path.to_str().unwrap()]).json_lines()
}

fn notes() -> Files {
    let event = json!({"timestamp": "2026-01-10T10:00:00Z", "trace_id": "t", "status": "success",
        "schema_version": "1.0", "event_type": "x", "source": "y"});
    Files::default()
        .with("events/2026-01/events.jsonl", format!("{event}\n"))
        .with("knowledge/notes/good.md", "---\nid: good\ncreated: 2026-01-10T10:00:00Z\n---\n\nText.\n")
}

#[test]
fn a_note_of_nothing_but_nuls_or_blanks_is_a_broken_record() {
    for (content, code) in [
        ("\0\0\0\0", "nul-bytes"),
        ("\n\0 \n", "nul-bytes"),
        (" \n", "bad-front-matter"),
        ("", "bad-front-matter"),
    ] {
        let store = notes().with("knowledge/notes/bad.md", content).build("memory");
        let own: Vec<Value> =
            rows(&store).into_iter().filter(|row| row["file"] == "knowledge/notes/bad.md").collect();
        assert_eq!(own.len(), 1, "{content:?}");
        assert_eq!(own[0]["state"], "broken", "{content:?}");
        assert_eq!(of_code(&store, code), [("error".into(), "knowledge/notes/bad.md".into())], "{content:?}");
    }
    let store = notes().with("queries/q.sql", "\0\0").build("memory");
    assert_eq!(of_code(&store, "nul-bytes"), [("error".into(), "queries/q.sql".into())]);
}

#[test]
fn a_note_with_nuls_in_its_text_is_read_and_reported() {
    let store = notes().with("knowledge/notes/torn.md", "---\nid: torn\n---\n\nText\0\0\0").build("memory");
    assert_eq!(of_code(&store, "nul-bytes"), [("warning".into(), "knowledge/notes/torn.md".into())]);
}

#[test]
fn files_at_the_places_of_real_writers_are_read_and_get_a_note() {
    let event = json!({"timestamp": "2026-01-10T10:00:00Z", "trace_id": "u", "event_type": "flat"});
    let files = ["events/flat.jsonl", "traces/u.jsonl", "knowledge/direct.md", "profiles/agents/a.json"];
    let store = notes()
        .with(files[0], format!("{event}\n"))
        .with(files[1], format!("{}\n", event.to_string().replace("flat", "traced")))
        .with(files[2], "---\nid: direct\n---\n\nText.\n")
        .with(files[3], json!({"agent_name": "a"}).to_string())
        .build("memory");
    let found = of_code(&store, "unexpected-place");
    let listed = rows(&store);
    for file in files {
        assert!(found.contains(&("note".into(), file.into())), "{file}: {found:?}");
        assert!(listed.iter().any(|row| row["file"] == file && row["state"] == "live"), "{file}");
    }
}

#[test]
fn a_time_in_another_spelling_is_read_and_reported() {
    let cases = [
        ("26-01-20", "error", None),
        ("2026-1-5T1:2:3Z", "warning", Some("2026-01-05T01:02:03Z")),
        ("2026-01-05T10:00:00,123Z", "note", Some("2026-01-05T10:00:00.123Z")),
    ];
    for (when, severity, read) in cases {
        let store = StoreBuilder::session_log().session("s").entry(json!({"timestamp": when})).build();
        assert_eq!(
            of_code(&store, "bad-timestamp"),
            [(severity.into(), "sessions/s/memory.jsonl".into())],
            "{when}"
        );
        assert_eq!(rows(&store)[0]["created"].as_str(), read, "{when}");
        let text = format!("---\nid: a\ncreated: {when}\n---\n\nText.\n");
        let store = notes().with("knowledge/notes/a.md", text).build("memory");
        assert_eq!(
            of_code(&store, "bad-timestamp"),
            [(severity.into(), "knowledge/notes/a.md".into())],
            "{when}"
        );
    }
}

#[test]
fn raw_is_the_whole_line_and_record_the_object_in_it() {
    let (a, b) = (r#"{"id":"a","content":"x"}"#, r#"{"id":"b","content":"y"}"#);
    let pretty = "{\n  \"id\": \"p\"\n}";
    let lines: [(String, Vec<(usize, &str)>); 6] = [
        (a.into(), vec![(0, a)]),
        (format!("{a}}}"), vec![(0, a)]),
        (format!("\0\0{a}\0"), vec![(2, a)]),
        (format!("  {a} "), vec![(2, a)]),
        (format!("{a}{b}"), vec![(0, a), (a.len(), b)]),
        (pretty.into(), vec![(0, pretty)]),
    ];
    for end in ["\n", "\r\n"] {
        let text: String = lines.iter().map(|(line, _)| format!("{line}{end}")).collect();
        let bytes = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let store = StoreBuilder::session_log().session("s").bytes(&bytes).without("index.json").build();
        let mut found = rows(&store);
        found.sort_by_key(|row| (row["byte"][0].as_u64(), row["record"][0].as_u64()));
        let mut found = found.into_iter();
        let mut at = 3;
        for (line, objects) in &lines {
            for (from, object) in objects {
                let row = found.next().unwrap();
                assert_eq!(row["raw"], line.as_str());
                assert_eq!(row["byte"], json!([at, at + line.len()]), "{line:?}");
                let own = (object.len() < line.len()).then(|| json!([at + from, at + from + object.len()]));
                assert_eq!(row.get("record"), own.as_ref(), "{line:?}");
            }
            at += line.len() + end.len();
        }
        assert_eq!(found.next(), None);
    }
}

#[test]
fn what_does_not_make_an_exceeded_limit_worse_is_not_refused() {
    let mut server = StoreBuilder::memory_server();
    for _ in 0..1002 {
        server = server.core(json!({}));
    }
    let content = json!({"finding": "x".repeat(700_000)});
    let log = StoreBuilder::session_log()
        .config(json!({"version": "1.0", "storage": {"max_session_size_mb": 1}}))
        .session("s")
        .entry(json!({"content": content.clone(), "tags": ["long_tag"]}))
        .entry(json!({"content": content}))
        .build();
    let server = server.build();
    let tag = |store: &TempStore, args: &[&str]| {
        let root = store.path.to_str().unwrap();
        run([&["tag"], args, &["--yes", "--now", NOW, "--store", root]].concat())
    };
    let id =
        |store: &TempStore| rows(store).iter().find_map(|row| row["id"].as_str().map(str::to_owned)).unwrap();
    tag(&server, &[&id(&server), "+new"]).expect_status(0);
    tag(&log, &["--query", "tag:long_tag", "-long_tag"]).expect_status(0);
    let root = server.path.to_str().unwrap();
    run(["add", "--type", "core", "--text", "more", "--yes", "--now", NOW, "--store", root]).expect_status(3);
}
