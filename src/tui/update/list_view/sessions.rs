//! The sessions of two memories that are compared, side by side.

use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::tui::list_view::Row;
use crate::tui::update::references;

/// Opens the sessions of the two memories that are compared.
pub fn open(app: &mut App) {
    let Some(own) = &app.compare else { return };
    let pair = own.both.map(|at| App::identity(&own.snapshot, at));
    if pair.iter().any(|own| own.session.is_none()) {
        return app.say("Only memories of sessions have sessions to compare: = goes back.");
    }
    if pair[0].root == pair[1].root && pair[0].session == pair[1].session {
        return app.say("Both memories are of one session. Mark two of different sessions to compare these.");
    }
    super::open(app, Screen::Sessions);
    if app.screen == Screen::Sessions {
        app.view.pair = Some(pair);
        super::renew(app, None);
    }
}

/// Does an action of the view; whether it has one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.view.row()) {
        (Action::Open, Some(Row::Side(_, at))) if !app.view.inside => references::open_memory(app, at),
        (Action::Difference, _) => app.screen = Screen::Browse,
        _ => return false,
    }
    true
}
