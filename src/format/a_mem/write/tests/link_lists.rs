//! The graph with a list of links per file, with backlinks and totals.

use super::*;

const LINKS: &str = "knowledge/links.json";

/// Makes three notes in `knowledge/`, where the script that writes this shape looks for them.
fn notes() -> Held {
    let note = |links: &str| format!("---\nid: n\ntags: []\nlinked_to: [{links}]\n---\nsee [[c]]\n");
    Held::default()
        .with("knowledge/a.md", note("b.md, gone.md").replace("id: n", "id: a"))
        .with("knowledge/b.md", note("").replace("id: n", "id: b"))
        .with("knowledge/c.md", note("a.md").replace("id: n", "id: c"))
}

fn right() -> &'static str {
    r#"{
  "notes": {
    "b.md": [],
    "a.md": ["b.md", "gone.md"],
    "c.md": ["a.md"]
  },
  "backlinks": {
    "b.md": ["a.md"],
    "gone.md": ["a.md"],
    "a.md": ["c.md"]
  },
  "total_notes": 3,
  "total_links": 3,
  "generated": "2025-11-05T22:50:00Z"
}"#
}

fn graph_of(held: &Held, existing: &str) -> serde_json::Value {
    serde_json::from_slice(&links_graph(&held.parts(), Some(existing.as_bytes()))).unwrap()
}

fn stale(held: Held, existing: &str) -> bool {
    !held.with(LINKS, existing).stale().is_empty()
}

#[test]
fn a_graph_of_lists_that_is_right_is_not_stale_and_stays() {
    assert!(!stale(notes(), right()));
    let right: serde_json::Value = serde_json::from_str(right()).unwrap();
    assert_eq!(graph_of(&notes(), self::right()), right);
}

#[test]
fn all_members_of_a_graph_of_lists_follow_a_changed_note() {
    let changed = notes().with("knowledge/b.md", "---\nid: b\ntags: []\nlinked_to: [c.md]\n---\n");
    assert!(stale(changed, right()));
    let changed = notes().with("knowledge/b.md", "---\nid: b\ntags: []\nlinked_to: [c.md]\n---\n");
    let graph = graph_of(&changed, right());
    let mut expected: serde_json::Value = serde_json::from_str(right()).unwrap();
    expected["notes"]["b.md"] = serde_json::json!(["c.md"]);
    expected["backlinks"]["c.md"] = serde_json::json!(["b.md"]);
    expected["total_links"] = serde_json::json!(4);
    assert_eq!(graph, expected);
}

#[test]
fn notes_that_come_and_go_are_listed_by_their_files() {
    let graph = graph_of(
        &notes(),
        r#"{"notes": {"old.md": ["a.md"]}, "backlinks": {"a.md": ["old.md"]}, "total_notes": 1, "total_links": 1}"#,
    );
    let mut expected: serde_json::Value = serde_json::from_str(right()).unwrap();
    expected.as_object_mut().unwrap().remove("generated");
    assert_eq!(graph, expected);
}
