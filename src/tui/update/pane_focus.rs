//! Which pane has the focus.

use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::store_tree;

/// The order of the panes for Tab.
const ROUND: [Pane; 5] = [Pane::Sessions, Pane::Filters, Pane::Health, Pane::Memories, Pane::Detail];

pub fn give(app: &mut App, pane: Pane) {
    app.focus = pane;
    app.screen = Screen::Memories;
}

/// Focuses the next or previous pane, around the ends.
pub fn round(app: &mut App, ahead: bool) {
    let by = if ahead { 1 } else { ROUND.len() - 1 };
    let at = ROUND.iter().position(|pane| *pane == app.focus).unwrap_or(ROUND.len() - 1);
    app.focus = ROUND[(at + by) % ROUND.len()];
}

/// Focuses the pane to the left or right. In the tree of stores, the key folds or unfolds first.
pub fn side(app: &mut App, left: bool) {
    if app.focus == Pane::Sessions && app.screen == Screen::Memories && store_tree::fold(app, left) {
        return;
    }
    app.focus = match (app.focus, left) {
        (Pane::Detail | Pane::Why, true) => Pane::Memories,
        (_, true) => Pane::Sessions,
        (Pane::Sessions | Pane::Filters | Pane::Health, false) => Pane::Memories,
        (_, false) => Pane::Detail,
    };
}
