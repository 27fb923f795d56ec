//! A note that begins with a byte order mark. Positions in its bytes don't count the mark.

use std::fs;

use crate::support::{demo, folder, run};

#[test]
fn the_bytes_of_a_note_are_those_behind_its_byte_order_mark() {
    let folder = folder::new();
    let root = folder.path().join("demo");
    demo::lay_out_of_today(&root);
    let note = root.join("notes/.chora/memory/knowledge/notes/marked.md");
    let text = "---\nid: marked-note\ntags: []\n---\n# Marked\n\nIt begins with a mark.\n";
    fs::write(&note, format!("\u{feff}{text}")).unwrap();
    let store = root.join("notes");
    let rows = run(["list", "--json", "--store", store.to_str().unwrap()]).json_lines();
    let own = rows.iter().find(|row| row["id"] == "marked-note").unwrap();
    assert_eq!(own["byte"], serde_json::json!([3, 3 + text.len()]));
    assert_eq!(own["raw"], text);
    assert_eq!(own["record"], serde_json::Value::Null);
}
