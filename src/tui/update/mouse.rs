//! The mouse: a click goes where it points, a second one opens, the wheel moves what is under it, a border
//! is dragged. Every other thing has its key; nothing needs a mouse.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::{borders, filter, key_pressed, statistics, walk};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::borders::at as border_at;
use crate::tui::cursor::Cursor;
use crate::tui::{chips, health, layout, list_view, view};

/// A second click within so many microseconds opens.
const TWICE: i64 = 500_000;
/// The wheel moves so many rows.
const WHEEL: usize = 3;

/// A click, a turn of the wheel, or a border that is dragged.
pub fn mouse(app: &mut App, event: MouseEvent) {
    let at = Position { x: event.column, y: event.row };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => click(app, at),
        MouseEventKind::Drag(MouseButton::Left) => borders::drag(app, at),
        MouseEventKind::Up(MouseButton::Left) => app.dragged = None,
        MouseEventKind::ScrollDown => wheel(app, at, true),
        MouseEventKind::ScrollUp => wheel(app, at, false),
        _ => {}
    }
}

fn click(app: &mut App, at: Position) {
    app.dragged = None;
    let twice =
        app.clicked.take().is_some_and(|(before, when)| before == at && app.running.0 - when.0 < TWICE);
    if at.y + 1 == app.size.1 {
        if let Some(key) = view::hint_at(app, at.x) {
            key_pressed(app, key);
        }
        return;
    }
    if let Some(term) = chips::at(app, at) {
        return filter::drop_term(app, term);
    }
    if layout::is_asking(app) {
        return;
    }
    let border = border_at(app, at).filter(|_| app.screen == Screen::Browse);
    if let (true, Some(border)) = (twice, border) {
        return borders::put_back(app, border);
    }
    if twice {
        return key_pressed(app, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    }
    (app.clicked, app.dragged) = (Some((at, app.running)), border);
    match app.screen {
        Screen::Browse => on_pane(app, at),
        _ if list_view::open(app).is_some() => super::list_view::click(app, at),
        Screen::Statistics => statistics::click(app, at),
        _ => {}
    }
}

/// The row of a list below its title that a place is on.
fn row_at(area: Rect, cursor: Cursor, at: Position) -> Option<usize> {
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
            if let Some(row) = row_at(area, Cursor::default(), at).and_then(|row| hit_at(app, row)) {
                app.held = None;
                walk::select(app, row);
            }
        }
        Pane::Sessions => set(&mut app.branch, area, at, app.tree.len()),
        Pane::Facets => {
            let len = filter::facet_lines(app).len();
            set(&mut app.facet, area, at, len);
        }
        Pane::Health => {
            let len = health::rows(app).len();
            set(&mut app.vital, area, at, len);
        }
        Pane::Detail if app.shown_tab().is_list() => {
            set(&mut app.tie, area, at, app.ties.len());
        }
        Pane::Detail | Pane::Why => {}
    }
}

fn set(cursor: &mut Cursor, area: Rect, at: Position, len: usize) {
    if let Some(row) = row_at(area, *cursor, at).filter(|row| *row < len) {
        cursor.at = row;
    }
}

/// The hit on a row of the list: one with a line of its text below it takes two.
fn hit_at(app: &App, row: usize) -> Option<usize> {
    let mut left = row;
    for (at, hit) in app.results.hits.iter().enumerate().skip(app.list.top) {
        let high = 1 + usize::from(app.found_lines.get(&hit.at).is_some_and(Option::is_some));
        if left < high {
            return Some(at);
        }
        left -= high;
    }
    None
}

/// Moves what is under the wheel, whatever has the keys.
fn wheel(app: &mut App, at: Position, down: bool) {
    let code = if down { KeyCode::Down } else { KeyCode::Up };
    let press = |app: &mut App| {
        (0..WHEEL).for_each(|_| key_pressed(app, KeyEvent::new(code, KeyModifiers::NONE)));
    };
    let types = app.prompt.as_ref().is_some_and(|prompt| !prompt.purpose.is_list());
    if types || app.screen == Screen::Edit {
        return;
    }
    if list_view::open(app).is_some() && !layout::is_asking(app) {
        let before = super::list_view::under_wheel(app, at);
        press(app);
        app.view.inside = before;
        return;
    }
    if layout::is_asking(app) || app.screen != Screen::Browse {
        return press(app);
    }
    let under = layout::frame(app).panes.into_iter().find(|(_, area)| area.contains(at));
    let Some((pane, _)) = under else { return };
    let focus = std::mem::replace(&mut app.focus, pane);
    press(app);
    // The stores show what their cursor is on only while they have the keys.
    app.focus = if pane == Pane::Sessions { pane } else { focus };
}
