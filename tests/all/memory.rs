//! An agent that embeds the library: it recalls what it writes, and deleted memories are gone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::passed_on::passed_on;
use palimp::disk::{Machine, ProcessState, RealDisk, ThisMachine};
use palimp::memory::{Memory, New};
use palimp::model::{Code, Moment, Problem};
use palimp::store::Place;
use palimp::usecase::export::ExportFormat;
use tempfile::TempDir;

fn created(format: &str) -> (TempDir, Memory) {
    let folder = crate::support::folder::new();
    let memory = Memory::create(format, &folder.path().join("store"), &folder.path().join("data")).unwrap();
    (folder, memory)
}

fn texts(memory: &mut Memory, query: &str) -> Vec<String> {
    memory.query(query).unwrap().into_iter().map(|found| found.text).collect()
}

#[track_caller]
fn assert_healthy(memory: &Memory) {
    let is_due = |own: &&Problem| own.code == Code::IndexDue;
    let problems: Vec<_> = memory
        .store()
        .problems
        .iter()
        .filter(|own| !is_due(own))
        .map(|own| (own.code, &own.message))
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn a_session_remembers_what_an_agent_adds_and_forgets_what_it_deletes() {
    for format in ["session-log", "bmad"] {
        let (_folder, mut memory) = created(format);
        let session = memory.create_session(None, "tester").unwrap();
        let tags = ["database".to_owned()];
        let decision = New {
            session: Some(&session),
            kind: "decision",
            text: "Use SQLite",
            tags: &tags,
            ..New::default()
        };
        let id = memory.add(&decision).unwrap().id;
        let finding = New { kind: "finding", text: "The pool is too small", tags: &[], ..decision };
        memory.add(&finding).unwrap();
        assert_eq!(texts(&mut memory, "tag:database"), ["Use SQLite"], "{format}");
        assert_eq!(texts(&mut memory, "pool type:finding"), ["The pool is too small"]);
        assert_eq!(memory.get(Some(&session), &id).unwrap().unwrap().tags, tags);
        assert_eq!(memory.statistics(Some(&session)).unwrap().live, 2);
        assert_healthy(&memory);

        memory.record_access(Some(&session), &id).unwrap();
        memory.update_decay().unwrap();
        memory.set(Some(&session), &id, "text", "Use PostgreSQL").unwrap();
        assert_eq!(texts(&mut memory, "postgresql"), ["Use PostgreSQL"]);
        assert!(memory.delete(None, &id, "superseded").unwrap());
        assert!(!memory.delete(None, &id, "superseded").unwrap());
        assert_eq!(memory.get(Some(&session), &id).unwrap(), None);
        assert_eq!(memory.delete_matching("", "mistake").unwrap(), 0, "no query never means everything");
        assert_eq!(memory.delete_matching("type:finding", "cleanup").unwrap(), 1);
        memory.compact(Some(&session)).unwrap();
        memory.rebuild_index().unwrap();
        memory.close_session(&session).unwrap();
        assert_healthy(&memory);
    }
}

#[test]
fn a_session_is_exported_archived_and_deleted_whole() {
    let (_folder, mut memory) = created("bmad");
    let session = memory.create_session(None, "tester").unwrap();
    let new = New { session: Some(&session), kind: "finding", text: "One", ..New::default() };
    memory.add(&new).unwrap();
    let lines = memory.export(Some(&session), ExportFormat::JsonLines).unwrap();
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), 1);
    memory.archive_session(&session).unwrap();
    assert_eq!(memory.load_session(&session).unwrap_err().code, "E_SESSION_ARCHIVED");
    let other = memory.create_session(None, "tester").unwrap();
    memory.delete_session(&other).unwrap();
    assert_eq!(memory.load_session(&other).unwrap_err().code, "E_SESSION_NOT_FOUND");
    assert_eq!(memory.add(&New { session: Some("none"), ..new }).unwrap_err().code, "E_SESSION_NOT_FOUND");
}

#[test]
fn limits_are_refused_with_their_code() {
    let (_folder, mut memory) = created("memory-server");
    let long = "x".repeat(5001);
    let error = memory.add(&New { kind: "core", text: &long, ..New::default() }).unwrap_err();
    assert_eq!(error.code, "E_SIZE_LIMIT");
    let error = memory.add(&New { kind: "thought", text: "x", ..New::default() }).unwrap_err();
    assert_eq!(error.code, "E_SCHEMA_INVALID");
    let id = memory.add(&New { kind: "core", text: "Short", ..New::default() }).unwrap().id;
    assert_eq!(memory.get(None, &id).unwrap().unwrap().text, "Short");
    assert_healthy(&memory);
}

#[test]
fn events_notes_and_profiles_answer_what_their_specification_asks() {
    let (_folder, mut memory) = created("a-mem");
    memory.emit_event("gateway.tool_call", "abc123", "success", "gateway", "{\"tool\":\"x\"}").unwrap();
    memory
        .emit_event("gateway.backend_failed", "abc123", "failure", "gateway", "{\"error\":\"timeout\"}")
        .unwrap();
    assert_eq!(memory.failures_since(7).unwrap().len(), 1);
    let trace: Vec<Vec<u8>> =
        memory.events_of_trace("abc123").unwrap().into_iter().map(|own| own.raw).collect();
    assert_eq!(trace.len(), 2);
    assert!(String::from_utf8_lossy(&trace[0]).contains("tool_call"), "the oldest comes first");
    let tags = ["timeout".to_owned()];
    let first = memory
        .add(&New { kind: "note", text: "# Longer timeouts\n\nSee.", tags: &tags, ..New::default() })
        .unwrap()
        .id;
    let body = format!("# Retries\n\nAfter [[{first}]].");
    memory.add(&New { kind: "note", text: &body, ..New::default() }).unwrap();
    assert_eq!(memory.notes_by_tag("timeout").unwrap().len(), 1);
    assert_eq!(memory.linked_notes(&first).unwrap().len(), 1);
    let profile = "{\"agent_name\":\"coder\",\"agent_version\":\"1\",\"capabilities\":{\"deploys\":{\"skill_level\":\"expert\"}}}";
    memory.add(&New { kind: "profile", record: Some(profile), ..New::default() }).unwrap();
    assert_eq!(memory.capability_level("coder", "deploys").unwrap(), "expert");
    assert_eq!(memory.capability_level("coder", "cooks").unwrap(), "novice");
    memory.set_preference("coder", "verbose_logging", "true").unwrap();
    assert_eq!(memory.preference("coder", "verbose_logging").unwrap().as_deref(), Some("true"));
    assert_healthy(&memory);
}

#[test]
fn a_store_that_is_there_is_opened_again_with_all_that_it_holds() {
    let (folder, mut memory) = created("session-log");
    let session = memory.create_session(Some("sess_one"), "tester").unwrap();
    let first = memory
        .add(&New { session: Some(&session), kind: "decision", text: "One", ..New::default() })
        .unwrap()
        .id;
    let record = format!("{{\"references\":[\"{first}\"]}}");
    let new = New {
        session: Some(&session),
        kind: "finding",
        text: "Two",
        record: Some(&record),
        ..New::default()
    };
    memory.add(&new).unwrap();
    drop(memory);
    let mut memory = Memory::open(&folder.path().join("store"), &folder.path().join("data")).unwrap();
    assert_eq!(memory.related(None, &first, 1).unwrap().len(), 1);
    assert_eq!(memory.session_names().read, ["sess_one"]);
}

/// A machine on which another agent appends a record at each look at the clock.
struct Crowded {
    log: PathBuf,
    line: &'static str,
    own: ThisMachine,
}

impl Machine for Crowded {
    passed_on! { self => self.own; monotonic sleep own_process random process }

    fn now(&self) -> Moment {
        if let Ok(mut log) = std::fs::OpenOptions::new().append(true).open(&self.log) {
            writeln!(log, "{}", self.line).unwrap();
        }
        self.own.now()
    }
}

fn crowded(folder: &Path, format: &'static str, log: &str, line: &'static str) -> Memory {
    let root = folder.join("store");
    let machine = Crowded { log: root.join(log), line, own: ThisMachine::new() };
    let place = Place::whole(root, format);
    Memory::at(Box::new(RealDisk), Box::new(machine), place, &folder.join("data"))
}

#[test]
fn the_id_of_what_was_added_is_its_own_also_when_another_agent_appends_behind_it() {
    let (folder, memory) = created("memory-server");
    drop(memory);
    let other = r#"{"id":"550e8400-e29b-41d4-a716-446655440000","type":"core","content":"Another's","category":"fact","created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-01T10:00:00Z","accessed_at":"2026-01-01T10:00:00Z","access_count":0,"tags":[],"importance":"high","archived":false}"#;
    let mut memory = crowded(folder.path(), "memory-server", "core_memories.jsonl", other);
    let added = memory.add(&New { kind: "core", text: "Mine", ..New::default() }).unwrap();
    assert_eq!(memory.get(None, &added.id).unwrap().unwrap().text, "Mine");
}

#[test]
fn an_id_in_several_sessions_is_refused_with_their_names_until_one_is_named() {
    let (_folder, mut memory) = created("session-log");
    for session in ["sess_a", "sess_b"] {
        memory.create_session(Some(session), "tester").unwrap();
        let text = format!("Of {session}");
        let record = r#"{"id":"mem_same"}"#;
        let new = New {
            session: Some(session),
            kind: "decision",
            text: &text,
            record: Some(record),
            ..New::default()
        };
        memory.add(&new).unwrap();
    }
    let refused = [
        memory.delete(None, "mem_same", "mistake").unwrap_err(),
        memory.get(None, "mem_same").unwrap_err(),
        memory.set(None, "mem_same", "text", "x").unwrap_err(),
        memory.record_access(None, "mem_same").unwrap_err(),
        memory.related(None, "mem_same", 1).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.code, "E_AMBIGUOUS_ID");
        assert!(error.message.contains("sess_a") && error.message.contains("sess_b"), "{error}");
    }
    assert_eq!(texts(&mut memory, "type:decision").len(), 2, "nothing was deleted");
    assert!(memory.delete(Some("sess_b"), "mem_same", "mistake").unwrap());
    assert_eq!(memory.get(None, "mem_same").unwrap().unwrap().text, "Of sess_a", "one is left that counts");
}

#[test]
fn a_session_at_its_fill_level_is_compacted_by_the_add_that_brings_it_there() {
    let (folder, memory) = created("session-log");
    drop(memory);
    let root = folder.path().join("store");
    let config =
        r#"{"storage":{"max_session_size_mb":0.004,"compaction_threshold":0.5,"auto_compact":true}}"#;
    std::fs::write(root.join("config.json"), config).unwrap();
    let mut memory = Memory::open(&root, &folder.path().join("data")).unwrap();
    memory.create_session(Some("sess_a"), "tester").unwrap();
    let long = "word ".repeat(60);
    let new = New { session: Some("sess_a"), kind: "finding", text: &long, ..New::default() };
    let first = memory.add(&new).unwrap();
    assert!(first.dropped.is_empty());
    memory.delete(None, &first.id, "superseded").unwrap();
    let mut dropped = Vec::new();
    for _ in 0..3 {
        dropped.extend(memory.add(&new).unwrap().dropped);
    }
    let ids: Vec<_> = dropped.iter().map(|own| own.id.as_deref()).collect();
    assert_eq!(ids, [Some(first.id.as_str())], "what a tombstone names goes first");
    assert_eq!(texts(&mut memory, "type:finding").len(), 3);
}

#[test]
fn an_id_that_records_of_one_session_share_is_refused_with_their_keys() {
    let (folder, memory) = created("memory-server");
    drop(memory);
    let log = folder.path().join("store/core_memories.jsonl");
    let line = |text: &str| {
        format!(
            "{{\"id\":\"550e8400-e29b-41d4-a716-446655440000\",\"type\":\"core\",\"content\":\"{text}\",\
             \"category\":\"fact\",\"created_at\":\"2026-01-01T10:00:00Z\",\"updated_at\":\"2026-01-01T10:00:00Z\",\
             \"accessed_at\":\"2026-01-01T10:00:00Z\",\"access_count\":0,\"tags\":[],\"importance\":\"high\",\
             \"archived\":false}}\n"
        )
    };
    std::fs::write(&log, line("First of them") + &line("Second of them")).unwrap();
    let mut memory = Memory::open(&folder.path().join("store"), &folder.path().join("data")).unwrap();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let keys: Vec<String> = memory.store().entries.iter().map(|own| memory.store().key(own)).collect();
    let refused = [
        memory.delete(None, id, "mistake").unwrap_err(),
        memory.set(None, id, "text", "x").unwrap_err(),
        memory.record_access(None, id).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.code, "E_AMBIGUOUS_ID");
        assert!(keys.iter().all(|key| error.message.contains(key.as_str())), "{error}");
    }
    assert_eq!(memory.get(None, id).unwrap().unwrap().text, "First of them", "reading shows one that counts");
    assert!(memory.delete(None, &keys[0], "mistake").unwrap());
    assert_eq!(memory.get(None, &keys[1]).unwrap().unwrap().text, "Second of them");
    memory.set(None, id, "text", "One is left: its id names it").unwrap();
}

#[test]
fn a_saved_query_that_is_not_run_is_refused_and_deletes_nothing() {
    let (folder, mut memory) = created("a-mem");
    let new = New { kind: "note", text: "It stays.", ..New::default() };
    memory.add(&new).unwrap();
    let queries = folder.path().join("store/queries");
    std::fs::create_dir_all(&queries).unwrap();
    std::fs::write(queries.join("joined.sql"), "SELECT * FROM notes JOIN events ON 1 = 1;\n").unwrap();
    let error = memory.query("saved:joined").unwrap_err();
    assert_eq!(error.code, "E_INVALID_QUERY", "{error}");
    assert!(memory.delete_matching("saved:joined", "mistake").is_err());
    assert_eq!(texts(&mut memory, "type:note").len(), 1);
}
