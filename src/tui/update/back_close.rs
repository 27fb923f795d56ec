//! The actions `back` and `close`: one step back, and out of a view.

use super::{marks, reference_go_back, search_query};
use crate::tui::app::{App, Pane, Screen};
use crate::tui::layout;
use crate::tui::update::running_change;

/// Whether a part of the memories is shown that an action picked, or that is marked.
pub(super) fn is_part(app: &App) -> bool {
    app.screen == Screen::Memories && (app.marks.pick.is_some() || app.marks.only_marked)
}

/// One level back: a change that waits, a view, a zoom, a pane, a problem's memory, the marks, and at
/// last the search.
pub(super) fn one_back(app: &mut App) {
    if running_change::stop(app) {
        return;
    }
    if std::mem::take(&mut app.zoomed) && !layout::is_single(app) {
        // All panes again.
    } else if reference_go_back::back_to_view(app) || app.focus == Pane::Memories && marks::back(app) {
        // One of them has done it.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        search_query::set_query(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}
