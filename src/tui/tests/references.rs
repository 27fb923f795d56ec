//! From memory to memory along references, and back.

use super::*;

/// Puts the cursor on the first memory with this number of references.
fn go_to_references(desk: &mut Desk, count: usize) {
    let refers = |at: usize| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.results.hits[at].at);
        store.memory(entry).is_some_and(|memory| memory.references().len() == count)
    };
    let from = (0..desk.app.results.hits.len()).find(|&at| refers(at)).unwrap();
    for _ in 0..from {
        desk.type_keys("j");
    }
}

#[test]
fn of_several_references_the_one_under_the_cursor_is_followed() {
    let mut desk = Desk::new(100, 30);
    go_to_references(&mut desk, 2);
    desk.type_keys("gd");
    assert_eq!(desk.app.focus, Pane::Detail);
    assert!(desk.screen().contains("2 references: Enter follows one"), "{}", desk.screen());
    desk.type_keys("j");
    let wanted = desk.app.ties[1].other;
    desk.press(KeyCode::Enter);
    assert_eq!(desk.app.selected(), wanted);
    // The previous memory refers to this one, so the way back is among its references, too.
    assert!(desk.app.ties.iter().any(|tie| !tie.outward));
}
