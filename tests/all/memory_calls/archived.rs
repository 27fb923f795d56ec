//! Archived and deleted memories, and how both come back.

use palimp::memory::{MemoryQuery, New, State};

use super::{Desk, KINDS, assert_refused};

#[test]
fn archived_memories_are_found_when_asked_for_and_come_back() {
    let mut desk = Desk::of("memory-server");
    let ids = [desk.add_text("memory one"), desk.add_text("memory two"), desk.add_text("memory three")];
    let two = [&*ids[0], &*ids[1]];
    assert_eq!(desk.memory.archive(None, &two).unwrap(), 2);
    assert_eq!(desk.memory.query("memory").unwrap().len(), 1);
    let all = MemoryQuery { text: "memory", archived: true, ..MemoryQuery::default() };
    let all = desk.memory.query(all).unwrap();
    let archived = all.iter().filter(|own| own.state == State::Archived);
    assert_eq!((all.len(), archived.count()), (3, 2));
    assert_refused(desk.memory.archive(None, &two), "E_INVALID_FORMAT", "already archived");
    assert_eq!(desk.memory.restore(None, &two).unwrap(), 2);
    assert_eq!(desk.memory.query("memory").unwrap().len(), 3);
    desk.memory.undo().unwrap();
    assert_eq!(desk.memory.query("memory").unwrap().len(), 1, "one undo takes both back to the archive");
    desk.memory.undo().unwrap();
    assert_eq!(desk.memory.query("memory").unwrap().len(), 3);
}

#[test]
fn a_format_without_an_archive_of_single_memories_says_so_and_archives_nothing() {
    for (format, part) in [("session-log", "no archive"), ("bmad", "sessions whole"), ("a-mem", "deprecated")]
    {
        let mut desk = Desk::of(format);
        let id = desk.add_text("memory");
        let error = desk.memory.archive(None, &[&id]).unwrap_err();
        assert_eq!(error.code, "E_INVALID_FORMAT", "{error}");
        assert!(error.message.contains(part), "{error}");
        assert_eq!(desk.memory.query("memory").unwrap().len(), 1);
    }
}

#[test]
fn what_was_deleted_comes_back_in_one_step_as_it_was() {
    for own in KINDS {
        let mut desk = Desk::new(own);
        let ids = [desk.add_text("memory one"), desk.add_text("memory two"), desk.add_text("memory three")];
        let raw = |desk: &mut Desk, id: &str| desk.memory.get(None, id).unwrap().map(|own| own.raw);
        let before: Vec<_> = ids.iter().map(|id| raw(&mut desk, id)).collect();
        let two = [&*ids[0], &*ids[2]];
        desk.memory.delete_all(None, &two, "mistake").unwrap();
        assert_refused(
            desk.memory.restore(None, &[&ids[1]]),
            "E_INVALID_QUERY",
            "neither archived nor deleted",
        );
        assert_refused(desk.memory.restore(None, &["none"]), "E_INVALID_QUERY", "none");
        assert_eq!(desk.memory.restore(None, &two).unwrap(), 2, "{}", own.0);
        assert!(desk.memory.deleted(None).unwrap().is_empty(), "{}", own.0);
        let after: Vec<_> = ids.iter().map(|id| raw(&mut desk, id)).collect();
        // A note has the time of its last update.
        if own.0 != "a-mem" {
            assert_eq!(after, before, "{}", own.0);
        }
        desk.memory.undo().unwrap();
        assert_eq!(desk.memory.deleted(None).unwrap().len(), 2, "{}: one undo", own.0);
    }
}

#[test]
fn a_deletion_is_final_once_a_compaction_dropped_the_memory_until_that_is_undone() {
    let mut desk = Desk::of("session-log");
    let id = desk.add_text("memory");
    desk.memory.delete(None, &id, "mistake").unwrap();
    assert_eq!(desk.memory.deleted(Some("sess_one")).unwrap()[0].id.as_ref(), Some(&id));
    assert!(desk.memory.deleted(Some("sess_two")).unwrap().is_empty());
    desk.memory.compact(Some("sess_one")).unwrap();
    assert!(desk.memory.deleted(None).unwrap().is_empty());
    assert_refused(desk.memory.restore(None, &[&id]), "E_INVALID_QUERY", "no memory");
    desk.memory.undo().unwrap();
    assert_eq!(desk.memory.restore(None, &[&id]).unwrap(), 1);
    assert_eq!(desk.get(&id).as_deref(), Some("memory"));
}

#[test]
fn archived_and_deleted_memories_are_not_restored_together() {
    let mut desk = Desk::of("memory-server");
    let ids = [desk.add_text("memory one"), desk.add_text("memory two")];
    desk.memory.archive(None, &[&ids[0]]).unwrap();
    desk.memory.delete(None, &ids[1], "mistake").unwrap();
    let both = desk.memory.restore(None, &[&ids[0], &ids[1]]);
    assert_refused(both, "E_INVALID_QUERY", "two calls");
    assert!(desk.memory.query("memory").unwrap().is_empty());
    for id in &ids {
        assert_eq!(desk.memory.restore(None, &[id]).unwrap(), 1);
    }
    assert_eq!(desk.memory.query("memory").unwrap().len(), 2);
}

#[test]
fn a_session_comes_back_from_its_archive_and_after_it_was_deleted() {
    for format in ["bmad", "session-log"] {
        let mut desk = Desk::of(format);
        let session = desk.session.clone().unwrap();
        desk.add_text("memory one");
        desk.add(New { text: "memory two", ..New::default() });
        if format == "bmad" {
            desk.memory.archive_session(&session).unwrap();
            assert!(desk.memory.query("memory").unwrap().is_empty());
            desk.memory.restore_session(&session).unwrap();
            assert_eq!(desk.memory.query("memory").unwrap().len(), 2);
        }
        assert!(desk.memory.restore_session(&session).is_err(), "{format}: it is live");
        desk.memory.delete_session(&session).unwrap();
        assert!(desk.memory.query("memory").unwrap().is_empty(), "{format}");
        desk.memory.restore_session(&session).unwrap();
        assert_eq!(desk.memory.query(&format!("memory session:{session}")).unwrap().len(), 2, "{format}");
        assert_refused(desk.memory.restore_session("sess_none"), "E_SESSION_NOT_FOUND", "sess_none");
    }
}
