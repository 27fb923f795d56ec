//! The tabs of the detail.

use crate::tui::state::app::App;

/// Shows the next tab, and after the last the first.
pub fn turn(app: &mut App) {
    let tabs = app.tabs();
    let at = tabs.iter().position(|tab| *tab == app.shown_tab()).unwrap_or_default();
    app.tab = tabs[(at + 1) % tabs.len()];
    app.tie_cursor = Default::default();
    app.detail_top = 0;
}
