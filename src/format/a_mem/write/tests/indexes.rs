use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn three() -> Held {
    Held::default()
        .note("a", "x, y", "b", "see [[c]]")
        .note("b", "x", "gone", "")
        .with("knowledge/notes/c.md", "---\nid: c\nstatus: deprecated\ntags: [z]\nlinked_to: [a]\n---\n# C\n")
}

const TAGS: &str = "knowledge/tags.json";
const LINKS: &str = "knowledge/links.json";

#[test]
fn without_an_index_the_specifications_shape_is_written() {
    let held = three();
    assert_eq!(
        text(tags_index(&held.parts(), None)),
        r#"{
  "tags": {
    "x": {
      "note_count": 2,
      "notes": [
        "a",
        "b"
      ]
    },
    "y": {
      "note_count": 1,
      "notes": [
        "a"
      ]
    },
    "z": {
      "note_count": 1,
      "notes": [
        "c"
      ]
    }
  }
}
"#
    );
    let links = text(links_graph(&held.parts(), None));
    let expected = r#"{
  "notes": [
    {
      "id": "a",
      "outgoing_links": [
        "b",
        "c"
      ],
      "incoming_links": [
        "c"
      ]
    },"#;
    assert!(links.starts_with(expected), "{links}");
    assert!(
        links
            .ends_with("\"incoming_links\": [\n        \"a\"\n      ]\n    }\n  ],\n  \"clusters\": []\n}\n")
    );
    assert_eq!(text(links_graph(&held.parts(), Some(b"{torn"))), links);
    let held = three().with(TAGS, tags_index(&held.parts(), None)).with(LINKS, links);
    assert_eq!(held.stale(), []);
}

#[test]
fn an_index_of_tags_keeps_its_shape_its_order_and_what_else_it_says() {
    let held = three();
    for (found, expected) in [
        (r#"{"y": ["a"], "x": ["b", "gone"], "w": ["a"]}"#, r#"{"y": ["a"], "x": ["b", "a"], "z": ["c"]}"#),
        (
            r#"{"tags":{"z":["c.md"],"x":["b.md"]},"v":1.0}"#,
            r#"{"tags":{"z":["c.md"],"x":["b.md","a.md"],"y":["a.md"]},"v":1.0}"#,
        ),
        (
            r#"{"tags": {"x": {"note_count": 1, "notes": ["b"], "why": "é"}, "w": {"notes": [], "why": 1}}}"#,
            r#"{"tags": {"x": {"note_count": 2, "notes": ["b", "a"], "why": "é"}, "w": {"notes": [], "why": 1}, "y": {"note_count": 1, "notes": ["a"]}, "z": {"note_count": 1, "notes": ["c"]}}}"#,
        ),
        (
            r#"{"tags": {"x": ["a", "b"]}, "notes": {"gone": [], "b": ["x"], "a": []}, "total_tags": 1, "total_notes": 9}"#,
            r#"{"tags": {"x": ["a", "b"], "y": ["a"], "z": ["c"]}, "notes": {"b": ["x"], "a": ["x", "y"], "c": ["z"]}, "total_tags": 3, "total_notes": 3}"#,
        ),
    ] {
        let new = text(tags_index(&held.parts(), Some(found.as_bytes())));
        assert_eq!(new, expected);
        assert_eq!(three().with(TAGS, &new).stale(), []);
        assert_eq!(text(tags_index(&held.parts(), Some(new.as_bytes()))), new);
    }
}

#[test]
fn a_graph_keeps_its_shape_strength_and_clusters() {
    let held = three();
    for (found, expected) in [
        (
            r#"{"clusters": [{"name": "k", "notes": ["gone"]}], "notes": [{"id": "c", "outgoing_links": ["a"], "incoming_links": [], "strength": 0.80}, {"id": "gone", "strength": 1}, {"id": "a", "strength": 1.0, "outgoing_links": ["x"]}]}"#,
            r#"{"clusters": [{"name": "k", "notes": ["gone"]}], "notes": [{"id": "c", "outgoing_links": ["a"], "incoming_links": [], "strength": 0.80}, {"id": "a", "strength": 1.0, "outgoing_links": ["b"], "incoming_links": ["c"]}, {"id": "b", "outgoing_links": ["gone"], "incoming_links": ["a"]}]}"#,
        ),
        (
            r#"{"notes":{"b.md":{"outgoing":["gone.md"],"incoming":["a.md"],"w":0},"a.md":{"outgoing":["c.md"],"incoming":[]}}}"#,
            r#"{"notes":{"b.md":{"outgoing":["gone.md"],"incoming":["a.md"],"w":0},"a.md":{"outgoing":["c.md","b.md"],"incoming":["c.md"]},"c.md":{"outgoing":["a.md"],"incoming":["a.md"]}}}"#,
        ),
        (
            r#"{"notes": [{"id": "a", "outgoing": []}]}"#,
            r#"{"notes": [{"id": "a", "outgoing": ["b"]}, {"id": "b", "outgoing": ["gone"]}, {"id": "c", "outgoing": ["a"]}]}"#,
        ),
        (r#"{"notes": {"a": ["b"]}}"#, r#"{"notes": {"a": ["b"], "b": ["gone"], "c": ["a"]}}"#),
    ] {
        let new = text(links_graph(&held.parts(), Some(found.as_bytes())));
        assert_eq!(new, expected);
        assert_eq!(three().with(LINKS, &new).stale(), []);
        assert_eq!(text(links_graph(&held.parts(), Some(new.as_bytes()))), new);
    }
}

#[test]
fn a_graph_has_nodes_of_all_that_is_linked_to_and_is_no_note_or_of_none() {
    let held = || three().note("d", "x", "lost", "");
    let none = text(links_graph(&held().parts(), None));
    let node = |id: &str, from: &str| {
        format!("    {{\"id\": \"{id}\", \"outgoing_links\": [], \"incoming_links\": [\"{from}\"]}},\n")
    };
    let with = |nodes: &str| none.replacen("[\n", &format!("[\n{nodes}"), 1);
    let (some, all) = (with(&node("gone", "b")), with(&(node("gone", "b") + &node("lost", "d"))));
    for (graph, made) in [(&none, &none), (&some, &none), (&all, &all)] {
        let files = derived(&held().with(LINKS, graph).parts(), &[PathBuf::from(LINKS)]);
        let links = files.iter().find(|own| own.path == Path::new(LINKS)).unwrap();
        assert_eq!(&text(links.bytes.to_vec()), made);
    }
}

#[test]
fn a_document_on_several_lines_keeps_its_layout() {
    let held = Held::default().note("a", "x", "", "").note("b", "x", "a", "");
    let found = "\u{feff}{\r\n\t\"x\": [\"b\"]\r\n}";
    assert_eq!(
        text(tags_index(&held.parts(), Some(found.as_bytes()))),
        found.replace("\"b\"", "\"b\", \"a\"")
    );
    let found = "{\n \"notes\": [\n  {\"id\": \"b\", \"outgoing_links\": [\"a\"], \"incoming_links\": [], \"strength\": 1}\n ]\n}\n";
    let new = text(links_graph(&held.parts(), Some(found.as_bytes())));
    let kept = found.strip_suffix("\n ]\n}\n").unwrap();
    assert!(new.starts_with(kept), "{new}");
    assert_eq!(three().with(LINKS, &new).stale().len(), 1);
    assert_eq!(Held { documents: held.documents, ..Held::default() }.with(LINKS, &new).stale(), []);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let names = ["a", "b", "b.md", "c", "gone", "[[a]]", "id", "notes", "tags", "outgoing", "incoming_links"];
    let name = proptest::sample::select(names.to_vec());
    let leaf = prop_oneof![Just(Value::Null), Just(json!(1)), name.clone().prop_map(|name| json!(name))];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map(name.clone(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn whatever_an_index_says_the_new_one_is_right_and_stays_as_it_is(
        found in json(),
        (indented, nested) in any::<(bool, bool)>(),
        notes in proptest::collection::vec(
            ("[a-c]", "(a|b|tags|notes|y){1}(, (x|a))?", "([a-c]|gone)?", "(\\[\\[[a-c]\\]\\])?"), 0..4),
    ) {
        let mut held = Held::default();
        for (number, (id, tags, linked, body)) in notes.into_iter().enumerate() {
            held = held.with(
                &format!("knowledge/n{number}.md"),
                format!("---\nid: {id}\ntags: [{tags}]\nlinked_to: [{linked}]\n---\n{body}\n"),
            );
        }
        let found = if nested { serde_json::json!({"notes": found, "tags": found}) } else { found };
        let found = if indented { serde_json::to_vec_pretty(&found) } else { serde_json::to_vec(&found) }.unwrap();
        let tags = tags_index(&held.parts(), Some(&found));
        let links = links_graph(&held.parts(), Some(&found));
        let after = held.with(TAGS, &tags).with(LINKS, &links);
        prop_assert_eq!(after.stale(), vec![], "{}\n{}", String::from_utf8_lossy(&tags), String::from_utf8_lossy(&links));
        prop_assert_eq!(tags_index(&after.parts(), Some(&tags)), tags);
        prop_assert_eq!(links_graph(&after.parts(), Some(&links)), links);
    }
}
