//! New memories: the keys of their view, what was seen of them, and the notice that announces them.

use std::collections::HashSet;

use crate::model::{Entry, EntryRef, Moment, PathText, Store};
use crate::tui::action::Action;
use crate::tui::list_view::new::{count, is_by_file, is_unseen, name_of, shared_names};
use crate::tui::message::Effect;
use crate::tui::state::app::{App, DEMO_NOTICE};
use crate::tui::state::row_list::ListRow;
use crate::tui::theme::{fit, safe, width};
use crate::tui::update::list_view::change_request::aimed_in_list;
use crate::tui::update::list_view::row_refresh::{cursor_key, renew};
use crate::tui::update::reference_go_back;
use crate::tui::value_prompt::field;
use crate::usecase::{Visits, memory_count};
use crate::work::Job;

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.list_view.row()) {
        (Action::Seen, _) => seen(app),
        (Action::AllSeen, _) => all_seen(app),
        (Action::Undo, _) => undo_seen(app),
        (Action::Open, Some(ListRow::New(at))) if !app.list_view.in_details => {
            reference_go_back::open_memory(app, at)
        }
        _ => return false,
    }
    true
}

/// Begins the first visit of new stores. Announces the newest memory if it came since `before`. `unseen` are the names
/// of memories that were new before.
pub fn arrived(app: &mut App, before: Option<Moment>, unseen: &HashSet<String>) {
    let roots: Vec<_> = app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    let known = app.visits.clone();
    app.visits.see(&roots, app.now, true);
    note_shared(app, true);
    see_written(app, unseen);
    if app.visits != known {
        write(app);
    }
    // The time of a file is also that of older memories in it, and of what palimp wrote.
    let came = |store: &Store, entry: u32| {
        let has_time = store.entries.get(entry as usize).is_some_and(|entry| !is_by_file(store, entry));
        has_time || is_unseen(app, store, entry)
    };
    let Some(before) = before else { return };
    let Some((_, at)) = newest(app, before, came) else { return };
    let store = &app.snapshot.stores[at.store as usize];
    let entry = &store.entries[at.entry as usize];
    let agent = store.memory(entry).and_then(|view| field(view, "agent"));
    let who = agent.unwrap_or("An agent").to_owned();
    let title = crate::format::title(store, entry);
    let file = store.document(entry).path.to_text().into_owned();
    let place = format!("{} {file}", app.store_name(at.store as usize));
    if app
        .notice
        .as_deref()
        .is_none_or(|notice| notice == DEMO_NOTICE || app.brief_notice.as_deref() == Some(notice))
    {
        let said = told(app, &who, title.raw(), &place);
        app.brief_notice = Some(said.clone());
        app.say(said);
        if !app.reduced_motion {
            app.push_effect(Effect::HideNoticeSoon);
        }
    }
}

/// Returns the notice about a new memory, in one row, so that nothing else moves. It always says
/// who wrote and where; the title gets the rest.
fn told(app: &App, who: &str, title: &str, place: &str) -> String {
    let [who, title, place] = [who, title, place].map(|text| safe(app, text));
    let room = usize::from(app.size.0.saturating_sub(2));
    let others = width(&who) + width(&place) + "+  wrote:   ".len();
    match room.saturating_sub(others) {
        left if left < 8 => fit(&format!("+ {who} in {place}"), room),
        left => format!("+ {who} wrote: {}  {place}", fit(&title, left)),
    }
}

/// Returns the wanted memory that was written last, after a time, but not in the future.
pub fn newest(
    app: &App,
    after: Moment,
    is_wanted: impl Fn(&Store, u32) -> bool,
) -> Option<(Moment, EntryRef)> {
    let stores = app.snapshot.stores.iter().zip(&app.tallies).zip(0..);
    let each = stores.filter_map(|((store, tally), number)| {
        let later = tally.newest.iter().take_while(|(written, _)| *written > after);
        let mut wanted = later.filter(|(written, entry)| *written <= app.now && is_wanted(store, *entry));
        wanted.next().map(|(written, entry)| (*written, EntryRef { store: number, entry: *entry }))
    });
    each.max_by_key(|(written, _)| *written)
}

/// Marks as seen: the marked memories, or the one under the cursor.
pub fn seen(app: &mut App) {
    let rows = aimed_in_list(app);
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
fn note_shared(app: &mut App, only_new: bool) {
    for store in app.snapshot.stores.iter().filter(|store| store.has_file_times) {
        app.visits.note_shared(&store.root, only_new, || shared_names(store));
    }
}

/// Marks as seen what palimp wrote itself, except memories with these names: they were new before.
fn see_written(app: &mut App, unseen: &HashSet<String>) {
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
fn undo_seen(app: &mut App) {
    let Some(before) = app.list_view.seen_before.pop() else {
        return app.say("Nothing was marked as seen in this view, so nothing is undone.");
    };
    let key = cursor_key(app);
    app.visits = before;
    app.say("What was marked as seen last is new again.");
    write(app);
    renew(app, key);
}

/// Saves what is seen, and remembers the former state for undo.
fn keep(app: &mut App, before: Visits) {
    let key = cursor_key(app);
    app.list_view.seen_before.push(before);
    app.list_view.list.marks.clear();
    write(app);
    renew(app, key);
}

/// Saves up to when each store was seen, unless nothing may be written.
pub fn write(app: &mut App) {
    if let Some(data) = app.data.clone().filter(|_| !app.readonly) {
        app.give_job(Job::KeepVisits { visits: app.visits.clone(), data });
    }
}
