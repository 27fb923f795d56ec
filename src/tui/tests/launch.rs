//! The palette as a launcher, and the list of colours.

use super::*;
use crate::tui::colours::ColourPalette;

fn names(desk: &Desk) -> Vec<&'static str> {
    desk.app.prompt.as_ref().unwrap().actions().iter().map(|known| known.name).collect()
}

#[test]
fn what_was_done_last_comes_first_then_what_can_be_done_here_and_the_rest_says_so() {
    let mut desk = Desk::new(100, 30);
    desk.type_keys("po:");
    assert_eq!(names(&desk)[..2], ["order", "pin"]);
    let at = |desk: &Desk, name: &str| names(desk).iter().position(|own| *own == name).unwrap();
    assert!(at(&desk, "edit") < at(&desk, "bring back") && at(&desk, "undo") < at(&desk, "week back"));
    desk.press(KeyCode::Esc);
    desk.type_keys(":bring back");
    assert!(desk.screen().contains("not here"), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys("ga:");
    assert!(at(&desk, "bring back") < at(&desk, "edit"), "{:?}", names(&desk));
}

#[test]
fn a_theme_is_seen_before_it_is_chosen_and_esc_brings_the_one_before_back() {
    let mut desk = Desk::new(100, 30);
    let open = |desk: &mut Desk| {
        desk.type_keys(":theme");
        desk.press(KeyCode::Enter);
    };
    open(&mut desk);
    assert_eq!(desk.app.palette, ColourPalette::Terminal);
    insta::assert_snapshot!("theme", stable(&desk.screen()));
    for (palette, ..) in &ColourPalette::CHOICES[1..] {
        desk.type_keys("j");
        assert_eq!(desk.app.palette, *palette);
    }
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::Terminal, true));
    open(&mut desk);
    desk.type_keys("j");
    desk.press(KeyCode::Enter);
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::Dark, true));
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.contains("theme = \"dark\"")));
    open(&mut desk);
    assert_eq!(desk.app.prompt.as_ref().unwrap().choice.at, 1, "it opens at the one in use");
}

#[test]
fn where_no_colours_are_wanted_none_can_be_chosen() {
    let mut desk = Desk::new(100, 30);
    desk.app.palette = ColourPalette::None;
    desk.type_keys(":theme");
    desk.press(KeyCode::Enter);
    assert!(desk.app.notice.as_deref().is_some_and(|own| own.contains("--no-color")), "{}", desk.screen());
    desk.press(KeyCode::Enter);
    assert_eq!((desk.app.palette, desk.app.prompt.is_none()), (ColourPalette::None, true));
}
