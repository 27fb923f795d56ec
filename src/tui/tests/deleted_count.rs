//! The health's count of deleted memories.

use crossterm::event::KeyCode;

use crate::tui::state::app::DeletedCount;
use crate::tui::tests::Desk;
use crate::work::StoreTally;

#[test]
fn the_health_counts_what_is_deleted_as_its_search_does_also_after_a_deletion_and_its_undo() {
    let mut desk = Desk::new(120, 36);
    let told = |desk: &Desk| {
        let rows = crate::tui::panes::health::rows(&desk.app);
        let own = rows.iter().find(|row| row.text.ends_with(" deleted")).expect("they are counted");
        own.text.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let found = |desk: &mut Desk| {
        super::marks::search(desk, "is:deleted");
        let found = desk.app.results.hits.len();
        super::marks::search(desk, "");
        found
    };
    let before = told(&desk);
    assert_eq!(before, found(&mut desk));
    super::marks::search(&mut desk, "store:shop type:finding");
    desk.type_keys("dx");
    desk.press(KeyCode::Esc);
    assert_eq!((told(&desk), found(&mut desk)), (before + 1, before + 1));
    desk.type_keys("u");
    assert_eq!(told(&desk), before);
}

#[test]
fn deleted_memories_are_counted_again_whenever_anything_else_is_counted() {
    let with = |listed, deleted, backups| [StoreTally { listed, deleted, backups, ..StoreTally::default() }];
    let mut deleted = DeletedCount::default();
    // One more memory may be a deleted one that another program restored.
    for tallies in [with(3, 1, 2), with(4, 1, 2), with(3, 1, 2), with(3, 0, 2), with(3, 0, 3)] {
        assert!(deleted.is_due(&tallies), "{tallies:?}");
        assert!(!deleted.is_due(&tallies), "{tallies:?}");
    }
}
