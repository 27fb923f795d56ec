//! Added memories, and memories that are removed to make room.

use super::*;

#[test]
fn each_kind_of_memory_is_added() {
    let tags = ["storage".to_owned()];
    for (kind, text, log, id, field, value) in [
        ("conversation", "Which pool?", "conversation.jsonl", "msg-004", "content", "Which pool?"),
        ("decision", "Use a pool", "decisions.jsonl", "dec-002", "decision", "Use a pool"),
        ("finding", "Slow start", "findings.jsonl", "finding-004", "description", "Slow start"),
        ("preference", "language: English", "preferences.jsonl", "pref-002", "value", "English"),
    ] {
        let store = build(&healthy());
        let before = text_of(&store, log);
        done(&store, |context| ops::add::add(context, &RecordDraft { tags: &tags, ..draft(kind, text) }));
        let after = text_of(&store, log);
        let line: Value = serde_json::from_str(after.strip_prefix(&before).unwrap()).unwrap();
        assert_eq!((&line["id"], &line[field], &line["tags"]), (&json!(id), &json!(value), &json!(tags)));
        let manifest = json_of(&store, "manifest.json");
        assert_eq!(manifest["updated_at"], "2026-02-01T12:00:00Z");
        assert_eq!(manifest["metadata"], json!({"project_name": "payments"}));
        let index = json_of(&store, "index.json");
        assert_eq!(index["temporal_index"]["2026-02-01T12"], json!([id]));
        assert_eq!(index["inverted_index"]["storage"], json!([id]));
    }
}

#[test]
fn an_add_says_what_it_lacks() {
    let store = build(&healthy());
    let add = |draft: RecordDraft<'static>| {
        let refusal = refused(&store, |context| ops::add::add(context, &draft));
        (refusal.code, refusal.message)
    };
    let said = |draft| add(draft).1;
    assert!(said(RecordDraft { session: None, ..draft("finding", "x") }).contains("--session"));
    assert_eq!(add(RecordDraft { session: Some("other"), ..draft("finding", "x") }).0, "E_SESSION_NOT_FOUND");
    assert!(said(draft("event", "x")).contains("not a type of memory"));
    assert!(said(draft("preference", "no key")).contains("needs a key"));
    assert!(
        said(RecordDraft { importance: Some(0.5), ..draft("finding", "x") })
            .contains("importance follows from the type")
    );
    assert!(
        said(RecordDraft { record: Some(r#"{"id":"msg-001"}"#), ..draft("conversation", "x") })
            .contains("The id \"msg-001\" already exists.")
    );
    assert_eq!(add(RecordDraft { record: Some("[]"), ..draft("finding", "x") }).0, "E_SCHEMA_INVALID");
}

#[test]
fn an_id_that_is_still_referred_to_is_not_given_again() {
    let gone = decision().to_string().replace("msg-001", "msg-004");
    let store = build(&healthy().with(&format!("{SESSION}/decisions.jsonl"), gone + "\n"));
    done(&store, |context| ops::add::add(context, &draft("conversation", "More")));
    assert!(text_of(&store, "conversation.jsonl").contains("\"msg-005\""));
}

/// A config with a size limit for sessions, which compacts a session from `full` bytes on.
fn sized(limit: usize, full: usize, compacts: bool) -> String {
    let megabytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    json!({"memory_config": {"version": "1.0", "storage": {"max_session_size_mb": megabytes(limit)},
        "compaction": {"enabled": compacts, "trigger_threshold_mb": megabytes(full), "keep_percentage": 0.5}}})
    .to_string()
}

#[test]
fn an_add_beyond_the_limit_is_refused_and_one_that_fills_the_session_compacts_it() {
    let full = build(&healthy().with("config.json", sized(1300, 1300, false)));
    let refusal =
        refused(&full, |context| ops::add::add(context, &draft("conversation", &"long ".repeat(100))));
    assert_eq!(refusal.code, "E_SIZE_LIMIT");
    assert!(refusal.message.contains("1300 are allowed"), "{}", refusal.message);

    let near = build(&healthy().with("config.json", sized(9000, 1000, false)));
    assert_eq!(done(&near, |context| ops::add::add(context, &draft("conversation", "More"))).records, 1);

    let store = build(&healthy().with("config.json", sized(9000, 1000, true)));
    let plan = done(&store, |context| ops::add::add(context, &draft("conversation", "More")));
    assert_eq!(plan.records, 4);
    assert_eq!(plan.lines.len(), 4);
    assert!(plan.lines[1].starts_with("removes msg-001: Question 1"), "{:?}", plan.lines);
    let log = text_of(&store, "conversation.jsonl");
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.starts_with("{\"id\":\"msg-004\"") && log.ends_with("\n"), "{log}");
    assert_eq!(text_of(&store, "decisions.jsonl"), lines(&[decision()]));
}

#[test]
fn a_compaction_within_a_file_that_lacks_its_last_line_end_leaves_whole_lines() {
    let log = lines(&[message(1), message(2), decision()]);
    let log = log.trim_end().replace("dec-001", "msg-009");
    let files = healthy().with(&format!("{SESSION}/conversation.jsonl"), &log);
    let store = build(&files.with("config.json", sized(9000, 500, true)));
    done(&store, |context| ops::add::add(context, &draft("conversation", "More")));
    let left = text_of(&store, "conversation.jsonl");
    assert!(left.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{left}");
}

#[test]
fn a_compaction_keeps_the_most_relevant_and_every_preference() {
    let store = build(&healthy().with("config.json", sized(9000, 9000, true)));
    let plan = done(&store, |context| ops::compact::compact(context, Some(NAME)));
    assert_eq!(plan.records, 3);
    assert_eq!(text_of(&store, "conversation.jsonl"), "");
    assert_eq!(text_of(&store, "preferences.jsonl"), lines(&[preference()]));
    assert_eq!(json_of(&store, "manifest.json")["statistics"]["total_messages"], 0);
    let usual = build(&healthy());
    assert_eq!(
        done(&usual, |context| ops::compact::compact(context, None)).records,
        2,
        "a fifth, rounded up"
    );
    let refusal = refused(&usual, |context| ops::compact::compact(context, Some("other")));
    assert_eq!(refusal.code, "E_SESSION_NOT_FOUND");
}
