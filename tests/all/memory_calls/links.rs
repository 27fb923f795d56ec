//! Links with their directions.

use palimp::memory::{Link, New, State};

use super::{Desk, assert_refused};

fn told(links: &[Link]) -> Vec<(&str, &str, Option<&str>)> {
    links.iter().map(|own| (&*own.relation, &*own.id, own.other.as_ref().map(|own| &*own.text))).collect()
}

#[test]
fn a_memory_tells_what_it_refers_to_and_what_refers_to_it() {
    let formats = [
        ("session-log", "finding", "references", r#"{"references":["ID"]}"#),
        ("bmad", "conversation", "parent_message_id", r#"{"context":{"parent_message_id":"ID"}}"#),
    ];
    for (format, kind, relation, record) in formats {
        let mut desk = Desk::of(format);
        let first = desk.add(New { kind, text: "first", ..New::default() });
        let record = record.replace("ID", &first);
        let second = desk.add(New { kind, text: "second", record: Some(&record), ..New::default() });
        let session = desk.session.clone();
        let links = desk.memory.links(session.as_deref(), &second).unwrap();
        assert_eq!(told(&links.outgoing), [(relation, &*first, Some("first"))], "{format}");
        assert_eq!(told(&links.incoming), [], "{format}");
        let links = desk.memory.links(None, &first).unwrap();
        assert_eq!(told(&links.outgoing), [], "{format}");
        assert_eq!(told(&links.incoming), [(relation, &*second, Some("second"))], "{format}");
    }
}

#[test]
fn notes_tell_links_of_their_text_and_of_their_front_matter() {
    let mut desk = Desk::of("a-mem");
    let first = desk.add_text("# First");
    let second = desk.add_text(&format!("# Second\n\nAfter [[{first}]] and [[gone]]."));
    let links = desk.memory.links(None, &second).unwrap();
    let ids: Vec<_> = links.outgoing.iter().map(|own| (&*own.id, own.other.is_some())).collect();
    assert!(ids.contains(&(&*first, true)) && ids.contains(&("gone", false)), "{ids:?}");
    let links = desk.memory.links(None, &first).unwrap();
    assert!(links.outgoing.is_empty());
    assert_eq!(links.incoming.len(), 1);
    assert_eq!(links.incoming[0].id, second);
}

#[test]
fn a_link_to_what_was_deleted_says_so_and_one_to_nothing_has_no_other_end() {
    let mut desk = Desk::of("session-log");
    let first = desk.add_text("first");
    let record = format!("{{\"references\":[\"{first}\",\"mem_gone\"]}}");
    let second = desk.add(New { text: "second", record: Some(&record), ..New::default() });
    desk.memory.delete(None, &first, "mistake").unwrap();
    let links = desk.memory.links(None, &second).unwrap();
    let states: Vec<_> = links.outgoing.iter().map(|own| own.other.as_ref().map(|own| own.state)).collect();
    assert_eq!(states, [Some(State::Deleted), None]);
    assert_eq!(links.outgoing[1].id, "mem_gone");
}

#[test]
fn a_format_without_links_says_so() {
    let mut desk = Desk::of("memory-server");
    let id = desk.add_text("memory");
    assert_refused(desk.memory.links(None, &id), "E_INVALID_FORMAT", "no links");
    let mut desk = Desk::of("session-log");
    assert_refused(desk.memory.links(None, "none"), "E_INVALID_QUERY", "none");
}
