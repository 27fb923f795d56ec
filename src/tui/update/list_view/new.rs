//! New memories: the keys of their view, and the notice that announces them.

use std::collections::HashSet;

use crate::model::{EntryRef, Moment, PathText, Store};
use crate::tui::action::Action;
use crate::tui::list_view::new::{field, is_by_file, is_unseen};
use crate::tui::message::Effect;
use crate::tui::state::app::{App, DEMO_NOTICE};
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::{fit, safe, width};
use crate::tui::update::list_view::seen;
use crate::tui::update::reference_go_back;

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.list_view.row()) {
        (Action::Seen, _) => seen::seen(app),
        (Action::AllSeen, _) => seen::all_seen(app),
        (Action::Undo, _) => seen::undo(app),
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
    seen::note_shared(app, true);
    seen::see_written(app, unseen);
    if app.visits != known {
        seen::write(app);
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
        let said = told(app, &who, &title, &place);
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

/// Removes the notice about a new memory after its time.
pub fn was_told(app: &mut App) {
    let brief = app.brief_notice.take();
    if brief.is_some() && app.notice == brief {
        app.notice = None;
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
