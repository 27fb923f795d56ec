//! Changes of several memories: one step, one undo, all or none.

use super::{Desk, KINDS, assert_refused};

#[test]
fn several_memories_are_deleted_in_one_step_that_one_undo_takes_back() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let ids: Vec<String> = (0..4).map(|number| desk.add_text(&format!("memory {number}"))).collect();
        let some = [&*ids[0], &*ids[2], &*ids[0]];
        assert_eq!(desk.memory.delete_all(None, &some, "superseded").unwrap(), 2, "{}", own.0);
        let listed = |desk: &mut Desk| desk.memory.query("memory sort:oldest").unwrap().len();
        // A deleted note stays, marked as deprecated.
        let is_kept = own.0 == "a-mem";
        assert_eq!(listed(&mut desk), if is_kept { 4 } else { 2 }, "{}", own.0);
        assert_eq!(desk.memory.deleted(None).unwrap().len(), 2, "{}", own.0);
        desk.memory.undo().unwrap();
        assert_eq!(listed(&mut desk), 4, "{}", own.0);
        assert!(desk.memory.deleted(None).unwrap().is_empty(), "{}", own.0);
    }
}

#[test]
fn where_one_of_several_can_not_be_changed_none_is() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let (first, second) = (desk.add_text("memory one"), desk.add_text("memory two"));
        desk.memory.delete_all(None, &[&second], "mistake").unwrap();
        for ids in [[&*first, "none"], [&*first, &*second]] {
            let error = desk.memory.delete_all(None, &ids, "mistake").unwrap_err();
            assert!(error.message.contains(ids[1]), "{error}");
        }
        assert!(desk.get(&first).is_some(), "{}", own.0);
        assert_eq!(desk.memory.deleted(None).unwrap().len(), 1, "{}", own.0);
    }
    let mut desk = Desk::of("session-log");
    assert_eq!(desk.memory.delete_all(None, &[], "mistake").unwrap(), 0);
}

#[test]
fn tags_come_and_go_with_several_memories_in_one_step() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let ids = [desk.add_text("memory one"), desk.add_text("memory two")];
        let ids = [&*ids[0], &*ids[1]];
        assert_eq!(desk.memory.tag_all(None, &ids, &["database", "old"], &[]).unwrap(), 2, "{}", own.0);
        assert_eq!(desk.memory.tag_all(None, &ids, &["new"], &["old"]).unwrap(), 2);
        let tags = |desk: &mut Desk| desk.memory.get(None, ids[1]).unwrap().unwrap().tags;
        assert_eq!(tags(&mut desk), ["database", "new"], "{}", own.0);
        desk.memory.undo().unwrap();
        assert_eq!(tags(&mut desk), ["database", "old"], "{}", own.0);
        let refused = desk.memory.tag_all(None, &ids, &[""], &[]);
        assert!(refused.is_err(), "{}", own.0);
        assert_eq!(tags(&mut desk), ["database", "old"], "{}", own.0);
    }
}

#[test]
fn a_deleted_memory_gets_no_tags() {
    let mut desk = Desk::of("session-log");
    let id = desk.add_text("memory");
    desk.memory.delete(None, &id, "mistake").unwrap();
    assert_refused(desk.memory.tag_all(None, &[&id], &["new"], &[]), "E_INVALID_FORMAT", "restore it first");
}
