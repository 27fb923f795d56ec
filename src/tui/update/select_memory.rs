//! Puts the cursor of the list on a memory.

use std::collections::HashMap;

use crate::model::{EntryRef, NameKind};
use crate::tui::state::app::{App, MemoryIdentity};

pub fn select(app: &mut App, to: usize) {
    if app.list_cursor.at != to {
        app.detail_top = 0;
        app.tie_cursor = Default::default();
    }
    app.list_cursor.at = to;
    app.list_cursor.is_held = false;
}

/// Puts the cursor on a memory: the one with its key, or else with its id. False if none is listed.
pub fn select_identity(app: &mut App, sought: &MemoryIdentity) -> bool {
    let Some(number) = app.listed_snapshot.stores.iter().position(|store| store.root == sought.root) else {
        return false;
    };
    let store = &app.listed_snapshot.stores[number];
    let same = |at: &EntryRef| {
        let entry = &store.entries[at.entry as usize];
        store.session(entry).map(|session| session.name.as_str()) == sought.session.as_deref()
            && store.memory(entry).and_then(|memory| memory.id()) == sought.id.as_deref()
    };
    let exact = store.entry_of_key(&sought.key).map(|entry| EntryRef { store: number as u32, entry });
    let named = sought
        .id
        .as_ref()
        .map(|id| app.listed_snapshot.references().named(store, number as u32, NameKind::Record, id));
    let candidates = named.into_iter().flatten().chain(exact).filter(same);
    let wanted: HashMap<EntryRef, bool> = candidates.map(|at| (at, Some(at) != exact)).collect();
    let listed = app.results.hits.iter().enumerate();
    let places = listed.filter_map(|(place, hit)| Some((*wanted.get(&hit.at)?, place)));
    let place = places.min().map(|(_, place)| place);
    place.inspect(|place| select(app, *place)).is_some()
}

/// Puts the cursor on a memory of the listed snapshot. False if the list does not have it.
pub fn go_to(app: &mut App, at: EntryRef) -> bool {
    let place = app.results.hits.iter().position(|hit| hit.at == at);
    place.inspect(|place| select(app, *place)).is_some()
}
