//! Goes from memory to memory along references and back, and from a row of a view to its memory and back. One memory can
//! have the whole screen, to be read.

use crate::model::{EntryLink, EntryRef, Snapshot, State};
use crate::tui::action::Action;
use crate::tui::key_lookup::KeyMeaning;
use crate::tui::state::app::{App, MemoryIdentity, Pane, ReadingView, Screen, Tab, TrailStep, return_view};
use crate::tui::update::list_view::row_refresh;
use crate::tui::update::{search_query, select_memory, statistics};

/// Follows the reference under the cursor. Outside the list of references, follows the only
/// outgoing one, or opens that list if there are several.
pub fn follow(app: &mut App) {
    let Some(at) = app.selected() else { return };
    if app.shown_tab().is_list() && app.focus == Pane::Detail {
        if let Some(tie) = app.ties.get(app.tie_cursor.at).cloned() {
            along(app, at, &tie);
        }
        return;
    }
    let store = app.listed_snapshot.get(at).0;
    let ties = app.listed_snapshot.references().links_of(store, at);
    let out: Vec<&EntryLink> = ties.iter().filter(|tie| tie.outward).collect();
    match out.as_slice() {
        [] => app.say("This memory refers to no other."),
        [only] => along(app, at, &(*only).clone()),
        several => {
            app.say(format!("{} references: Enter follows one.", several.len()));
            app.tab = Tab::References;
            app.focus = Pane::Detail;
            app.tie_cursor = Default::default();
        }
    }
}

fn along(app: &mut App, from: EntryRef, tie: &EntryLink) {
    let Some(to) = tie.other else {
        return app.say(format!("Nothing in this store is called {}.", tie.name));
    };
    let step = TrailStep { memory: App::identity(&app.listed_snapshot, from), query: app.query.clone() };
    app.reference_trail.push(step);
    let sought = App::identity(&app.listed_snapshot, to);
    let state = app.listed_snapshot.get(to).1.state;
    show_memory(app, sought, state)
}

/// Goes back to where the last reference was followed from, with the search of that time.
pub fn go_back(app: &mut App) {
    let Some(step) = app.reference_trail.pop() else { return app.say("There is nothing to go back to.") };
    app.tie_cursor = Default::default();
    if step.query == app.query {
        if !select_memory::select_identity(app, &step.memory) {
            app.say("What was followed from is no longer there.");
        }
        return;
    }
    app.awaited_memory = Some(step.memory);
    search_query::set_query(app, step.query)
}

/// Puts the cursor on a memory. A search that hides it is replaced.
pub fn show_memory(app: &mut App, sought: MemoryIdentity, state: State) {
    app.tie_cursor = Default::default();
    if select_memory::select_identity(app, &sought) {
        return;
    }
    app.awaited_memory = Some(sought);
    app.say("The search was lifted to show it; Ctrl-o brings it back.");
    let query = match state {
        State::Live | State::Broken => String::new(),
        aside => format!("is:{}", aside.as_str()),
    };
    search_query::set_query(app, query)
}

pub fn open_memory(app: &mut App, at: EntryRef) {
    let snapshot = std::sync::Arc::clone(&app.snapshot);
    open_memory_of(app, &snapshot, at);
}

/// Opens a memory of the stores as a view has read them, to be read.
pub fn open_memory_of(app: &mut App, snapshot: &Snapshot, at: EntryRef) {
    let state = snapshot.get(at).1.state;
    let sought = App::identity(snapshot, at);
    let is_other_search = leave_view(app, |app| show_memory(app, sought, state));
    read(app, ReadingView::FromView);
    if is_other_search {
        app.say("The search was lifted to show it; Esc goes back.");
    }
}

/// Goes to the memories, and remembers the way back to the open view. True if the search changed.
pub fn leave_view(app: &mut App, go: impl FnOnce(&mut App)) -> bool {
    let view = std::mem::replace(&mut app.screen, Screen::Memories);
    app.focus = Pane::Memories;
    let before = app.query.clone();
    go(app);
    let is_other = before != app.query;
    app.opened_from = Some((view, before, app.query.clone()));
    is_other
}

/// Returns to the view that the memory was opened from. False if there is none, or if the search changed.
pub fn back_to_view(app: &mut App) -> bool {
    let Some(view) = return_view(app) else { return false };
    let Some((_, before, _)) = app.opened_from.take() else { return false };
    app.screen = view;
    let key = row_refresh::cursor_key(app);
    row_refresh::renew(app, key);
    statistics::recount(app);
    // What was done with the memory changes what is due.
    if view == Screen::Upkeep {
        row_refresh::refresh(app);
    }
    if before != app.query {
        search_query::set_query(app, before);
    }
    true
}

/// Opens the memory under the cursor. Esc leads back to where it was opened from.
pub fn read(app: &mut App, from: ReadingView) {
    if app.selected().is_none() && app.awaited_memory.is_none() {
        return app.say("There is nothing here to open.");
    }
    app.focus = Pane::Detail;
    if app.reading == ReadingView::No || from == ReadingView::FromView {
        app.reading = from;
    }
}

/// Returns the meaning that a key has while a memory is read: some lead to the next memory, or back.
pub fn meaning_while_reading(app: &App, usual: KeyMeaning) -> KeyMeaning {
    match &usual {
        KeyMeaning::Waiting(keys) if app.is_reading() && keys == "]" => KeyMeaning::Act(Action::NextMatch),
        KeyMeaning::Waiting(keys) if app.is_reading() && keys == "[" => {
            KeyMeaning::Act(Action::PreviousMatch)
        }
        KeyMeaning::Act(Action::DropFilter) if app.is_reading() => KeyMeaning::Act(Action::Back),
        _ => usual,
    }
}
