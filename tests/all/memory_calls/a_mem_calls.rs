//! The calls that only `a-mem` has: events, notes, preferences.

use palimp::memory::New;

use super::{Desk, assert_refused};

/// A store with the profile of an agent, which has these members.
fn with_profile(members: &str) -> Desk {
    let mut desk = Desk::of("a-mem");
    let record = format!("{{\"agent_name\":\"coder\",\"agent_version\":\"1\"{members}}}");
    desk.add(New { kind: "profile", record: Some(&record), ..New::default() });
    desk
}

#[test]
fn metadata_of_an_event_is_one_object_and_sets_no_other_member() {
    let mut desk = Desk::of("a-mem");
    for metadata in
        [r#"{},"trace_id":"other""#, r#"{"a":1},"status":"failure","metadata":{}"#, "[]", "1", "", "{"]
    {
        let outcome = desk.memory.emit_event("a.b", "mine", "success", "me", metadata);
        assert_refused(outcome, "E_SCHEMA_INVALID", "metadata");
    }
    assert_eq!(desk.memory.query("type:event").unwrap().len(), 0);
    desk.memory.emit_event("a.b", "mine", "success", "me", " {\"trace_id\":\"other\"} ").unwrap();
    assert_eq!(desk.memory.events_of_trace("mine").unwrap().len(), 1);
}

#[test]
fn a_preference_is_set_twice_to_what_it_is_set_to_once() {
    for members in ["", r#","preferences":null"#, r#","preferences":{}"#, r#","preferences":{"a":{"b":"c"}}"#]
    {
        let mut desk = with_profile(members);
        for value in
            ["\"dark\"", "\"dark\"", "60", "60", "\"60\"", "[1,\n 2]", "{\"a\":true}", "null", "\"dark\""]
        {
            for key in ["theme", "a.b", "a", "7", "with \"quotes\""] {
                desk.memory.set_preference("coder", key, value).unwrap();
                let found = desk.memory.preference("coder", key).unwrap();
                assert_eq!(found.as_deref(), Some(value), "{members} {key}");
            }
        }
        let before = desk.memory.get(None, "coder").unwrap().unwrap().raw;
        for (key, value) in [("theme", "dark"), ("theme", "\"a\",\"b\":1"), ("theme", ""), ("", "1")] {
            assert_refused(desk.memory.set_preference("coder", key, value), "E_SCHEMA_INVALID", "JSON");
        }
        assert_eq!(desk.memory.get(None, "coder").unwrap().unwrap().raw, before);
    }
}

#[test]
fn a_use_is_refused_with_the_reason_where_the_format_has_no_place_for_it() {
    let mut desk = Desk::of("a-mem");
    let note = desk.add_text("# Longer timeouts");
    let event = desk.memory.emit_event("a.b", "mine", "success", "me", "{}").unwrap();
    for id in [note, event] {
        assert_refused(desk.memory.record_access(None, &id), "E_INVALID_FORMAT", "does not store when");
    }
}

#[test]
fn events_stay_and_whoever_deletes_them_hears_it() {
    let mut desk = Desk::of("a-mem");
    desk.add_text("# Deploy on Mondays");
    let event = desk.memory.emit_event("a.deploy", "mine", "success", "me", "{}").unwrap();
    for query in ["type:event", "deploy", "trace:mine"] {
        assert_refused(desk.memory.delete_matching(query, "mistake"), "E_INVALID_FORMAT", "only grows");
    }
    assert_refused(desk.memory.delete(None, &event, "mistake"), "E_INVALID_FORMAT", "only grows");
    assert_refused(desk.memory.delete_all(None, &[&*event], "mistake"), "E_INVALID_FORMAT", "only grows");
    assert_eq!(desk.memory.query("deploy").unwrap().len(), 2);
    assert_eq!(desk.memory.delete_matching("type:note", "mistake").unwrap(), 1);
    // A note that is deprecated is deleted.
    assert_eq!(desk.memory.deleted(None).unwrap().len(), 1);
    assert_eq!(desk.memory.delete_matching("type:note", "mistake").unwrap(), 0);
    let note = desk.memory.query("type:note").unwrap()[0].id.clone().unwrap();
    assert!(!desk.memory.delete(None, &note, "mistake").unwrap());
}
