//! The actions `next match` and `previous match`.

use crate::tui::state::app::App;
use crate::tui::update::select_memory::select;

/// Moves to another line of the list, whichever pane has the focus.
pub fn step(app: &mut App, by: isize) {
    let last = app.results.hits.len().saturating_sub(1);
    app.search_origin = None;
    select(app, app.list_cursor.at.saturating_add_signed(by).min(last));
}
