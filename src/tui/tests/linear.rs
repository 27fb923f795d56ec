//! Lines for a screen reader.

use super::*;
use crate::tui::linear::{self, LinearOutput, new_output};

fn desk() -> (Desk, LinearOutput) {
    let desk = Desk::new(linear::SIZE.0, linear::SIZE.1);
    (desk, LinearOutput::default())
}

/// Returns the lines after some keys.
fn said(desk: &mut Desk, told: &mut LinearOutput, keys: &str) -> String {
    desk.type_keys(keys);
    new_output(&desk.app, told).replace("\r\n  ", " ").replace("\r\n", "\n")
}

#[test]
fn the_first_lines_say_what_is_open_and_a_move_says_the_memory_it_comes_to() {
    let (mut desk, mut told) = desk();
    let first = said(&mut desk, &mut told, "");
    assert!(first.starts_with("palimp. 5 stores, 536 memories, 6 errors.\nTen keys: "), "{first}");
    assert!(
        first.contains("1 of 536. decision: Send one key with every charge retry. shop, 14 min ago."),
        "{first}"
    );
    let next = said(&mut desk, &mut told, "j");
    assert!(next.starts_with("2 of 536.") && next.contains(" ago. Decay "), "{next}");
    assert_eq!(said(&mut desk, &mut told, ""), "", "nothing is said twice");
}

#[test]
fn detail_why_menus_and_other_views_are_told_in_words() {
    let (mut desk, mut told) = desk();
    said(&mut desk, &mut told, "");
    let title = selected_title(&desk);
    let detail = said(&mut desk, &mut told, "5");
    assert!(detail.contains(&title.trim_matches('"')[..20]), "{detail}");
    let why = said(&mut desk, &mut told, "w");
    assert!(why.contains("importance") && why.contains("match"), "{why}");
    said(&mut desk, &mut told, "4");
    let menu = said(&mut desk, &mut told, "d");
    assert!(menu.contains("x delete") && menu.contains("e erase"), "{menu}");
    desk.press(KeyCode::Esc);
    said(&mut desk, &mut told, "");
    let problems = said(&mut desk, &mut told, "gp");
    assert!(problems.contains("Problems") && problems.contains("At: "), "{problems}");
    let next = said(&mut desk, &mut told, "j");
    assert_eq!(next.matches("At: ").count(), 1, "{next}");
    for drawn in ['█', '▌', '─', '│', '▶', '⣀'] {
        assert!(![&detail, &why, &menu, &problems, &next].iter().any(|text| text.contains(drawn)), "{drawn}");
    }
}

#[test]
fn what_is_typed_is_appended_and_its_answer_follows_enter() {
    let (mut desk, mut told) = desk();
    said(&mut desk, &mut told, "");
    assert!(said(&mut desk, &mut told, "/").ends_with("> "));
    assert_eq!(said(&mut desk, &mut told, "re"), "re");
    assert_eq!(said(&mut desk, &mut told, "t"), "t");
    desk.press(KeyCode::Enter);
    let answer = said(&mut desk, &mut told, "");
    assert!(
        answer.starts_with('\n') && answer.contains("Search: ret. ") && answer.contains("1 of "),
        "{answer}"
    );
}

#[test]
fn of_two_memories_beside_each_other_each_line_says_whose_it_is() {
    let (mut desk, mut told) = (Desk::small(linear::SIZE.0, linear::SIZE.1), LinearOutput::default());
    said(&mut desk, &mut told, "");
    let both = said(&mut desk, &mut told, "  =");
    assert!(both.contains("A: written 2026-01-05") && both.contains("B: written 2026-01-04"), "{both}");
}

#[test]
fn while_time_goes_by_and_nothing_else_changes_nothing_is_said() {
    let (mut desk, mut told) = desk();
    let options = TuiOptions { linear: true, ..options(desk.app.places.clone()) };
    desk.app.reduced_motion = App::new(&options, linear::SIZE, now()).reduced_motion;
    for keys in ["", "gp", "gb5", "4"] {
        said(&mut desk, &mut told, keys);
        for _ in 0..5 {
            desk.later += 60_000_000;
            desk.send(Msg::Tick);
            assert_eq!(new_output(&desk.app, &mut told), "", "{keys}");
        }
    }
    // The stores are read again: the memory is older, but still the same.
    desk.send(Msg::StoresChanged);
    assert_eq!(new_output(&desk.app, &mut told), "");
    assert!(said(&mut desk, &mut told, "j").starts_with("2 of "));
}

#[test]
fn a_word_that_is_typed_never_lands_in_an_editor_and_what_is_asked_for_does() {
    let (mut desk, _) = desk();
    desk.app.linear = true;
    for word in ["release", "The test", "Important tag", "recipe", "type", "Category", "ePtiTCE"] {
        desk.enter(word);
        assert_ne!(desk.app.screen, crate::tui::state::app::Screen::Editor, "{word}");
        assert!(desk.app.editor.is_none(), "{word}");
        let purpose = desk.app.prompt.as_ref().map(|own| own.purpose);
        assert!(purpose.is_none_or(|own| !own.is_change()), "{word}: {purpose:?}");
        (0..4).for_each(|_| desk.press(KeyCode::Esc));
        desk.type_keys("gb");
    }
    desk.type_keys("e");
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.starts_with("edit: F2 opens it")));
    desk.press(KeyCode::F(2));
    assert_eq!(desk.app.screen, crate::tui::state::app::Screen::Editor);
}

#[test]
fn any_key_but_the_one_asked_for_cancels_what_was_to_be_opened() {
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for between in [plain(KeyCode::Char('5')), plain(KeyCode::Char('0')), plain(KeyCode::Esc), interrupt] {
        let (mut desk, _) = desk();
        desk.app.linear = true;
        desk.type_keys("e");
        desk.send(Msg::Key(between));
        desk.press(KeyCode::F(2));
        assert_ne!(desk.app.screen, crate::tui::state::app::Screen::Editor, "{between:?}");
    }
}
