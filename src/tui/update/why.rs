//! The action `why`: shows why a memory ranks where it does.

use std::sync::Arc;

use crate::tui::state::app::{App, Pane};
use crate::tui::update::pane_focus;
use crate::work::{Job, SearchRequest};

/// Focuses the pane of reasons, or closes it if it has the focus already.
pub fn toggle(app: &mut App) {
    let pane = if app.focus == Pane::Why { Pane::Memories } else { Pane::Why };
    pane_focus::give(app, pane);
}

/// Asks for the reasons, unless they are known.
pub fn ask(app: &mut App) {
    let Some(at) = app.selected() else { return };
    app.why = app.why.take().filter(|why| why.at == at && Arc::ptr_eq(&why.snapshot, &app.listed_snapshot));
    if app.why.is_none() {
        let asked = SearchRequest { snapshot: Arc::clone(&app.listed_snapshot), ..app.search_request() };
        app.give_job(Job::Explain(asked, at));
    }
}
