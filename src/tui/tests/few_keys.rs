//! There are few keys and few views, and what has no key is found by its name.

use super::*;
use crate::tui::action::ActionInfo;
use crate::tui::list_view::current_kind;

fn with_keys() -> impl Iterator<Item = &'static ActionInfo> {
    ACTIONS.iter().filter(|known| !known.default_keys.is_empty())
}

#[test]
fn at_most_70_actions_have_keys_and_at_most_10_keys_begin_with_g() {
    let count = with_keys().count();
    assert!(count <= 70, "{count} actions have keys");
    let of_g: Vec<&str> = with_keys()
        .flat_map(|known| known.default_keys)
        .copied()
        .filter(|key| key.starts_with("g "))
        .collect();
    assert!(of_g.len() <= 10, "{of_g:?}");
}

#[test]
fn there_are_at_most_13_views() {
    let picks = ACTIONS.iter().filter(|known| known.pick.is_some()).count();
    let count = Screen::Editor as usize + 1 + picks;
    assert!(count <= 13, "{count} views");
}

#[test]
fn digits_are_keys_of_the_panes_alone() {
    let panes = [
        Action::SessionsPane,
        Action::FiltersPane,
        Action::HealthPane,
        Action::MemoriesPane,
        Action::DetailPane,
    ];
    for known in with_keys() {
        let has_digit = known.default_keys.iter().any(|key| key.chars().all(|c| c.is_ascii_digit()));
        assert_eq!(has_digit, panes.contains(&known.action), "{}", known.name);
    }
}

#[test]
fn the_help_has_headings_and_begins_with_what_holds_in_this_view() {
    let mut desk = Desk::new(120, 60);
    for (keys, first) in [("?", "/ "), ("gp?", "F  Alt-f")] {
        desk.restart(120, 60);
        desk.type_keys(keys);
        let screen = desk.screen();
        let place = |text: &str| {
            screen.lines().position(|line| line.trim().trim_start_matches('▶').trim().starts_with(text))
        };
        let (here, own, moves) = (place("In this view"), place(first), place("Move"));
        assert!(here.is_some() && here < own && own < moves, "{keys}: {screen}");
    }
    for heading in ["Find", "Mark", "Read", "Change", "Remove and undo", "Views", "Program"] {
        assert!(ACTIONS.iter().any(|known| known.heading == heading), "{heading}");
    }
    desk.type_keys("zoom");
    assert!(!desk.screen().contains("In this view"), "{}", desk.screen());
}

#[test]
fn an_empty_list_names_the_next_step() {
    let mut desk = Desk::of_log("", (120, 36));
    for keys in ["gp", "gx", "gn", "gl", "gu"] {
        desk.type_keys(keys);
        assert!(
            !desk.app.list_view.list.is_empty() || desk.screen().contains("Esc: back"),
            "{}",
            desk.screen()
        );
    }
    desk.type_and_see("gb=", &["Space marks two memories, and = compares them"]);
    desk.press(KeyCode::Esc);
    desk.type_keys("gm");
    let kind = current_kind(&desk.app).unwrap();
    assert!(desk.app.list_view.list.is_empty() && kind.none.contains("`a` archives"), "{}", desk.screen());
    assert!(desk.screen().contains("can be brought back"), "{}", desk.screen());
}
