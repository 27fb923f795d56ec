//! The action `open`: opens what is under the cursor.

use super::{action_dispatch, reading, reference_go_back, search_query};
use crate::tui::action::Action;
use crate::tui::health::{self, HealthLink};
use crate::tui::state::app::{App, Pane, ReadingView};
use crate::tui::update::toggle;

pub fn open(app: &mut App) {
    match app.focus {
        Pane::Detail if app.shown_tab().is_list() => reference_go_back::follow(app),
        Pane::Sessions => {
            toggle::keep_branch(app);
            app.focus = Pane::Memories;
        }
        Pane::Filters => toggle::toggle_line(app),
        Pane::Health => open_vital(app),
        _ => reading::open(app, ReadingView::FromList),
    }
}

/// Goes where a figure of the health pane leads.
pub(super) fn open_vital(app: &mut App) {
    let Some(row) = health::rows(app).into_iter().nth(app.health_cursor.at) else { return };
    match row.link {
        HealthLink::View(action) => action_dispatch::act(app, action),
        HealthLink::Problems(text) => {
            action_dispatch::act(app, Action::Problems);
            super::list_view::filter(app, text);
            app.list_view.list.cursor.at = 0;
        }
        HealthLink::Search(query) => search(app, query),
        HealthLink::Secrets => search(app, "is:sensitive"),
    }
}

fn search(app: &mut App, query: &str) {
    app.focus = Pane::Memories;
    search_query::set_query(app, query.into());
}
