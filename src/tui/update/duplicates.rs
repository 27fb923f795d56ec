//! The action `duplicates`: it lists what it picks from the results of the search.

use std::collections::HashSet;

use super::search_query;
use crate::model::EntryRef;
use crate::query::ResultPick;
use crate::tui::state::app::{App, Pane, Screen};

/// Lists what is picked from the results of the search, and marks some of it.
pub fn pick(app: &mut App, pick: &'static ResultPick) {
    let can = match app.is_whole() && !app.places.is_empty() {
        true => search_query::check_query(app),
        false => Err("The stores are still being read.".into()),
    };
    if let Err(why) = can {
        return app.say(why);
    }
    (app.screen, app.focus) = (Screen::Memories, Pane::Memories);
    (app.marks.only_marked, app.marks.pick, app.marks.marks_pick) = (false, Some(pick), true);
    app.marks.range = None;
    app.say("Looking …");
    search_query::search_again(app)
}

/// Marks what is picked. If it is picked again after other programs changed memories, another
/// memory of a group may be the one to keep: it loses its mark, and no memory gets a new mark.
pub fn picked(app: &mut App) {
    let Some(picked) = &app.results.picked else { return };
    if std::mem::take(&mut app.marks.marks_pick) {
        picked.marked.iter().for_each(|at| app.marks.set(*at, true));
        app.notice = Some(picked.summary.clone());
        return;
    }
    if picked.marked.is_empty() {
        return;
    }
    let marked: HashSet<EntryRef> = picked.marked.iter().copied().collect();
    for hit in app.results.hits.iter().filter(|hit| !marked.contains(&hit.at)) {
        app.marks.set(hit.at, false);
    }
}
