//! The action `reload`: reads the stores again.

use super::job_results;
use crate::tui::app::App;

pub(super) fn reload(app: &mut App) {
    app.say("The stores are being read again.");
    app.push_effect(job_results::reload(app));
}
