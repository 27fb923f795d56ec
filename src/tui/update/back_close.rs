//! The actions `back` and `close`: they go back by one step, or leave a view.

use super::{marks, reading, reference_go_back, search_query};
use crate::tui::layout;
use crate::tui::message::Effect;
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::update::running_change;

/// Closes the view. At the root, quits.
pub(super) fn close(app: &mut App) {
    let is_part = app.screen == Screen::Memories && (app.marks.pick.is_some() || app.marks.only_marked);
    match layout::is_zoomed(app) || app.is_reading() || is_part {
        true => back(app),
        false => app.push_effect(Effect::Quit),
    }
}

/// Does the first of these that is possible: stops a change, closes the memory that is read, ends the zoom,
/// returns to a view, removes marks or a pick, clears the search, focuses the list.
pub(super) fn back(app: &mut App) {
    if running_change::stop(app) {
        return;
    }
    if app.is_reading() {
        reading::leave(app);
    } else if std::mem::take(&mut app.zoomed) && !layout::is_single(app) {
        // All panes are shown again.
    } else if reference_go_back::back_to_view(app) || app.focus == Pane::Memories && marks::back(app) {
        // One of the two went back.
    } else if app.focus == Pane::Memories && !app.query.is_empty() {
        search_query::set_query(app, String::new());
    } else {
        app.focus = Pane::Memories;
    }
}
