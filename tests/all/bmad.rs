//! `bmad` stores: four logs, a manifest, an index, archives, config (specification 4).

use crate::support;

use serde_json::{Value, json};
use support::files::{assert_found_where_planted, assert_problem};
use support::{Files, assert_untouched, problems, rows, tar_gz};

const SESSION: &str = "sessions/sess-2026-01-11-abc123";

fn message() -> Value {
    json!({"id": "msg-001", "timestamp": "2026-01-11T10:05:23Z", "agent_id": "architect", "role": "assistant",
        "content": "I recommend a relational database.",
        "context": {"conversation_id": "conv-1", "parent_message_id": "msg-000", "topic": "database_selection"},
        "metadata": {"tokens": 15, "references": ["dec-001", "finding-003"]}, "decay_factor": 1.0})
}

fn first_message() -> Value {
    json!({"id": "msg-000", "timestamp": "2026-01-11T10:04:00Z", "agent_id": "analyst", "role": "user",
        "content": "Which database?", "decay_factor": 1.0})
}

fn decision() -> Value {
    json!({"id": "dec-001", "timestamp": "2026-01-11T10:10:00Z", "made_by": "architect",
        "approved_by": ["user-789"], "decision": "Use PostgreSQL", "rationale": "Transactions",
        "alternatives_considered": [{"option": "Files", "rejected_reason": "Locks"}], "impact": "high",
        "tags": ["database"], "references": {"conversations": ["msg-001"], "findings": ["finding-003"]},
        "decay_factor": 1.0})
}

fn finding() -> Value {
    json!({"id": "finding-003", "timestamp": "2026-01-11T10:08:15Z", "discovered_by": "analyst",
        "category": "scalability", "severity": "critical", "description": "No connection pool",
        "evidence": "The config lacks one", "recommendation": "Add one", "status": "open",
        "tags": ["performance"], "decay_factor": 1.0})
}

fn preference() -> Value {
    json!({"id": "pref-001", "timestamp": "2026-01-11T10:00:00Z", "category": "communication",
        "key": "response_style", "value": "concise", "context": "Brief answers", "confidence": 0.9,
        "learned_from": ["sess-2026-01-11-abc123"], "decay_factor": 1.0})
}

pub fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn manifest(sizes: u64) -> Value {
    json!({"session_id": "sess-2026-01-11-abc123", "created_at": "2026-01-11T10:00:00Z",
        "updated_at": "2026-01-11T14:30:00Z", "user_id": "user-789", "agent_ids": ["architect", "analyst"],
        "metadata": {"project_name": "payments", "session_type": "review", "tags": ["payments"]},
        "statistics": {"total_messages": 2, "total_decisions": 1, "total_findings": 1, "size_bytes": sizes,
            "last_accessed": "2026-01-11T14:30:00Z"}, "version": "1.0"})
}

pub fn healthy() -> Files {
    let logs = [
        ("conversation.jsonl", lines(&[first_message(), message()])),
        ("decisions.jsonl", lines(&[decision()])),
        ("findings.jsonl", lines(&[finding()])),
        ("preferences.jsonl", lines(&[preference()])),
    ];
    let size = logs.iter().map(|(_, log)| log.len() as u64).sum();
    let ids = ["msg-000", "msg-001", "dec-001", "finding-003", "pref-001"];
    let index = json!({"session_id": "sess-2026-01-11-abc123", "created_at": "2026-01-11T14:30:00Z",
        "inverted_index": {"database": ["msg-001"]}, "topic_index": {"database_selection": ["msg-001"]},
        "temporal_index": {"2026-01-11T10": ids}, "version": 1});
    let files = logs
        .iter()
        .fold(Files::default(), |files, (name, log)| files.with(&format!("{SESSION}/{name}"), log));
    files
        .with(&format!("{SESSION}/manifest.json"), manifest(size).to_string())
        .with(&format!("{SESSION}/index.json"), index.to_string())
        .with(
            "config.json",
            json!({"memory_config": {"version": "1.0", "decay": {"enabled": true}}}).to_string(),
        )
}

fn row(store: &support::TempStore, query: &str) -> Value {
    let found = rows(store, "search", query);
    assert_eq!(found.len(), 1, "{query}: {found:?}");
    found[0].clone()
}

#[test]
fn a_healthy_store_is_clean_and_reading_touches_nothing() {
    let store = healthy().build(".bmad/memory");
    let before = support::Tree::of(&store.path);
    assert_eq!(problems(&store), []);
    assert_eq!(rows(&store, "list", "").len(), 5);
    assert_untouched(&store.path, &before);
}

#[test]
fn each_log_s_records_have_their_type_importance_topic_and_references() {
    let store = healthy().build(".bmad/memory");
    let known = |id: &str| {
        let row = row(&store, &format!("id:{id}"));
        (
            row["type"].clone(),
            row["importance"].as_f64().unwrap(),
            row["title"].clone(),
            row["references"].clone(),
        )
    };
    let none = json!([]);
    assert_eq!(known("msg-000"), (json!("conversation"), 0.5, json!("Which database?"), none));
    assert_eq!(known("msg-001").3, json!(["dec-001", "finding-003", "msg-000"]));
    assert_eq!(
        known("dec-001"),
        (json!("decision"), 1.0, json!("Use PostgreSQL"), json!(["msg-001", "finding-003"]))
    );
    assert_eq!(known("finding-003").1, 1.0);
    let (kind, importance, title, references) = known("pref-001");
    assert_eq!((kind, importance, title), (json!("preference"), 0.7, json!("response_style: concise")));
    assert_eq!(references, json!(["sess-2026-01-11-abc123"]));
    assert_eq!(row(&store, "id:msg-001")["topic"], "database_selection");
    assert_eq!(row(&store, "id:msg-001")["session"], "sess-2026-01-11-abc123");
}

#[test]
fn the_fields_of_its_schemas_are_fields_of_the_query_language() {
    let store = healthy().build(".bmad/memory");
    for (query, ids) in [
        ("severity:critical", vec!["finding-003"]),
        ("status:open", vec!["finding-003"]),
        ("agent:architect", vec!["dec-001", "msg-001"]),
        ("confidence:>=0.9", vec!["pref-001"]),
        ("approved:user-789 impact:high", vec!["dec-001"]),
        ("parent:msg-000", vec!["msg-001"]),
        ("conversation:conv-*", vec!["msg-001"]),
        ("ref:msg-000", vec!["msg-001"]),
        ("ref:msg-000 depth:2", vec!["dec-001", "finding-003", "msg-001"]),
    ] {
        assert_eq!(support::files::ids(&store, "search", query), ids, "{query}");
    }
}

#[test]
fn access_and_importance_slow_the_decay_before_the_clamp() {
    let entry = json!({"id": "m", "timestamp": "2026-01-18T12:00:00Z", "agent_id": "a", "role": "user",
        "content": "x", "access_count": 3});
    let store = Files::default().with("sessions/s/conversation.jsonl", lines(&[entry])).build("memory");
    let decay = row(&store, "id:m")["decay"].as_f64().unwrap();
    // Two half-lives of 168 h, and 1 + 0.1 × 3 + 0.2 × 0.5.
    assert!((decay - 0.25 * 1.4).abs() < 1e-9, "{decay}");
}

#[test]
fn an_archived_session_is_read_within_its_archive() {
    let message = lines(&[first_message()]);
    let archive = tar_gz(&[
        ("sess-old/conversation.jsonl", message.as_bytes()),
        ("sess-old/decisions.jsonl", b"{\"id\":\"torn"),
    ]);
    let own = json!({"session_id": "sess-old", "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-02T00:00:00Z", "agent_ids": [], "version": "1.0",
        "statistics": {"total_messages": 1, "total_decisions": 0, "total_findings": 0, "size_bytes": 1},
        "archived_at": "2025-03-01T00:00:00Z", "compressed_size_bytes": archive.len()});
    let store = healthy()
        .with("archive/sess-old.tar.gz", &archive)
        .with("archive/sess-old.manifest.json", own.to_string())
        .build(".bmad/memory");
    let before = support::Tree::of(&store.path);
    let found = rows(&store, "list", "session:sess-old");
    let states: Vec<&str> = found.iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["archived", "broken"]);
    assert_eq!(found[0]["file"], "archive/sess-old.tar.gz!/sess-old/conversation.jsonl");
    assert_eq!(found[0]["raw"], message.trim_end());
    let torn = "archive/sess-old.tar.gz!/sess-old/decisions.jsonl";
    assert_eq!(problems(&store)[0].2, torn);
    assert_untouched(&store.path, &before);
    let half = healthy().with("archive/sess-old.tar.gz", &archive[..archive.len() / 2]).build(".bmad/memory");
    let codes: Vec<String> = problems(&half).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes.iter().filter(|code| *code == "archive-broken").count(), 2, "{codes:?}");
}

#[test]
fn a_bomb_in_an_archive_is_a_problem_and_no_more() {
    if !crate::support::tries::is_long() {
        return eprintln!("skipped: only with PALIMP_LONG, as it unpacks hundreds of megabytes");
    }
    let zeros = vec![b' '; 8 << 20];
    let members: Vec<(String, &[u8])> =
        (0..40).map(|n| (format!("s/{n}/conversation.jsonl"), &zeros[..])).collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    let store = healthy().with("archive/s.tar.gz", tar_gz(&members)).build(".bmad/memory");
    let found = problems(&store);
    assert!(
        found.iter().any(|(code, severity, ..)| code == "archive-broken" && severity == "error"),
        "{found:?}"
    );
}

#[test]
fn what_is_planted_is_found_in_its_file_and_line() {
    let limit = "{\"memory_config\":{\"storage\":{\"max_session_size_mb\":0.001}}}";
    let rate = "{\"decay_config\":{\"finding\":{\"decay_rate\":2,\"half_life_hours\":336}}}";
    let [conversation, decisions, findings, preferences] =
        ["conversation", "decisions", "findings", "preferences"]
            .map(|name| format!("{SESSION}/{name}.jsonl"));
    let [manifest, index, lock, left] = ["manifest.json", "index.json", ".lock", "conversation.jsonl.tmp"]
        .map(|name| format!("{SESSION}/{name}"));
    let cases = [
        (&*preferences, "0.9", "1.9", "out-of-range", Some(1)),
        (&conversation, "\"agent_id\":\"architect\",", "", "missing-field", Some(2)),
        (&decisions, "\"user-789\"", "7", "wrong-type", Some(1)),
        (&findings, "15Z", "15", "no-timezone", Some(1)),
        (&findings, "2026-01-11T10:08:15Z", "soon", "bad-timestamp", Some(1)),
        (&findings, "2026", "2036", "future-timestamp", Some(1)),
        (&decisions, "finding-003", "finding-9", "dangling-reference", Some(1)),
        (&preferences, "sess-2026-01-11-abc123", "sess-x", "dangling-reference", Some(1)),
        (&conversation, "msg-000", "msg-001", "duplicate-id", Some(2)),
        (&findings, "}\n", "", "torn-line", Some(1)),
        (&manifest, "\"total_messages\":2", "\"total_messages\":3", "count-mismatch", None),
        (&manifest, "\"version\":\"1.0\"", "\"version\":\"9\"", "unsupported-version", None),
        (&manifest, "sess-2026", "sess-1999", "unexpected-place", None),
        (&manifest, "}", "", "bad-json", Some(1)),
        (&index, "\"pref-001\"", "\"pref-9\"", "index-stale", None),
        (&index, "}", "", "index-broken", Some(1)),
        (&lock, "", "{\"pid\":2147483646}", "stale-lock", None),
        (&left, "", "", "leftover-temp", None),
        ("config.json", "", rate, "config-contradiction", None),
    ];
    assert_found_where_planted(".bmad/memory", &healthy(), &cases);
    let of = |files: Files| problems(&files.build(".bmad/memory"));
    assert_problem(&of(healthy().without(&manifest)), "missing-field", SESSION, None);
    assert_problem(&of(healthy().with("config.json", limit)), "limit-exceeded", SESSION, None);
}

#[test]
fn a_memory_that_many_refer_to_has_them_all_and_doubled_ids_stay_walkable() {
    let hub = json!({"id": "hub", "timestamp": "2026-01-11T10:00:00Z", "agent_id": "a", "role": "user", "content": "x"});
    let mut messages = vec![hub];
    for number in 0..100 {
        messages
            .push(json!({"id": format!("m{number}"), "timestamp": "2026-01-11T10:00:00Z", "agent_id": "a",
            "role": "user", "content": "x", "context": {"parent_message_id": "hub"}}));
    }
    let store = Files::default().with("sessions/s/conversation.jsonl", lines(&messages)).build("memory");
    assert_eq!(rows(&store, "search", "ref:hub").len(), 100);
    let same: Vec<Value> = (0..crate::support::tries::count(600, 3_000))
        .map(|_| {
            json!({"id": "same", "timestamp": "2026-01-11T10:00:00Z", "agent_id": "a", "role": "user",
                "content": "x", "context": {"parent_message_id": "same"}})
        })
        .collect();
    let store = Files::default().with("sessions/s/conversation.jsonl", lines(&same)).build("memory");
    assert_eq!(rows(&store, "search", "ref:same depth:9").len(), 0);
}
