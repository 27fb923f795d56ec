//! Keys that come before the search is answered.

use super::*;

/// Types a search, whose answer is not there yet.
fn ask(desk: &mut Desk, query: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let keys = format!("/{query}\r");
    for c in keys.chars() {
        let code = if c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) };
        effects.extend(press(desk, code));
    }
    effects
}

/// Presses a key, of which nothing that it asks for is done.
fn press(desk: &mut Desk, code: KeyCode) -> Vec<Effect> {
    update(&mut desk.app, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)), now())
}

#[test]
fn a_change_that_is_pressed_before_the_search_is_answered_is_of_what_the_search_finds() {
    let mut desk = Desk::new(120, 36);
    let first = selected_title(&desk);
    let effects = ask(&mut desk, "type:learning");
    for key in ['t', '+', 'e', 'a', 'r', 'l', 'y'] {
        assert!(press(&mut desk, KeyCode::Char(key)).is_empty(), "{key}");
    }
    assert!(press(&mut desk, KeyCode::Enter).is_empty());
    assert!(desk.screen().contains("This waits for the search."), "{}", desk.screen());
    assert_eq!(selected_title(&desk), first);
    desk.settle(effects);
    let found = selected_title(&super::changes::on("type:learning", 120, 36));
    assert_ne!(found, first);
    assert!(desk.screen().contains(&format!("tagged {}", &found[..20])), "{}", desk.screen());
}

#[test]
fn ctrl_c_drops_keys_that_wait_for_the_search() {
    let mut desk = Desk::new(120, 36);
    let effects = ask(&mut desk, "type:learning");
    press(&mut desk, KeyCode::Char('p'));
    assert_eq!(desk.app.early.len(), 1);
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    update(&mut desk.app, Msg::Key(ctrl_c), now());
    desk.settle(effects);
    assert!(desk.app.query == "type:learning" && !desk.app.can_undo);
}

#[test]
fn esc_drops_keys_that_wait_for_the_search_and_other_keys_do_not_wait() {
    let mut desk = Desk::new(120, 36);
    let effects = ask(&mut desk, "type:learning");
    press(&mut desk, KeyCode::Char('j'));
    assert_eq!(desk.app.list.at, 1, "moving does not wait");
    press(&mut desk, KeyCode::Char('d'));
    press(&mut desk, KeyCode::Char('x'));
    press(&mut desk, KeyCode::Esc);
    desk.settle(effects);
    assert!(desk.app.menu.is_none() && desk.app.query == "type:learning");
    assert!(!desk.app.can_undo);
}
