//! The action `secrets`: lists the memories that look as if they hold a secret.

use super::{all_memories, search_query};
use crate::tui::state::app::{App, Pane};

pub(super) fn secrets(app: &mut App) {
    all_memories::open(app);
    app.focus = Pane::Memories;
    search_query::set_query(app, "is:sensitive".into());
}
