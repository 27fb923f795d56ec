//! The action `secrets`: lists the memories that look as if they hold a secret.

use super::search_query;
use crate::tui::state::app::{App, Pane, Screen};

pub(super) fn secrets(app: &mut App) {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Memories };
    app.focus = Pane::Memories;
    search_query::set_query(app, "is:sensitive".into());
}
