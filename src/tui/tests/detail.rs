//! The detail pane is easy to read.

use ratatui::style::Modifier;

use super::*;

/// Returns the highlighted parts of the detail pane.
fn set_off(desk: &Desk) -> String {
    let spans = desk.app.detail.iter().flat_map(|line| &line.spans);
    let found = spans.filter(|span| span.style.add_modifier.contains(Modifier::UNDERLINED | Modifier::BOLD));
    found.map(|span| span.content.as_ref()).collect()
}

#[test]
fn what_matched_is_set_off_in_all_that_is_read_also_where_a_line_ends_in_it() {
    for (query, found) in [
        ("\"the last one found missing roles\" store:shop", "The last one found missing roles"),
        ("tag:backups \"restore drills every\" trust", "Restore drills everytrust"),
    ] {
        let mut desk = Desk::new(100, 30);
        desk.enter(&format!("/{query}"));
        assert!(set_off(&desk).contains(found), "{}", set_off(&desk));
    }
    // A phrase in a note with several styles.
    let note = "---\nid: n\ncreated: 2026-01-01T00:00:00+00:00\nupdated: 2026-01-01T00:00:00+00:00\ntags: [a]\n---\n# A\n\nuse *one* pool for `all` of it\n";
    let mut desk = Desk::of_files(&[("x/.chora/memory/knowledge/notes/n.md", note)], (100, 30));
    desk.enter("/\"pool for\"");
    assert_eq!(set_off(&desk).replace("# A", ""), "pool for");
}
