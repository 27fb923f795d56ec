//! Moves through lists, references and problems.

use crate::tui::action::Action;
use crate::tui::filter_rows::{self, FilterRow};
use crate::tui::state::app::{App, Pane};
use crate::tui::update::select_memory::select;
use crate::tui::{health, layout};

pub fn go(app: &mut App, action: Action) {
    let (at, len) = place(app);
    if let Some(to) = cursor_target(action, at, len, rows(app)) {
        set(app, to);
    }
}

/// Returns where an action moves a cursor from line `at` of `len`, with `rows` lines on screen;
/// `None` if it does not move.
pub fn cursor_target(action: Action, at: usize, len: usize, rows: usize) -> Option<usize> {
    let page = rows.saturating_sub(1).max(2);
    let to = match action {
        Action::Down => at + 1,
        Action::Up => at.saturating_sub(1),
        Action::PageDown => at + page,
        Action::PageUp => at.saturating_sub(page),
        Action::Top => 0,
        Action::Last => len,
        _ => return None,
    };
    Some(to.min(len.saturating_sub(1)))
}

fn rows(app: &App) -> usize {
    layout::rows(app, app.focus)
}

fn place(app: &App) -> (usize, usize) {
    match app.focus {
        Pane::Sessions => (app.tree_cursor.at, app.tree.len()),
        Pane::Filters => (app.filter_cursor.at, filter_rows::facet_lines(app).len()),
        Pane::Health => (app.health_cursor.at, health::rows(app).len()),
        Pane::Detail if app.shown_tab().is_list() => (app.tie_cursor.at, app.ties.len()),
        Pane::Detail => (app.detail_top, scroll_positions(app.detail.len(), rows(app))),
        _ => (app.list_cursor.at, app.results.hits.len()),
    }
}

/// Returns how many lines of a text can be the first on screen. A text that fits does not scroll.
pub fn scroll_positions(lines: usize, rows: usize) -> usize {
    lines.saturating_sub(rows) + 1
}

fn set(app: &mut App, to: usize) {
    match app.focus {
        Pane::Sessions => app.tree_cursor.at = to,
        Pane::Filters => app.filter_cursor.at = past_heading(app, to),
        Pane::Health => app.health_cursor.at = to,
        Pane::Detail if app.shown_tab().is_list() => app.tie_cursor.at = to,
        Pane::Detail => app.detail_top = to,
        _ => {
            app.search_origin = None;
            select(app, to);
        }
    }
}

/// Returns the line of the filters at `to`, or the next one in the cursor's direction if that is a heading.
pub fn past_heading(app: &App, to: usize) -> usize {
    let lines = filter_rows::facet_lines(app);
    let is_heading = |at: usize| lines.get(at).is_some_and(FilterRow::is_heading);
    match (is_heading(to), to < app.filter_cursor.at && to > 0) {
        (false, _) => to,
        (true, true) => to - 1,
        (true, false) => (to + 1).min(lines.len().saturating_sub(1)),
    }
}
