//! Manifests, indexes, new sessions.

use super::*;

const MANIFEST: &str = r#"{
  "session_id" : "sess-2026-01-11-abc123",
  "created_at": "2026-01-11T10:00:00Z",
  "updated_at": "2026-01-11T10:00:00Z", "own": {"size_bytes": 1.50, "own": null},
  "agent_ids": ["a"],
  "statistics": {
    "total_messages": 9,
    "total_decisions": 0.0,
    "last_accessed": "2026-01-11T10:00:00Z",
    "more": 1e3
  },
  "version": "1.0"
}
"#;

#[test]
fn a_manifest_is_changed_where_its_counts_are_wrong_and_nowhere_else() {
    let message = br#"{"id":"msg-001","timestamp":"2026-01-11T10:00:00Z"}"#;
    let log = [message.as_slice(), b"\n"].concat();
    let logs = logs_of([&log, b"", b"", b""]);
    let told = manifest(Some(MANIFEST.as_bytes()), SESSION, &logs, NOW, false).unwrap();
    let size = message.len() + 1;
    let expected = MANIFEST.replace("\"total_messages\": 9", "\"total_messages\": 1").replace(
        "\"more\": 1e3",
        &format!("\"more\": 1e3,\n    \"total_findings\": 0,\n    \"size_bytes\": {size}"),
    );
    assert_eq!(String::from_utf8(told.clone()).unwrap(), expected);
    assert_eq!(manifest(Some(&told), SESSION, &logs, NOW, false).unwrap(), told);
    let touched = manifest(Some(&told), SESSION, &logs, NOW, true).unwrap();
    let now = "\"2026-01-11T14:30:00.123Z\"";
    let expected = expected
        .replace("\"updated_at\": \"2026-01-11T10:00:00Z\"", &format!("\"updated_at\": {now}"))
        .replace("\"last_accessed\": \"2026-01-11T10:00:00Z\"", &format!("\"last_accessed\": {now}"));
    assert_eq!(String::from_utf8(touched).unwrap(), expected);
}

#[test]
fn a_manifest_that_is_missing_is_made_from_the_logs() {
    let log = br#"{"id":"msg-001","timestamp":"2026-01-09T10:00:00Z","agent_id":"architect"}
{"id":"msg-002","timestamp":"2026-01-10T10:00:00Z","agent_id":"analyst"}
"#;
    let made = value(&manifest(None, SESSION, &logs_of([log, b"", b"", b""]), NOW, false).unwrap());
    assert_eq!(made["session_id"], SESSION);
    assert_eq!(
        (&made["created_at"], &made["updated_at"]),
        (&json!("2026-01-09T10:00:00Z"), &json!("2026-01-10T10:00:00Z"))
    );
    assert_eq!(made["agent_ids"], json!(["architect", "analyst"]));
    assert_eq!(made["statistics"]["total_messages"], 2);
    assert_eq!(made["version"], "1.0");
}

#[test]
fn a_manifest_that_is_no_object_is_not_written_over() {
    for broken in ["", "{", "[]", "{} x"] {
        let told = manifest(Some(broken.as_bytes()), SESSION, &[], NOW, true);
        assert!(why(told).starts_with("The manifest can't be read: "), "{broken}");
    }
}

#[test]
fn statistics_of_another_type_and_an_empty_manifest_get_their_counts() {
    for existing in ["{}", r#"{"statistics":null}"#, r#"{"statistics":{}}"#, "\u{feff}{ }\n"] {
        let told = manifest(Some(existing.as_bytes()), SESSION, &[], NOW, true).unwrap();
        let told = value(told.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&told));
        assert_eq!(told["statistics"]["size_bytes"], 0, "{existing}");
        assert_eq!(told["updated_at"], "2026-01-11T14:30:00.123Z");
    }
}

/// Removes the values that an update of a manifest sets.
fn without_set(bytes: &[u8]) -> Vec<u8> {
    crate::format::record_reader::edit_object(bytes, |body, object| {
        let blank = |name: &str, within: crate::text::json::Json<'_>| {
            within.get(name).map(|value| json_edit::JsonSplice::of(value, ""))
        };
        let statistics = object.get("statistics").unwrap();
        let mut splices: Vec<_> = blank("updated_at", object).into_iter().collect();
        for name in ["total_messages", "total_decisions", "total_findings", "size_bytes", "last_accessed"] {
            splices.extend(blank(name, statistics));
        }
        json_edit::apply(body, splices)
    })
    .unwrap()
}

proptest! {
    #![proptest_config(crate::tries::config(64, 1024))]

    #[test]
    fn every_other_byte_of_a_manifest_stays(
        before in any_json(), after in any_json(), counts in any::<[u8; 4]>(), log in any_log(), indented: bool,
    ) {
        let [a, b, c, d] = counts;
        let existing = json!({
            "a before": before, "session_id": SESSION, "updated_at": "x", "statistics": {
                "total_messages": a, "total_decisions": b, "within": after, "total_findings": c,
                "size_bytes": d, "last_accessed": null,
            },
            "z after": after,
        });
        let existing = if indented { serde_json::to_vec_pretty(&existing) } else { serde_json::to_vec(&existing) };
        let existing = existing.unwrap();
        let told = manifest(Some(&existing), SESSION, &logs_of([&log, b"", &log, b""]), NOW, true).unwrap();
        prop_assert_eq!(without_set(&existing), without_set(&told));
        prop_assert_eq!(&value(&told)["statistics"]["size_bytes"], 2 * log.len());
    }

    #[test]
    fn what_is_made_of_any_logs_agrees_with_them(logs in [any_log(), any_log(), any_log(), any_log()]) {
        let files = session_of([&logs[0], &logs[1], &logs[2], &logs[3]]);
        let derived = |problem: &Problem| {
            problem.file.ends_with("manifest.json") || problem.file.ends_with("index.json")
        };
        let wrong: Vec<Problem> = problems(&files).into_iter().filter(derived).collect();
        prop_assert!(wrong.is_empty(), "{:?}", wrong);
    }

    #[test]
    fn an_index_does_not_depend_on_the_order_of_the_logs(first in any_log(), second in any_log()) {
        let mut logs = logs_of([&first, &second, &second, &first]);
        let made = index(None, SESSION, &logs, NOW);
        logs.reverse();
        prop_assert_eq!(&index(None, SESSION, &logs, NOW), &made);
        prop_assert_eq!(index(Some(&made), SESSION, &logs, NOW), made);
    }
}

#[test]
fn an_index_names_words_topics_and_hours() {
    let messages = r#"{"id":"msg-001","timestamp":"2026-01-11T10:05:23Z","agent_id":"architect","role":"user","content":"Use PostgreSQL: a DB for Zürich, (postgresql) \u00e9t\u00e9.","context":{"topic":"database_selection"}}
{"id":"msg-002","timestamp":"2026-01-11T13:05:23+02:00","content":"Yes"}
{"id":"msg-003","content":"no time"}
{"id":"msg-002","timestamp":"2026-01-11T10:09:00Z","content":"Yes, again"}
"#;
    let decisions = r#"{"id":"dec-001","timestamp":"2026-01-11T10:10:00Z","decision":"Yes","tags":["database"],"references":{"conversations":["msg-001"]}}
"#;
    let made =
        value(&index(None, SESSION, &logs_of([messages.as_bytes(), decisions.as_bytes(), b"", b""]), NOW));
    let expected = json!({
        "session_id": SESSION,
        "created_at": "2026-01-11T14:30:00.123Z",
        "inverted_index": {
            "again": ["msg-002"],
            "database": ["msg-001", "dec-001"],
            "for": ["msg-001"],
            "postgresql": ["msg-001"],
            "selection": ["msg-001"],
            "time": ["msg-003"],
            "use": ["msg-001"],
            "yes": ["msg-002", "dec-001"],
            "zürich": ["msg-001"],
            "été": ["msg-001"],
        },
        "topic_index": {"database_selection": ["msg-001", "dec-001"]},
        "temporal_index": {
            "2026-01-11T10": ["msg-001", "msg-002", "dec-001"],
            "2026-01-11T11": ["msg-002"],
            "undated": ["msg-003"],
        },
        "version": 1,
    });
    assert_eq!(made, expected);
}

#[test]
fn an_index_keeps_what_it_does_not_know_and_forgets_what_is_gone() {
    let existing = br#"{"inverted_index":{"gone":["msg-001"]},"own":{"a" : 1.0},"inverted_index":{},"version":2,"own":[]}"#;
    let made = String::from_utf8(index(Some(existing), SESSION, &[], NOW)).unwrap();
    assert!(made.ends_with(",\n  \"version\": 1,\n  \"own\": {\"a\" : 1.0},\n  \"own\": []\n}\n"), "{made}");
    assert!(!made.contains("gone"));
    assert_eq!(index(Some(b"{torn"), SESSION, &[], NOW), index(None, SESSION, &[], NOW));
}

#[test]
fn encoded_data_is_no_word() {
    let line = format!(r#"{{"id":"msg-001","content":"{} short"}}"#, "x".repeat(65));
    let made = value(&index(None, SESSION, &logs_of([line.as_bytes(), b"", b"", b""]), NOW));
    assert_eq!(made["inverted_index"], json!({"short": ["msg-001"]}));
}

#[test]
fn a_long_id_does_not_make_a_long_index() {
    let id = "x".repeat(1 << 16);
    let words: Vec<String> = (0..10_000).map(|number| format!("word{number}")).collect();
    let line = json!({"id": id, "content": words.join(" "), "context": {"topic": "a"}}).to_string();
    let made = index(None, SESSION, &logs_of([line.as_bytes(), b"", b"", b""]), NOW);
    assert!(made.len() < 2 * line.len());
    assert_eq!(value(&made)["temporal_index"]["undated"], json!([id]));
}

#[test]
fn a_session_is_not_made_under_a_name_that_leads_elsewhere() {
    let hostile = " . .. ../x /etc a/b a\\b sess-2026-01-11-../x sess-2026-01-11-a/b sess-2026-01-11-a\0";
    let other = "payments sess- sess-2026-01-11 sess-2026-01-11- sess-2026-13-41-a sess-2026-01-11-a.b \
        sess-é026-01-11-a";
    for id in hostile.split(' ').chain(other.split(' ')) {
        assert!(why(new_session(id, None, NOW)).contains("can't be a session's id"), "{id:?}");
    }
    for name in hostile.split(' ') {
        assert!(session_id(name, NOW).is_err(), "{name:?}");
    }
    assert!(session_id(&"x".repeat(300), NOW).is_err());
}
