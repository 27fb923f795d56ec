//! The actions `seen` and `all seen`: they mark new memories as seen.

use std::collections::HashSet;

use crate::model::{Entry, EntryRef};
use crate::tui::list_view::new::{count, name_of, shared_names};
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::update::list_view::change_request::aimed;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew};
use crate::usecase::{Visits, memory_count};
use crate::work::Job;

/// Marks as seen: the marked memories, or the one under the cursor.
pub fn seen(app: &mut App) {
    let rows = if app.list_view.in_details { app.list_view.row().into_iter().collect() } else { aimed(app) };
    let at: Vec<EntryRef> =
        rows.into_iter().filter_map(|row| if let ListRow::New(at) = row { Some(at) } else { None }).collect();
    if at.is_empty() {
        return app.say("There is nothing new here.");
    }
    let before = app.visits.clone();
    for own in &at {
        let store = &app.snapshot.stores[own.store as usize];
        app.visits.see_one(&store.root, name_of(store, own.entry));
    }
    app.say(match at.as_slice() {
        [one] => format!("{} is seen.", App::quoted_title(&app.snapshot, *one)),
        several => format!("{} memories are seen.", several.len()),
    });
    keep(app, before);
}

pub fn all_seen(app: &mut App) {
    let count = count(app);
    if count == 0 {
        return app.say("Nothing is new, so nothing was changed.");
    }
    let before = app.visits.clone();
    let roots: Vec<_> = app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    app.visits.see(&roots, app.now, false);
    note_shared(app, false);
    app.say(format!("All {} are seen.", memory_count(count)));
    keep(app, before);
}

/// Notes which memories share the time of a file. If it changes, only its other memories are new.
pub fn note_shared(app: &mut App, only_new: bool) {
    for store in app.snapshot.stores.iter().filter(|store| store.has_file_times) {
        app.visits.note_shared(&store.root, only_new, || shared_names(store));
    }
}

/// Marks as seen what palimp wrote itself, except memories with these names: they were new before.
pub fn see_written(app: &mut App, unseen: &HashSet<String>) {
    for (store, tally) in app.snapshot.stores.iter().zip(&app.tallies) {
        let seen = app.visits.seen(&store.root).unwrap_or(app.now);
        let is_later = |entry: &Entry| {
            let is_as_left = tally.as_palimp_left.binary_search(&entry.document).is_ok();
            is_as_left && store.time_of(entry).is_some_and(|time| time.is_of_file() && time.at > seen)
        };
        // Most stores have no such file.
        let entries = (0..).zip(&store.entries).filter(|_| !tally.as_palimp_left.is_empty());
        let names = entries.filter(|(_, entry)| is_later(entry)).map(|(number, _)| name_of(store, number));
        names.filter(|name| !unseen.contains(name)).for_each(|name| app.visits.see_one(&store.root, name));
    }
}

/// Makes new again what was marked as seen last.
pub fn undo(app: &mut App) {
    let Some(before) = app.list_view.seen_before.pop() else {
        return app.say("Nothing was marked as seen in this view, so nothing is undone.");
    };
    let held = cursor_key(app);
    app.visits = before;
    app.say("What was marked as seen last is new again.");
    write(app);
    renew(app, held);
}

/// Saves what is seen, and remembers the former state for undo.
fn keep(app: &mut App, before: Visits) {
    let held = cursor_key(app);
    app.list_view.seen_before.push(before);
    app.list_view.list.marks.clear();
    write(app);
    renew(app, held);
}

/// Saves up to when each store was seen, unless nothing may be written.
pub fn write(app: &mut App) {
    if let Some(data) = app.data.clone().filter(|_| !app.readonly) {
        app.give_job(Job::KeepVisits { visits: app.visits.clone(), data });
    }
}
