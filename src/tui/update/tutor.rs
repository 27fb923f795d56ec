//! The tutor of the demo: five tasks in three minutes, ticked off as they are done. Keys work as usual.

use super::search_query;
use crate::tui::state::app::{App, Pane};
use crate::usecase::{ChangeReport, HistoryEffect};

/// On a lower screen, its rows would leave no room for the list.
const LOWEST: u16 = 12;

pub fn toggle(app: &mut App) {
    if app.demo.is_none() {
        return app.say("The tutor works with the demo: palimp --demo");
    }
    if app.size.1 < LOWEST {
        return app.say(format!("The tutor needs a screen of {LOWEST} rows."));
    }
    app.tutor.is_shown = !app.tutor.is_shown;
}

pub fn look(app: &mut App) {
    if !app.tutor.is_shown {
        return;
    }
    let asks = app.query.to_lowercase().contains("retr") && app.prompt.is_none();
    app.tutor.done[0] |= asks && !app.results.hits.is_empty() && search_query::check_query(app).is_ok();
    app.tutor.done[1] |= app.tutor.done[0] && app.focus == Pane::Why;
}

pub fn changed(app: &mut App, changed: &ChangeReport) {
    if !app.tutor.is_shown {
        return;
    }
    let said = changed.said.to_lowercase();
    app.tutor.done[2] |= matches!(changed.effect, HistoryEffect::Made) && said.contains("need no key");
    app.tutor.done[3] |= app.tutor.done[2] && matches!(changed.effect, HistoryEffect::Undone);
    app.tutor.done[4] |= said.contains("rollback steps") || said.starts_with("restored");
}
