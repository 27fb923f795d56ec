//! Every hint is possible for the memory under the cursor, in its store.

use crossterm::event::KeyCode;

use crate::tui::tests::changes::notice;
use crate::tui::tests::marks::search;
use crate::tui::tests::{Desk, Screen};

fn offers(desk: &Desk, key: &str) -> bool {
    crate::tui::panes::hints::of(&desk.app).0.iter().any(|hint| hint.0 == key)
}

#[test]
fn archiving_is_offered_where_the_store_archives_that_memory_alone() {
    let mut desk = Desk::new(160, 36);
    for store in ["notes", "ops", "shop", "team", "web"] {
        for at in 0..crate::tries::count(1, 3) {
            desk.restart(160, 36);
            search(&mut desk, &format!("store:{store} is:live"));
            desk.type_keys(&"j".repeat(at));
            if !offers(&desk, "a") {
                continue;
            }
            desk.type_keys("a");
            assert!(notice(&desk).starts_with("archived "), "{store}: {}", notice(&desk));
        }
    }
}

#[test]
fn while_a_memory_is_read_a_hint_shows_each_change_that_works_there_and_no_other() {
    let mut desk = Desk::new(160, 36);
    for (query, mark) in
        ["ops", "team", "web", "notes", "claude"].iter().flat_map(|own| [(own, ""), (own, " ")])
    {
        desk.restart(160, 36);
        search(&mut desk, &format!("store:*{query}* is:live"));
        desk.type_keys(mark);
        for key in ["t", "e"] {
            desk.enter("");
            let is_offered = offers(&desk, key);
            desk.type_keys(key);
            let opens = desk.app.prompt.is_some() || desk.app.editor.is_some();
            assert_eq!(opens, is_offered, "{key} in {query}: {}", desk.screen());
            desk.press(KeyCode::Esc);
            desk.press(KeyCode::Esc);
        }
    }
}

#[test]
fn undo_is_offered_once_there_is_something_to_undo_and_no_longer() {
    let mut desk = Desk::small(120, 36);
    assert!(!offers(&desk, "u"));
    desk.enter("t+seen");
    desk.type_keys("j");
    assert!(offers(&desk, "u"));
    desk.type_keys("uj");
    assert!(!offers(&desk, "u"), "{}", desk.screen());
    desk.type_keys("Uj");
    assert!(offers(&desk, "u"));
}

#[test]
fn what_is_archived_is_brought_back_where_the_key_is_offered() {
    let mut kinds = Vec::new();
    let mut desk = Desk::new(160, 50);
    desk.type_keys("gm");
    for at in 0..desk.app.list_view.list.len() {
        desk.app.list_view.list.cursor.at = at;
        let Some(crate::tui::state::row_list::ListRow::Archived(own)) = desk.app.list_view.row() else {
            continue;
        };
        let format = desk.app.snapshot.stores[own.store as usize].format;
        if kinds.contains(&format) {
            continue;
        }
        kinds.push(format);
        let is_offered = offers(&desk, "r");
        desk.type_keys("r");
        assert_eq!(desk.app.confirm.is_some(), is_offered, "{format}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Upkeep);
    }
    assert!(kinds.contains(&"bmad") && kinds.len() > 1, "{kinds:?}");
}
