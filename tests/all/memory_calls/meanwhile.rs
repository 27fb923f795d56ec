//! What another handle wrote is known to each call.

use palimp::memory::{Memory, New, State};

use super::{Desk, assert_refused};

#[test]
fn figures_and_sessions_are_those_of_now_after_another_handle_wrote() {
    for format in ["session-log", "bmad"] {
        let mut desk = Desk::of(format);
        let session = desk.session.clone().unwrap();
        let mut other = Memory::open(&desk.root(), &desk.data()).unwrap();
        other.add(&New { session: Some(&session), kind: "finding", text: "One", ..New::default() }).unwrap();
        let second = other.create_session(None, "tester").unwrap();
        other.close().unwrap();
        assert_eq!(desk.memory.statistics(Some(&session)).unwrap().live, 1, "{format}");
        assert_eq!(desk.memory.statistics(Some(&second)).unwrap().live, 0, "{format}");
        assert!(desk.memory.session_names().contains(&second), "{format}");

        let mut other = Memory::open(&desk.root(), &desk.data()).unwrap();
        other.delete_session(&second).unwrap();
        other.close().unwrap();
        assert!(!desk.memory.session_names().contains(&second), "{format}");
    }
}

#[test]
fn a_name_of_a_session_is_taken_whatever_its_case() {
    for (format, taken, other) in
        [("session-log", "sess_one", "Sess_ONE"), ("bmad", "sess-2026-01-01-one", "sess-2026-01-01-ONE")]
    {
        let mut desk = Desk::of(format);
        let names = desk.memory.session_names().len();
        let _ = desk.memory.create_session(Some(taken), "tester");
        let outcome = desk.memory.create_session(Some(other), "tester");
        assert_refused(outcome, "E_INVALID_FORMAT", "already exists");
        assert!(desk.memory.session_names().len() <= names + 1);
    }
    let mut desk = Desk::of("a-mem");
    let new = |record| New { kind: "profile", record: Some(record), ..New::default() };
    desk.add(new(r#"{"agent_name":"coder"}"#));
    let outcome = desk.memory.add(&new(r#"{"agent_name":"Coder"}"#));
    assert_refused(outcome, "E_SCHEMA_INVALID", "already exists");
}

#[test]
fn a_memory_of_an_archived_session_is_not_called_absent() {
    let mut desk = Desk::of("bmad");
    let id = desk.add_text("The pool is small");
    let session = desk.session.clone().unwrap();
    desk.memory.archive_session(&session).unwrap();
    for name in [None, Some(&*session)] {
        assert_refused(desk.memory.delete(name, &id, "mistake"), "E_SESSION_ARCHIVED", "unarchive it first");
    }
    let found =
        desk.memory.query(palimp::memory::MemoryQuery { archived: true, ..Default::default() }).unwrap();
    assert_eq!(found.iter().map(|own| own.state).collect::<Vec<_>>(), [State::Archived]);
    assert!(!desk.memory.delete(None, "finding-999", "mistake").unwrap());
}
