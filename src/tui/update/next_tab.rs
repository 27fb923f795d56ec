//! The tabs of the detail.

use crate::tui::state::app::App;

pub fn turn(app: &mut App, ahead: bool) {
    let tabs = app.tabs();
    let at = tabs.iter().position(|tab| *tab == app.shown_tab()).unwrap_or_default();
    let by = if ahead { 1 } else { tabs.len() - 1 };
    app.tab = tabs[(at + by) % tabs.len()];
    app.tie_cursor = Default::default();
    app.detail_top = 0;
}
