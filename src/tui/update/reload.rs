//! Reads the stores again.

use std::sync::Arc;

use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::work::Job;

pub fn load_now(app: &App) -> Effect {
    load(app, true)
}

pub fn load_after_change(app: &mut App) {
    app.changes.ended += 1;
    app.push_effect(load_now(app));
}

/// Returns the effect that reads the stores again: at once, or when there is time, because other programs changed them.
pub fn load(app: &App, is_urgent: bool) -> Effect {
    Effect::Job(Job::Load {
        places: app.places.clone(),
        previous: Arc::clone(&app.snapshot),
        data: app.data.clone(),
        is_urgent,
        changes: app.changes.ended,
        now: app.now,
    })
}
