//! What came since the last visit: what agents wrote and nobody has looked at.

use super::filter;
use crate::model::{EntryRef, Moment, Tell};
use crate::tui::app::{App, DEMO, Pane, Screen};
use crate::tui::msg::Effect;

/// More than so many are not counted one by one.
pub const MOST: usize = 1_000;

/// Whether a memory is new: written since its store was last seen, and not in the future.
pub fn is_new(app: &App, at: EntryRef) -> bool {
    let (store, entry) = app.listed.get(at);
    let seen = app.visits.seen(&store.root);
    let created = store.view(entry).and_then(|view| view.created);
    matches!((seen, created), (Some(seen), Some(created)) if created > seen && created <= app.now)
}

/// How many there are, over all stores.
pub fn count(app: &App) -> usize {
    let stores = app.snapshot.stores.iter().zip(&app.tallies);
    stores
        .map(|(store, tally)| {
            let Some(seen) = app.visits.seen(&store.root) else { return 0 };
            tally.newest.iter().filter(|(created, _)| *created > seen && *created <= app.now).count()
        })
        .sum()
}

/// Shows them: those since the earliest of the visits, newest first.
pub fn show(app: &mut App) {
    app.screen = if app.places.is_empty() { Screen::Welcome } else { Screen::Browse };
    app.focus = Pane::Memories;
    let seen = app.snapshot.stores.iter().filter_map(|store| app.visits.seen(&store.root)).min();
    match seen {
        Some(seen) => filter::ask(app, format!("since:{}", seen.plus(1).to_rfc3339())),
        None => app.say("Nothing is new: this is the first visit."),
    }
}

/// Nothing is new any more.
pub fn all_seen(app: &mut App) {
    let before = app.visits.clone();
    let roots: Vec<_> = app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    app.visits.see(&roots, app.now, false);
    if app.visits == before {
        return;
    }
    app.say("All memories are seen.");
    app.give(Effect::KeepVisits);
}

/// A first visit begins now; of stores that were read before, what just came is told.
pub fn arrived(app: &mut App, before: Option<Moment>) {
    let roots: Vec<_> = app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    let known = app.visits.clone();
    app.visits.see(&roots, app.now, true);
    if app.visits != known {
        app.give(Effect::KeepVisits);
    }
    let newest = newest(app);
    let (Some(before), Some((created, at))) = (before, newest) else { return };
    if created <= before || created > app.now {
        return;
    }
    let store = &app.snapshot.stores[at.store as usize];
    let entry = &store.entries[at.entry as usize];
    let agent = store.view(entry).and_then(|view| view.facets.iter().find(|(name, _)| *name == "agent"));
    let who = agent.map_or("An agent", |(_, agent)| agent).to_owned();
    let title = crate::format::title(store, entry);
    let file = store.document(entry).path.told().into_owned();
    let said = format!("+ {who} wrote: {title}  {} {file}", app.store_name(at.store as usize));
    if app.notice.as_deref().is_none_or(|notice| notice == DEMO) {
        app.say(said);
    }
}

/// The memory that was written last.
pub fn newest(app: &App) -> Option<(Moment, EntryRef)> {
    let stores = app.tallies.iter().enumerate();
    let each = stores.filter_map(|(number, tally)| {
        let (created, entry) = *tally.newest.iter().find(|(created, _)| *created <= app.now)?;
        Some((created, EntryRef { store: number as u32, entry }))
    });
    each.max_by_key(|(created, _)| *created)
}
