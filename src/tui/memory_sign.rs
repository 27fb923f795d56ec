//! The sign before a memory.

use ratatui::style::Style;

use crate::format;
use crate::model::{Entry, Severity, State, Store, is_kept};
use crate::tui::state::app::App;
use crate::tui::theme::{Theme, sign};

/// Returns the sign of a row: the worst problem of the memory, or its state.
pub fn sign_of(app: &App, store: &Store, entry: &Entry, is_new: bool) -> (&'static str, Style) {
    let theme = Theme::of(app);
    let worst = store.problems_of(entry).map(|problem| problem.severity).min();
    let is_kept = store.memory(entry).is_some_and(|view| is_kept(view, app.now));
    match (entry.state, worst) {
        (State::Broken, _) => (sign(Severity::Error), theme.severity(Severity::Error)),
        (_, Some(Severity::Error)) => (sign(Severity::Error), theme.severity(Severity::Error)),
        _ if format::is_sensitive(store, entry) => ("!", theme.secret()),
        (_, Some(Severity::Warning)) => (sign(Severity::Warning), theme.severity(Severity::Warning)),
        (State::Deleted, _) => ("−", theme.dim()),
        (State::Archived, _) => ("▪", theme.dim()),
        _ if store.is_unseen(entry) => ("∅", theme.severity(Severity::Warning)),
        _ if is_new => ("+", theme.fresh()),
        _ if is_kept => ("★", theme.accent()),
        _ => (" ", Style::new()),
    }
}

/// Returns the sign of a secret, if the row has a more serious sign.
pub fn secret_beside(app: &App, sign: &str, store: &Store, entry: &Entry) -> (&'static str, Style) {
    match sign != "!" && format::is_sensitive(store, entry) {
        true => ("!", Theme::of(app).secret()),
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
