//! The sessions of two compared memories, side by side.

use crate::tui::action::Action;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_row::ListRow;
use crate::tui::update::reference_go_back;

pub fn open(app: &mut App) {
    let Some(own) = &app.difference else { return };
    let pair = own.memories.map(|at| App::identity(&own.snapshot, at));
    if pair.iter().any(|own| own.session.is_none()) {
        return app.say("Only memories of sessions have sessions to compare: = goes back.");
    }
    if pair[0].root == pair[1].root && pair[0].session == pair[1].session {
        return app.say("Both memories are of one session. Mark two of different sessions to compare these.");
    }
    crate::tui::update::list_view::open_view::open(app, Screen::SessionPair);
    if app.screen == Screen::SessionPair {
        app.list_view.session_pair = Some(pair);
        crate::tui::update::list_view::row_refresh::renew(app, None);
    }
}

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.list_view.row()) {
        (Action::Open, Some(ListRow::Side(_, at))) if !app.list_view.in_details => {
            reference_go_back::open_memory(app, at)
        }
        (Action::Difference, _) => app.screen = Screen::Memories,
        _ => return false,
    }
    true
}
