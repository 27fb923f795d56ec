//! Opens a list view.

use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_view::ListView;
use crate::tui::update::list_view::problems;
use crate::tui::update::list_view::row_refresh::{ask, cursor_key, renew};
use crate::usecase::budgets;
use crate::work::Inspect;

/// Opens a view in its initial state, and starts to read it.
pub fn open(app: &mut App, screen: Screen) {
    if app.places.is_empty() {
        return app.say("No store is open.");
    }
    let needs_all = !matches!(screen, Screen::Problems | Screen::New);
    if needs_all && !app.is_whole() {
        return app.say("The stores are still being read.");
    }
    let under = app.selected().filter(|_| app.screen == Screen::Memories);
    app.list_view = ListView::default();
    app.screen = screen;
    app.opened_from = None;
    renew(app, None);
    if let Some(at) = under.filter(|_| screen == Screen::Problems) {
        problems::go_to(app, at);
    }
    refresh(app)
}

/// Starts to read what the open view shows, from the present stores.
pub fn refresh(app: &mut App) {
    let what = match app.screen {
        Screen::Backups => Inspect::Backups,
        Screen::Upkeep => Inspect::Upkeep(app.ranking),
        Screen::Journal => Inspect::Journal,
        Screen::Secrets => Inspect::Secrets,
        Screen::Loaded => {
            let held = cursor_key(app);
            app.list_view.budgets = budgets(&app.snapshot, app.now);
            renew(app, held);
            // Without a folder of its own data palimp reads no more than the stores.
            if app.data.is_none() {
                return;
            }
            Inspect::Instructions(app.home.clone())
        }
        _ => return,
    };
    ask(app, what)
}
