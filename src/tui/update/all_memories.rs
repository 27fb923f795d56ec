//! The action `all memories`: goes to the list of memories.

use crate::tui::state::app::{App, Screen};

pub fn open(app: &mut App) {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Memories };
}
