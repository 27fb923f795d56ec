//! In a format that numbers its memories, no new one gets the id of one that is gone.

use std::fs;

use palimp::memory::{Memory, New};

use super::Desk;
use crate::support::Verb;

const SESSION: &str = "sess-2026-01-01-one";

fn desk() -> (Desk, String) {
    let mut desk = Desk::of("bmad");
    let session = desk.memory.create_session(Some(SESSION), "tester").unwrap();
    desk.session = Some(session.clone());
    (desk, session)
}

#[test]
fn an_id_of_a_deleted_memory_is_not_given_again() {
    let (mut desk, session) = desk();
    assert_eq!(["One", "Two"].map(|text| desk.add_text(text)), ["finding-001", "finding-002"]);
    assert!(desk.memory.delete(None, "finding-002", "mistake").unwrap());
    assert_eq!(desk.add_text("Three"), "finding-003");
    assert_eq!(desk.memory.delete_all(None, &["finding-001", "finding-003"], "mistake").unwrap(), 2);
    let mut other = Memory::open(&desk.root(), &desk.data()).unwrap();
    let new = New { session: Some(&session), kind: "finding", text: "Four", ..New::default() };
    assert_eq!(other.add(&new).unwrap().id, "finding-004");
    assert!(other.delete(None, "finding-004", "mistake").unwrap());
    // Where the log is gone, adding needs more than its end.
    other.close().unwrap();
    fs::remove_file(desk.root().join("sessions").join(SESSION).join("findings.jsonl")).unwrap();
    let record = Some(r#"{"severity":"high"}"#);
    let id = desk.memory.add(&New { record, ..new }).unwrap().id;
    assert_eq!(id, "finding-005");
    // Another session counts by itself, and what an agent names itself keeps its id.
    let second = desk.memory.create_session(Some("sess-2026-01-01-two"), "tester").unwrap();
    assert_eq!(desk.memory.add(&New { session: Some(&second), ..new }).unwrap().id, "finding-001");
    let record = Some(r#"{"id":"finding-002"}"#);
    assert_eq!(desk.memory.add(&New { record, ..new }).unwrap().id, "finding-002");
}

#[test]
fn nor_is_that_of_an_erased_one_by_the_command_line() {
    let (mut desk, session) = desk();
    assert_eq!(desk.add_text("One of them"), "finding-001");
    assert_eq!(desk.add_text("Two of them"), "finding-002");
    desk.memory.flush().unwrap();
    let (root, data) = (desk.root(), desk.data());
    let run = |words: &[&str]| {
        let options = ["--yes", "--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([words, &options].concat())
    };
    run(&["erase", "finding-002"]).run().expect_status(0);
    let ids = || {
        let log = root.join("sessions").join(SESSION).join("findings.jsonl");
        let text = fs::read_to_string(log).unwrap();
        let id = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
        };
        text.lines().map(id).collect::<Vec<_>>()
    };
    let add = ["add", "--session", &session, "--type", "finding"];
    run(&[&add[..], &["--text", "Three"]].concat()).run().expect_status(0);
    assert_eq!(ids(), ["finding-001", "finding-003"]);
    run(&["delete", "finding-003"]).run().expect_status(0);
    let many = "{\"description\":\"Four\"}\n{\"description\":\"Five\"}\n";
    run(&[&add[..], &["--record", "-"]].concat()).with_input(many).run().expect_status(0);
    assert_eq!(ids(), ["finding-001", "finding-004", "finding-005"]);
}
