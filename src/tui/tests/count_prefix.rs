//! Counts before a move. The keys 1 to 5 are also panes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Desk, selected_title};
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::{Pane, Screen};
use crate::tui::state::deleted_count::DeletedCount;
use crate::tui::update::take;
use crate::work::StoreTally;

#[test]
fn every_digit_before_a_move_is_a_count_where_the_keys_were() {
    for digit in 1..10 {
        let mut desk = Desk::new(120, 36);
        // The cursor of the stores is on one store, so going there shows only that store.
        desk.type_keys("1");
        desk.pause();
        desk.type_keys("j4");
        desk.pause();
        desk.type_keys("gg");
        desk.type_keys(&format!("{digit}j"));
        assert_eq!((desk.app.list_cursor.at, desk.app.focus), (digit, Pane::Memories), "{digit}j");
        desk.type_keys(&format!("{digit}k"));
        assert_eq!((desk.app.list_cursor.at, desk.app.focus), (0, Pane::Memories), "{digit}k");
    }
}

#[test]
fn a_digit_and_a_move_are_a_count_in_every_view() {
    let mut desk = Desk::new(120, 36);
    for view in ["gp", "gr", "gu", "gm", "ga", "gn"] {
        desk.type_keys(view);
        let (screen, rows) = (desk.app.screen, desk.app.list_view.list.len());
        desk.type_keys("gg3j");
        assert_eq!(
            (desk.app.screen, desk.app.list_view.list.cursor.at),
            (screen, 3.min(rows.saturating_sub(1))),
            "{view}"
        );
    }
    desk.type_keys("gb  =");
    assert_eq!(desk.app.screen, Screen::Difference);
    desk.type_keys("2j");
    assert!(desk.app.screen == Screen::Difference && desk.app.difference.is_some(), "{}", desk.screen());
}

#[test]
fn a_move_that_comes_before_the_list_is_as_it_was_waits_for_that() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("1");
    desk.pause();
    desk.type_keys("jj4");
    desk.pause();
    desk.type_keys("ggjjj");
    let third = selected_title(&desk);
    desk.type_keys("gg");
    for keys in ["3j", "12j"] {
        // When the move is pressed, the list shows only the store.
        desk.type_keys(keys);
    }
    desk.type_keys("12k");
    assert_eq!(selected_title(&desk), third);
    desk.type_keys("3]p");
    assert_eq!(desk.app.focus, Pane::Memories, "a move of two keys has a count, too");
}

#[test]
fn a_count_before_a_move_makes_it_so_often_and_the_keys_of_panes_stay_theirs() {
    let mut desk = Desk::new(120, 36);
    for (keys, at) in
        [("19j", 19), ("7k", 12), ("10j", 22), ("12gg", 11), ("30G", 29), ("9j", 38), ("99k", 0), ("3G", 2)]
    {
        desk.type_keys(keys);
        assert_eq!((desk.app.list_cursor.at, desk.app.focus), (at, Pane::Memories), "{keys}");
    }
    desk.type_keys("19");
    assert!(desk.screen().contains("19 then a move"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys("j");
    assert_eq!(desk.app.list_cursor.at, 3, "Esc drops the count");
    // `6]p` leads to the same memory as six times `]p`.
    desk.type_keys("gg]p]p]p]p]p]p");
    let sixth = desk.app.list_cursor.at;
    desk.type_keys("gg6]p");
    assert_eq!(desk.app.list_cursor.at, sixth);
    // A single digit goes to a pane, and so do two digits with a pause between them.
    desk.type_keys("gg1");
    assert_eq!(desk.app.focus, Pane::Sessions);
    desk.pause();
    desk.type_keys("j");
    assert_eq!((desk.app.list_cursor.at, desk.app.tree_cursor.at), (0, 1));
    desk.type_keys("1");
    desk.pause();
    desk.type_keys("2");
    assert_eq!(desk.app.focus, Pane::Filters);
    desk.pause();
    desk.type_keys("4");
    assert_eq!(desk.app.focus, Pane::Memories);
}

#[test]
fn counts_move_in_the_problems_too() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gp");
    let count = desk.app.problem_list.len();
    assert!(count > 20, "{count}");
    for (keys, at) in [("12j", 12), ("6k", 6), ("99999G", count - 1), ("10gg", 9)] {
        desk.type_keys(keys);
        assert_eq!(desk.app.list_view.list.cursor.at, at, "{keys}");
    }
}

#[test]
fn where_the_shown_time_stands_still_digits_and_ctrl_c_wait_by_the_time_that_goes_on() {
    let mut desk = Desk::new(120, 36);
    let still = desk.time();
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let key = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    let mut press = |key, after: i64| {
        desk.app.monotonic_now.0 += after;
        let at = desk.app.monotonic_now;
        let effects = take(&mut desk.app, Msg::Key(key), still);
        let quits = effects.iter().any(|effect| matches!(effect, Effect::Quit));
        desk.settle(effects);
        desk.app.monotonic_now = at;
        assert_eq!(desk.app.now, still);
        (desk.app.focus, desk.app.list_cursor.at, desk.app.tree_cursor.at, quits)
    };
    assert_eq!(press(key('1'), 0), (Pane::Sessions, 0, 0, false));
    assert_eq!(press(key('j'), 2_000_000), (Pane::Sessions, 0, 1, false));
    let at = press(key('4'), 2_000_000);
    assert_eq!(at.0, Pane::Memories);
    assert_eq!(press(key('2'), 2_000_000).0, Pane::Filters);
    assert_eq!(press(key('j'), 500_000), (Pane::Memories, at.1 + 2, 1, false), "soon enough is a count");
    assert!(!press(ctrl_c, 2_000_000).3 && !press(ctrl_c, 2_000_000).3 && press(ctrl_c, 500_000).3);
}

#[test]
fn the_health_counts_what_is_deleted_as_its_search_does_also_after_a_deletion_and_its_undo() {
    let mut desk = Desk::new(120, 36);
    let told = |desk: &Desk| {
        let rows = crate::tui::health::rows(&desk.app);
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
