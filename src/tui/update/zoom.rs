//! The action `zoom`.

use crate::tui::layout;
use crate::tui::state::app::{App, Pane, ReadingView};
use crate::tui::update::reading;

/// Shows one pane alone, or all again.
pub fn zoom(app: &mut App) {
    if layout::is_single(app) {
        app.say("This pane has the whole screen already.");
    } else if app.is_reading() {
        (app.reading, app.zoomed) = (ReadingView::No, false);
    } else if app.focus == Pane::Detail && !app.zoomed {
        reading::open(app, ReadingView::FromList);
    } else {
        app.zoomed = !app.zoomed;
    }
}
