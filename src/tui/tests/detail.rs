//! The detail pane is easy to read.

use ratatui::style::Modifier;

use super::*;

/// Returns the lines of the detail pane, and their highlighted parts.
fn detail(desk: &Desk) -> (Vec<String>, String) {
    let lines = desk.app.detail.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    let spans = desk.app.detail.iter().flat_map(|line| &line.spans);
    let found = spans.filter(|span| span.style.add_modifier.contains(Modifier::UNDERLINED | Modifier::BOLD));
    (lines, found.map(|span| span.content.as_ref()).collect())
}

#[test]
fn a_decision_is_read_with_its_reasons_and_what_is_folded_is_no_text() {
    let mut desk = Desk::new(120, 36);
    for size in [(120, 36), (80, 24)] {
        desk.restart(size.0, size.1);
        desk.type_keys("/id:dec-001 store:shop");
        desk.press(KeyCode::Enter);
        for keys in ["", "za"] {
            desk.type_keys(keys);
            let (lines, _) = detail(&desk);
            let place = |start: &str| lines.iter().position(|line| line.starts_with(start)).unwrap();
            assert!(lines[0].starts_with("Restore drills"), "{lines:?}");
            let order = [
                "rationale: The last one",
                "alternatives considered:",
                "• trust the dump",
                "tags ",
                "session ",
            ];
            assert!(
                order.map(place).is_sorted()
                    && place("session ") < place(if keys.is_empty() { "▸" } else { "▾" })
            );
            assert!(desk.screen().contains("trust the dump"), "{size:?} {keys}");
        }
    }
}

#[test]
fn what_matched_is_set_off_in_all_that_is_read_also_where_a_line_ends_in_it() {
    for (query, found) in [
        ("\"the last one found missing roles\" store:shop", "The last one found missing roles"),
        ("tag:backups \"restore drills every\" trust", "Restore drills everytrust"),
    ] {
        let mut desk = Desk::new(100, 30);
        desk.type_keys(&format!("/{query}"));
        desk.press(KeyCode::Enter);
        assert!(detail(&desk).1.contains(found), "{:?}", detail(&desk));
    }
    // A phrase in a note with several styles.
    let folder = crate::folder::new();
    let note = "---\nid: n\ncreated: 2026-01-01T00:00:00+00:00\nupdated: 2026-01-01T00:00:00+00:00\ntags: [a]\n---\n# A\n\nuse *one* pool for `all` of it\n";
    crate::disk::write_new(&folder.path().join("x/.chora/memory/knowledge/notes/n.md"), note.as_bytes())
        .unwrap();
    let mut desk = Desk::of(folder, 100, 30);
    desk.type_keys("/\"pool for\"");
    desk.press(KeyCode::Enter);
    assert_eq!(detail(&desk).1.replace("# A", ""), "pool for");
}
