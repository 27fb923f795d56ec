//! The parts of the frame, one file each, and the signs of memories.

pub mod clean_up;
pub mod command_help;
pub mod confirm;
pub mod delete_menu;
pub mod detail;
pub mod difference;
pub mod editor;
pub mod field_prompt;
pub mod filters;
pub mod health;
pub mod hints;
pub mod list_view;
pub mod memories;
pub mod memory_row;
pub mod next_keys;
pub mod search;
pub mod sessions;
pub mod statistics;
pub mod tutor;
pub mod welcome;
pub mod why;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::format;
use crate::model::{Entry, Severity, State, Store, is_kept};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListCursor;
use crate::tui::theme::{put, sign};

/// Draws the visible lines of a list, after a column for the cursor. Makes only the lines on screen. The line
/// under the cursor is highlighted if the list has the keys.
fn draw_lines(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    cursor: ListCursor,
    len: usize,
    has_keys: bool,
    line: impl Fn(usize) -> Line<'static>,
) {
    let shown = cursor.top..len.min(cursor.top + usize::from(area.height));
    for (row, at) in shown.enumerate() {
        let place = Rect { y: area.y + row as u16, height: 1, ..area };
        let mut line = line(at);
        if at == cursor.at && has_keys {
            put(frame, [Line::styled("▶", app.palette.accent())], place);
            line = app.palette.under_cursor(line);
        }
        let beside = Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place };
        put(frame, [line], beside);
    }
}

/// Returns the sign of a row: the worst problem of the memory, or its state.
pub fn sign_of(app: &App, store: &Store, entry: &Entry, is_new: bool) -> (&'static str, Style) {
    let worst = store.problems_of(entry).map(|problem| problem.severity).min();
    let is_kept = store.memory(entry).is_some_and(|view| is_kept(view, app.now));
    match (entry.state, worst) {
        (State::Broken, _) => (sign(Severity::Error), app.palette.severity(Severity::Error)),
        (_, Some(Severity::Error)) => (sign(Severity::Error), app.palette.severity(Severity::Error)),
        _ if format::is_sensitive(store, entry) => ("!", app.palette.secret()),
        (_, Some(Severity::Warning)) => (sign(Severity::Warning), app.palette.severity(Severity::Warning)),
        (State::Deleted, _) => ("−", app.palette.dim()),
        (State::Archived, _) => ("▪", app.palette.dim()),
        _ if store.is_unseen(entry) => ("∅", app.palette.severity(Severity::Warning)),
        _ if is_new => ("+", app.palette.fresh()),
        _ if is_kept => ("★", app.palette.accent()),
        _ => (" ", Style::new()),
    }
}

/// Returns the sign of a secret, if the row has a more serious sign.
pub fn secret_beside(app: &App, sign: &str, store: &Store, entry: &Entry) -> (&'static str, Style) {
    match sign != "!" && format::is_sensitive(store, entry) {
        true => ("!", app.palette.secret()),
        false => (" ", Style::new()),
    }
}

/// Returns the sign of the cursor, of a mark, of both, or of what a range would mark.
pub fn pointer(marked: bool, in_range: bool, has_cursor: bool, is_chosen: bool) -> &'static str {
    match (marked, in_range, has_cursor) {
        (true, _, true) => "◉",
        (true, _, false) => "●",
        (false, _, true) if is_chosen => "▶",
        (false, _, true) => "›",
        (false, true, false) => "○",
        (false, false, false) => " ",
    }
}
