//! With colours, without colours, in ASCII: no meaning depends on colour alone, and no background is painted.

use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::*;
use crate::tui::colours::ColourPalette;
use crate::tui::plain_text;

fn drawn(desk: &Desk) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(desk.app.size.0, desk.app.size.1)).unwrap();
    terminal.draw(|frame| view(&desk.app, frame)).unwrap();
    terminal.backend().buffer().clone()
}

const VIEWS: [&str; 10] = ["", "gp", "gr", "ga", "gm", "gu", "d", "?", "/pool", "1"];

#[test]
fn without_colours_the_same_is_on_the_screen_and_no_theme_paints_the_background() {
    for keys in VIEWS {
        let mut desk = Desk::small(120, 36);
        desk.type_keys(keys);
        let plain = plain_text::plain(&drawn(&desk));
        let palettes = [
            ColourPalette::Dark,
            ColourPalette::Light,
            ColourPalette::ColourBlind,
            ColourPalette::ColourBlindLight,
            ColourPalette::HighContrast,
            ColourPalette::None,
        ];
        for palette in palettes {
            desk.app.palette = palette;
            desk.app.detail_key = None;
            update::ready(&mut desk.app);
            let buffer = drawn(&desk);
            assert_eq!(plain_text::plain(&buffer), plain, "{keys} {palette:?}");
            assert!(buffer.content().iter().all(|cell| cell.bg == Color::Reset), "{keys} {palette:?}");
            if palette == ColourPalette::None {
                assert!(buffer.content().iter().all(|cell| cell.fg == Color::Reset), "{keys}");
            }
        }
    }
}

#[test]
fn in_ascii_every_sign_and_bar_of_ours_is_ascii() {
    for keys in VIEWS {
        let mut desk = Desk::small(120, 36);
        desk.type_keys(keys);
        let before = plain_text::plain(&drawn(&desk));
        desk.app.ascii = true;
        let after = plain_text::plain(&drawn(&desk));
        let ours = |c: char| {
            "│─▶›●◉✖⚠★…▸▾→←×·−◌◷◔▪↵▏█▉▊▋▌▍▎✓↶".contains(c) || ('\u{2800}'..='\u{28ff}').contains(&c)
        };
        assert!(before.contains(ours), "{before}");
        assert!(!after.contains(ours), "{keys}: {after}");
        assert_eq!(before.lines().count(), after.lines().count());
    }
}

#[test]
fn a_pane_that_has_the_whole_screen_is_not_zoomed_and_esc_leaves_it() {
    let mut desk = Desk::small(40, 12);
    for keys in ["5+", "w+"] {
        desk.type_keys(keys);
        assert!(desk.screen().contains("has the whole screen"), "{}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.focus, Pane::Memories, "{}", desk.screen());
    }
}

#[test]
fn on_the_smallest_screen_every_choice_of_the_removal_is_named_and_enter_says_what_is_missing() {
    let mut desk = Desk::small(20, 5);
    desk.type_keys("d");
    for name in ["x delete", "a archive", "e erase"] {
        assert!(desk.screen().contains(name), "{}", desk.screen());
    }
    desk.type_keys("e");
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("Type it first"), "{}", desk.screen());
}

#[test]
fn what_an_action_does_is_read_whole_at_forty_columns() {
    let mut desk = Desk::small(40, 12);
    desk.type_keys(":difference");
    assert!(desk.screen().contains("differences"), "{}", desk.screen());
}
