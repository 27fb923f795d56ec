//! Clicks and the wheel do what keys do.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;

pub(super) fn mouse(desk: &mut Desk, kind: MouseEventKind, (column, row): (u16, u16)) {
    desk.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

pub(super) fn click(desk: &mut Desk, at: (u16, u16)) {
    mouse(desk, MouseEventKind::Down(MouseButton::Left), at);
}

pub(super) fn place_of(desk: &Desk, text: &str) -> (u16, u16) {
    let screen = desk.screen();
    let (row, line) = screen.lines().enumerate().find(|(_, line)| line.contains(text)).expect(text);
    let column = crate::text::safe_text::display_width(&line[..line.find(text).unwrap()]);
    (column as u16, row as u16)
}

#[test]
fn a_click_selects_and_a_second_one_opens() {
    let mut desk = Desk::new(120, 36);
    let area = crate::tui::layout::frame(&desk.app).pane(Pane::Memories).unwrap();
    let at = (area.x + 20, area.y + 1 + 5);
    click(&mut desk, at);
    assert_eq!((desk.app.list_cursor.at, desk.app.focus), (5, Pane::Memories));
    click(&mut desk, at);
    assert_eq!(desk.app.focus, Pane::Detail);
}

#[test]
fn a_click_on_a_hint_presses_its_key() {
    let mut desk = Desk::new(120, 36);
    let at = place_of(&desk, "? help");
    click(&mut desk, at);
    assert!(
        desk.app
            .prompt
            .as_ref()
            .is_some_and(|prompt| prompt.purpose == crate::tui::state::prompt::PromptPurpose::Help)
    );
}

#[test]
fn a_click_on_a_figure_of_the_health_and_one_more_lead_where_enter_does() {
    let mut desk = Desk::new(120, 36);
    let at = place_of(&desk, "errors  ");
    click(&mut desk, at);
    assert_eq!(desk.app.focus, Pane::Health);
    click(&mut desk, at);
    assert_eq!(desk.app.screen, Screen::Problems);
}

#[test]
fn the_wheel_moves_what_is_under_it_and_leaves_the_focus() {
    let mut desk = Desk::new(120, 36);
    let detail = crate::tui::layout::frame(&desk.app).pane(Pane::Detail).unwrap();
    let list = crate::tui::layout::frame(&desk.app).pane(Pane::Memories).unwrap();
    mouse(&mut desk, MouseEventKind::ScrollDown, (list.x + 2, list.y + 3));
    assert_eq!(desk.app.list_cursor.at, 3);
    mouse(&mut desk, MouseEventKind::ScrollDown, (detail.x + 2, detail.y + 2));
    assert_eq!((desk.app.list_cursor.at, desk.app.focus), (3, Pane::Memories));
    mouse(&mut desk, MouseEventKind::ScrollUp, (list.x + 2, list.y + 3));
    assert_eq!(desk.app.list_cursor.at, 0);
}

#[test]
fn clicks_anywhere_in_any_view_are_harmless() {
    let rows = crate::tries::count(3, 1);
    for keys in ["", "d", "?", "gp", "r", "gu", "/pool", "e", "t", "1", "3"] {
        for size in [(120, 36), (40, 12), (80, 24), (20, 5)].into_iter().take(crate::tries::count(2, 4)) {
            let mut desk = Desk::small(size.0, size.1);
            let before = super::changes::files(&desk);
            desk.type_keys(keys);
            for (x, y) in (0..size.0)
                .step_by(9)
                .flat_map(|x| (0..size.1.saturating_sub(1)).step_by(rows).map(move |y| (x, y)))
            {
                mouse(&mut desk, MouseEventKind::ScrollDown, (x, y));
                click(&mut desk, (x, y));
            }
            desk.screen();
            let after = super::changes::files(&desk);
            assert_eq!(
                super::changes::differing(&before, &after),
                Vec::<std::path::PathBuf>::new(),
                "{keys}"
            );
        }
    }
}

#[test]
fn a_text_that_fits_does_not_scroll() {
    let mut desk = Desk::new(120, 60);
    let detail = crate::tui::layout::frame(&desk.app).pane(Pane::Detail).unwrap();
    assert!(desk.app.detail.len() < usize::from(detail.height) - 1);
    for _ in 0..3 {
        mouse(&mut desk, MouseEventKind::ScrollDown, (detail.x + 2, detail.y + 2));
    }
    assert_eq!(desk.app.detail_top, 0);
    desk.type_keys("gn");
    let (_, below) = crate::tui::layout::list_view(&desk.app);
    mouse(&mut desk, MouseEventKind::ScrollDown, (below.x + 2, below.y + 2));
    assert_eq!(desk.app.list_view.top, 0);
}
