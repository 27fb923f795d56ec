//! The mouse: a click selects, a second click opens, and the wheel scrolls what is under it. Keys can do
//! all of this, too.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::row_list::ListCursor;
use crate::tui::update::{key_pressed, search_query, select_memory, statistics};
use crate::tui::{filter_chips, layout, list_view, view};

/// A second click within this many microseconds opens.
const DOUBLE_CLICK: i64 = 500_000;
const WHEEL: usize = 3;

pub fn mouse(app: &mut App, event: MouseEvent) {
    let at = Position { x: event.column, y: event.row };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => click(app, at),
        MouseEventKind::ScrollDown => wheel(app, at, true),
        MouseEventKind::ScrollUp => wheel(app, at, false),
        _ => {}
    }
}

fn click(app: &mut App, at: Position) {
    let twice = app
        .last_click
        .take()
        .is_some_and(|(before, when)| before == at && app.monotonic_now.0 - when.0 < DOUBLE_CLICK);
    if at.y + 1 == app.size.1 {
        if let Some(key) = view::hint_at(app, at.x) {
            key_pressed(app, key);
        }
        return;
    }
    if let Some(term) = filter_chips::at(app, at) {
        return search_query::drop_term(app, term);
    }
    if layout::has_dialog(app) {
        return;
    }
    if twice {
        return key_pressed(app, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    }
    app.last_click = Some((at, app.monotonic_now));
    match app.screen {
        Screen::Memories => on_pane(app, at),
        _ if list_view::current_kind(app).is_some() => super::list_view::click(app, at),
        Screen::Statistics => statistics::click(app, at),
        _ => {}
    }
}

/// Returns the row of a list at a place, counted below the title.
fn row_at(area: Rect, cursor: ListCursor, at: Position) -> Option<usize> {
    let below = u16::from(layout::has_title(area));
    (area.contains(at) && at.y >= area.y + below).then(|| cursor.top + usize::from(at.y - area.y - below))
}

fn on_pane(app: &mut App, at: Position) {
    let Some((pane, area)) = layout::frame(app).panes.into_iter().find(|(_, area)| area.contains(at)) else {
        return;
    };
    app.focus = pane;
    match pane {
        Pane::Memories => {
            if let Some(row) = row_at(area, ListCursor::default(), at).and_then(|row| hit_at(app, row)) {
                app.search_origin = None;
                select_memory::select(app, row);
            }
        }
        Pane::Why => {}
        _ => {
            let Some((cursor, len)) = select_memory::list_of(app, pane) else { return };
            cursor.at = row_at(area, *cursor, at).filter(|row| *row < len).unwrap_or(cursor.at);
        }
    }
}

/// A hit with a line of its text below takes two rows.
fn hit_at(app: &App, row: usize) -> Option<usize> {
    let mut left = row;
    for (at, hit) in app.results.hits.iter().enumerate().skip(app.list_cursor.top) {
        let high = 1 + usize::from(app.match_lines.get(&hit.at).is_some_and(Option::is_some));
        if left < high {
            return Some(at);
        }
        left -= high;
    }
    None
}

/// Moves what is under the mouse, whichever pane has the focus.
fn wheel(app: &mut App, at: Position, down: bool) {
    let code = if down { KeyCode::Down } else { KeyCode::Up };
    let press = |app: &mut App| {
        (0..WHEEL).for_each(|_| key_pressed(app, KeyEvent::new(code, KeyModifiers::NONE)));
    };
    let types = app.prompt.as_ref().is_some_and(|prompt| !prompt.purpose.is_list());
    if types || app.screen == Screen::Editor {
        return;
    }
    if list_view::current_kind(app).is_some() && !layout::has_dialog(app) {
        let before = super::list_view::under_wheel(app, at);
        press(app);
        app.list_view.in_details = before;
        return;
    }
    if layout::has_dialog(app) || app.screen != Screen::Memories {
        return press(app);
    }
    let under = layout::frame(app).panes.into_iter().find(|(_, area)| area.contains(at));
    let Some((pane, _)) = under else { return };
    let focus = std::mem::replace(&mut app.focus, pane);
    press(app);
    // The list follows the cursor of the stores only while they have the focus.
    app.focus = if pane == Pane::Sessions { pane } else { focus };
}
