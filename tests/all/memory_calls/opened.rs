//! Options of open.

use palimp::memory::{Memory, MemoryError, New, Options};
use palimp::store::FilesState;

use super::{Desk, KINDS, assert_refused};
use crate::support::files_below;

type Change = fn(&mut Memory, &str) -> Result<(), MemoryError>;

const CHANGES: [(&str, Change); 17] = [
    ("add", |memory, _| memory.add(&New { kind: "finding", text: "x", ..New::default() }).map(drop)),
    ("add_all", |memory, _| {
        memory.add_all(&[New { kind: "finding", text: "x", ..New::default() }]).map(drop)
    }),
    ("delete", |memory, id| memory.delete(None, id, "mistake").map(drop)),
    ("delete_all", |memory, id| memory.delete_all(None, &[id], "mistake").map(drop)),
    ("delete_matching", |memory, _| memory.delete_matching("type:*", "mistake").map(drop)),
    ("tag_all", |memory, id| memory.tag_all(None, &[id], &["new"], &[]).map(drop)),
    ("set", |memory, id| memory.set(None, id, "text", "x")),
    ("record_access", |memory, id| memory.record_access(None, id)),
    ("archive", |memory, id| memory.archive(None, &[id]).map(drop)),
    ("restore", |memory, id| memory.restore(None, &[id]).map(drop)),
    ("undo", |memory, _| memory.undo().map(drop)),
    ("redo", |memory, _| memory.redo().map(drop)),
    ("create_session", |memory, _| memory.create_session(None, "tester").map(drop)),
    ("archive_session", |memory, _| memory.archive_session("sess_one")),
    ("restore_session", |memory, _| memory.restore_session("sess_one")),
    ("delete_session", |memory, _| memory.delete_session("sess_one")),
    ("compact", |memory, _| memory.compact(None).map(drop)),
];

#[test]
fn a_store_opened_to_be_read_only_refuses_every_change_and_is_not_touched() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let id = desk.add_text("Stays as it is");
        desk.memory.flush().unwrap();
        let (root, data) = (desk.root(), desk.data());
        let before = files_below(desk.folder.path());
        let options = Options { read_only: true, ..Options::default() };
        let mut memory = Memory::open_with(&root, &data, &options).unwrap();
        for (name, change) in CHANGES {
            let error = change(&mut memory, &id).expect_err(name);
            assert_eq!(
                (error.code, error.files),
                ("E_READ_ONLY", FilesState::Untouched),
                "{}: {name}",
                own.0
            );
        }
        assert!(memory.get(None, &id).unwrap().unwrap().text.contains("Stays as it is"));
        assert_eq!(memory.query("stays").unwrap().len(), 1);
        memory.close().unwrap();
        assert_eq!(files_below(desk.folder.path()), before, "{}", own.0);
    }
}

#[test]
fn of_several_stores_in_a_folder_the_one_of_the_named_format_is_opened() {
    let folder = crate::support::folder::new();
    let (root, data) = (folder.path().join("all"), folder.path().join("data"));
    for format in ["session-log", "memory-server"] {
        Memory::create(format, &root.join(format), &data).unwrap();
    }
    let error = Memory::open(&root, &data).err().unwrap();
    assert_eq!(error.code, "E_INVALID_FORMAT");
    for named in ["(session-log)", "(memory-server)", "several stores"] {
        assert!(error.message.contains(named), "{error}");
    }
    let open =
        |format| Memory::open_with(&root, &data, &Options { format: Some(format), ..Options::default() });
    for format in ["session-log", "memory-server"] {
        let memory = open(format).unwrap();
        assert_eq!((memory.store().format, &memory.store().root), (format, &root.join(format)));
    }
    assert_refused(open("bmad").map(drop), "E_INVALID_FORMAT", "holds no bmad, but");
    assert_refused(open("sqlite").map(drop), "E_INVALID_FORMAT", "it knows memory-server, session-log");
}

#[test]
fn calls_that_name_no_session_are_about_that_of_the_options() {
    for format in ["session-log", "bmad"] {
        let mut desk = Desk::of(format);
        let first = desk.session.clone().unwrap();
        let second = desk.memory.create_session(Some("sess_two"), "tester").unwrap();
        let (root, data) = (desk.root(), desk.data());
        let id = desk.add_text("In the first");
        desk.memory.flush().unwrap();
        let options = Options { session: Some(&second), ..Options::default() };
        let mut memory = Memory::open_with(&root, &data, &options).unwrap();
        let own = memory.add(&New { kind: "finding", text: "In the second", ..New::default() }).unwrap().id;
        let found = memory.query("type:finding").unwrap();
        let sessions: Vec<_> = found.iter().map(|own| own.session.as_deref()).collect();
        assert_eq!(sessions, [Some(&*second)], "{format}");
        assert_eq!(memory.statistics(None).unwrap().live, 1);
        assert_eq!(memory.get(None, &own).unwrap().unwrap().text, "In the second");
        // bmad numbers ids per session, so both may have the same.
        let other = memory.get(None, &id).unwrap();
        assert!(other.is_none_or(|own| own.text == "In the second"), "{format}");
        assert_eq!(memory.get(Some(&first), &id).unwrap().unwrap().text, "In the first");
        assert_eq!(memory.delete_matching("type:finding", "mistake").unwrap(), 1);
        drop(memory);
        assert_eq!(desk.get(&id).as_deref(), Some("In the first"));
    }
}

#[test]
fn a_session_that_is_not_there_is_refused_on_open() {
    let open = |desk: &Desk| {
        let options = Options { session: Some("sess_none"), ..Options::default() };
        Memory::open_with(&desk.root(), &desk.data(), &options).map(drop)
    };
    assert_refused(open(&Desk::of("session-log")), "E_SESSION_NOT_FOUND", "sess_none");
    assert_refused(open(&Desk::of("memory-server")), "E_INVALID_FORMAT", "no sessions");
}

#[test]
fn the_half_life_of_the_options_counts_where_the_store_says_none() {
    let mut desk = Desk::of("session-log");
    desk.add(New {
        text: "Said long ago",
        record: Some(r#"{"timestamp":"2026-01-01T00:00:00.000Z"}"#),
        ..New::default()
    });
    desk.memory.flush().unwrap();
    let rank = |hours| {
        let options = Options { half_life_hours: hours, ..Options::default() };
        let mut memory = Memory::open_with(&desk.root(), &desk.data(), &options).unwrap();
        memory.query("ago").unwrap()[0].rank.unwrap()
    };
    let own = rank(None);
    assert!(rank(Some(1e9)) > own * 2.0, "{own}");
    let config = desk.root().join("config.json");
    std::fs::write(
        &config,
        r#"{"version":"1.0","decay":{"type_specific":{"finding":{"half_life_hours":100}}}}"#,
    )
    .unwrap();
    assert_eq!(rank(Some(1e9)), rank(None), "the store's own config is obeyed");
    for hours in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = Options { half_life_hours: Some(hours), ..Options::default() };
        let refused = Memory::open_with(&desk.root(), &desk.data(), &options).map(drop);
        assert_refused(refused, "E_INVALID_QUERY", "above 0");
    }
}
