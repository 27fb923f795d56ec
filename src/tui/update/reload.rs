//! Reads the stores again.

use std::sync::Arc;

use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::work::Job;

/// Returns the effect that reads the stores again at once.
pub fn load_now(app: &App) -> Effect {
    load(app, true)
}

/// Reads the stores again, because a change of the user ended.
pub fn load_after_change(app: &mut App) {
    app.changes.ended += 1;
    app.push_effect(load_now(app));
}

/// Returns the effect that reads the stores again, when there is time, because other programs changed them.
pub fn load_later(app: &App) -> Effect {
    load(app, false)
}

fn load(app: &App, is_urgent: bool) -> Effect {
    let previous = Arc::clone(&app.snapshot);
    Effect::Job(Job::Load {
        places: app.places.clone(),
        previous,
        data: app.data.clone(),
        is_urgent,
        changes: app.changes.ended,
        now: app.now,
    })
}
