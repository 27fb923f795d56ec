//! Asks why a memory ranks where it does, unless that is known.

use std::sync::Arc;

use crate::tui::state::app::App;
use crate::work::{Job, SearchRequest};

pub fn ask(app: &mut App) {
    let Some(at) = app.selected() else { return };
    app.why = app.why.take().filter(|why| why.at == at && Arc::ptr_eq(&why.snapshot, &app.listed_snapshot));
    if app.why.is_none() {
        let asked = SearchRequest { snapshot: Arc::clone(&app.listed_snapshot), ..app.search_request() };
        app.give_job(Job::Explain(asked, at));
    }
}
