//! Which pane has the focus, and what is unfolded: the actions for panes, `zoom`, `next tab`, `fold` and `why`.

use std::sync::Arc;

use crate::tui::state::app::{App, Pane, ReadingView, Screen};
use crate::tui::update::reference_go_back;
use crate::tui::{layout, store_tree};
use crate::work::{Job, SearchRequest};

const ROUND: [Pane; 5] = [Pane::Sessions, Pane::Filters, Pane::Health, Pane::Memories, Pane::Detail];

pub fn give(app: &mut App, pane: Pane) {
    app.focus = pane;
    app.screen = Screen::Memories;
}

/// Focuses the next or previous pane, around the ends.
pub fn round(app: &mut App, ahead: bool) {
    let by = if ahead { 1 } else { ROUND.len() - 1 };
    let at = ROUND.iter().position(|pane| *pane == app.focus).unwrap_or(ROUND.len() - 1);
    app.focus = ROUND[(at + by) % ROUND.len()];
}

/// Focuses the pane to the left or right. In the tree of stores, the key folds or unfolds first.
pub fn side(app: &mut App, left: bool) {
    if app.focus == Pane::Sessions && app.screen == Screen::Memories && store_tree::fold(app, left) {
        return;
    }
    app.focus = match (app.focus, left) {
        (Pane::Detail | Pane::Why, true) => Pane::Memories,
        (_, true) => Pane::Sessions,
        (Pane::Sessions | Pane::Filters | Pane::Health, false) => Pane::Memories,
        (_, false) => Pane::Detail,
    };
}

/// Shows one pane alone, or all again.
pub fn zoom(app: &mut App) {
    if layout::is_single(app) {
        app.say("This pane has the whole screen already.");
    } else if app.is_reading() {
        (app.reading, app.zoomed) = (ReadingView::No, false);
    } else if app.focus == Pane::Detail && !app.zoomed {
        reference_go_back::read(app, ReadingView::FromList);
    } else {
        app.zoomed = !app.zoomed;
    }
}

pub fn fold(app: &mut App) {
    match app.focus {
        Pane::Sessions => {
            let _ = store_tree::fold(app, false) || store_tree::fold(app, true);
        }
        Pane::Filters => app.unfolded.all_filters = !app.unfolded.all_filters,
        _ => {
            app.unfolded.all_facts = !app.unfolded.all_facts;
            app.detail_key = None;
        }
    }
}

pub fn fold_all(app: &mut App, folds: bool) {
    app.unfolded.fold(app.snapshot.stores.iter().map(|store| &store.root), folds);
    store_tree::renew(app);
}

/// Asks for the reasons, unless they are known.
pub fn ask_why(app: &mut App) {
    let Some(at) = app.selected() else { return };
    app.why = app.why.take().filter(|why| why.at == at && Arc::ptr_eq(&why.snapshot, &app.listed_snapshot));
    if app.why.is_none() {
        let asked = SearchRequest { snapshot: Arc::clone(&app.listed_snapshot), ..app.search_request() };
        app.give_job(Job::Explain(asked, at));
    }
}
