//! Handles keys that came before what they need was read.

use crate::tui::state::app::App;
use crate::tui::update::queued_keys::awaited;
use crate::tui::update::{keep_in_view, key_pressed};

/// Presses the queued keys once they need not wait.
pub fn replay_keys(app: &mut App) {
    let waits = |app: &App| app.queued_action.is_some_and(|action| awaited(app, action).is_some());
    if app.queued_keys.is_empty() || waits(app) {
        return;
    }
    for key in std::mem::take(&mut app.queued_keys) {
        keep_in_view(app);
        key_pressed(app, key);
    }
}
