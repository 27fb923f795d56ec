//! Undo and redo of the last change.

use palimp::memory::Memory;

use super::{Desk, KINDS, assert_refused};

#[test]
fn the_last_change_is_undone_and_redone_also_after_the_store_was_opened_again() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let id = desk.add_text("memory one");
        desk.memory.set(None, &id, "text", "memory two").unwrap();
        desk.memory.flush().unwrap();
        let mut memory = Memory::open(&desk.root(), &desk.data()).unwrap();
        let text = |memory: &mut Memory| memory.get(None, &id).unwrap().map(|own| own.text);
        let undone = memory.undo().unwrap();
        assert!(undone.said.contains("undid"), "{undone:?}");
        assert!(text(&mut memory).unwrap().contains("one"), "{}", own.0);
        let redone = memory.redo().unwrap();
        assert!(redone.said.contains("redid"), "{redone:?}");
        assert!(text(&mut memory).unwrap().contains("two"), "{}", own.0);
        assert_refused(memory.redo(), "E_INVALID_QUERY", "nothing to redo");
        memory.undo().unwrap();
        memory.undo().unwrap();
        assert_eq!(text(&mut memory), None, "{}: the addition is undone, too", own.0);
    }
}

#[test]
fn where_nothing_was_changed_there_is_nothing_to_undo() {
    let folder = crate::support::folder::new();
    let (root, data) = (folder.path().join("store"), folder.path().join("data"));
    drop(Memory::create("memory-server", &root, &data).unwrap());
    let mut memory = Memory::open(&root, &folder.path().join("other data")).unwrap();
    assert_refused(memory.undo(), "E_INVALID_QUERY", "nothing to undo");
    assert_refused(memory.redo(), "E_INVALID_QUERY", "nothing to redo");
}

#[test]
fn what_another_agent_changed_since_is_not_undone() {
    let mut desk = Desk::of("memory-server");
    let id = desk.add_text("memory one");
    desk.memory.set(None, &id, "text", "memory two").unwrap();
    let log = desk.root().join("learnings.jsonl");
    let theirs = std::fs::read_to_string(&log).unwrap().replace("memory two", "memory three");
    std::fs::write(&log, &theirs).unwrap();
    assert_eq!(desk.memory.undo().unwrap_err().code, "E_CONCURRENT_MOD");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), theirs);
}
