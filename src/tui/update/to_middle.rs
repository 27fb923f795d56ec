//! The action `to the middle`: scrolls so that the cursor of the list is in the middle.

use crate::tui::layout;
use crate::tui::state::app::{App, Pane};

pub fn to_middle(app: &mut App) {
    let rows = layout::rows(app, Pane::Memories);
    app.list_cursor.is_held = false;
    app.list_cursor.top = app.list_cursor.at.saturating_sub(rows / 2);
}
