//! Goes from memory to memory along references and back, and from a row of a view to its memory and back.

use crate::tui::update::select_memory;
use ratatui::text::Line;

use super::{list_view, search_query, statistics};
use crate::model::{EntryLink, EntryRef, State};
use crate::tui::app::{App, MemoryIdentity, Pane, Screen, Tab, TrailStep};
use crate::tui::list_view::problems;
use crate::tui::theme::{self, Theme};

/// Returns a line for each reference from or to a memory.
pub fn lines(app: &App, at: EntryRef, ties: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    if app.listed_snapshot.get(at).0.view(app.listed_snapshot.get(at).1).is_none() {
        return vec![Line::styled("A broken line refers to nothing.", theme.dim())];
    }
    if ties.is_empty() {
        return vec![Line::styled("Refers to nothing, and nothing refers to it.", theme.dim())];
    }
    let line = |tie: &EntryLink| {
        let arrow = if tie.outward { "→" } else { "←" };
        let name = if tie.name.is_empty() { "(no id)" } else { &tie.name };
        let what = match tie.other {
            Some(other) => super::detail::title_of(app, other),
            None => "⚠ not in this store".to_owned(),
        };
        Line::from(theme::fit(
            &theme::safe(app, &format!("{arrow} {name}  {what}  ({})", tie.relation)),
            width,
        ))
    };
    ties.iter().map(line).collect()
}

/// Returns a line for each event of a memory's trace: the time after the first event, and the title.
pub fn timeline(app: &App, at: EntryRef, events: &[EntryLink], width: usize) -> Vec<Line<'static>> {
    let created = |event: EntryRef| {
        let (store, entry) = app.listed_snapshot.get(event);
        store.view(entry).and_then(|view| view.created)
    };
    let first = events.first().and_then(|tie| created(tie.other?));
    let line = |tie: &EntryLink| {
        let Some(event) = tie.other else { return Line::default() };
        let mark = if event == at { "●" } else { "│" };
        let after = match (first, created(event)) {
            (Some(first), Some(when)) => after((when.0 - first.0).max(0)),
            _ => "?".into(),
        };
        let what = super::detail::title_of(app, event);
        Line::from(theme::fit(&theme::safe(app, &format!("{mark} {after:>9}  {what}")), width))
    };
    events.iter().map(line).collect()
}

/// Formats microseconds since the first event.
fn after(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    match seconds {
        ..100.0 => format!("+{seconds:.3} s"),
        ..6_000.0 => format!("+{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("+{:.1} h", seconds / 3_600.0),
        _ => format!("+{:.1} d", seconds / 86_400.0),
    }
}

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

/// Opens the memory of the problem under the cursor.
pub fn open_problem(app: &mut App) {
    let Some((store, problem)) = problems::selected(app) else { return };
    match problems::entry(&app.snapshot, store, problem) {
        Some(at) => open_memory(app, at),
        None => app.say("This problem is about the file, not about one memory."),
    }
}

/// Opens the memory of a row of a view.
pub fn open_memory(app: &mut App, at: EntryRef) {
    let state = app.snapshot.get(at).1.state;
    let sought = App::identity(&app.snapshot, at);
    if leave_view(app, |app| show_memory(app, sought, state)) {
        app.say("The search was lifted to show it; Esc goes back.");
    }
}

/// Lists the memories of a day of the statistics.
pub fn open_search(app: &mut App, query: String) {
    leave_view(app, |app| search_query::set_query(app, query));
}

/// Goes to the memories, and remembers the way back to the open view. True if the search changed.
fn leave_view(app: &mut App, go: impl FnOnce(&mut App)) -> bool {
    let view = std::mem::replace(&mut app.screen, Screen::Memories);
    app.focus = Pane::Memories;
    let before = app.query.clone();
    go(app);
    let is_other = before != app.query;
    app.opened_from = Some((view, before, app.query.clone()));
    is_other
}

/// Returns the view that Esc leads back to, if the list was opened from it and the search is the same.
pub fn return_view(app: &App) -> Option<Screen> {
    let marks = &app.marks;
    let is_all = marks.range.is_none() && !marks.only_marked && marks.pick.is_none();
    let is_there = app.focus == Pane::Memories && is_all;
    let (view, _, shown) = app.opened_from.as_ref()?;
    (is_there && *shown == app.query).then_some(*view)
}

/// Returns to the view that the memory was opened from. False if there is none, or if the search changed.
pub fn back_to_view(app: &mut App) -> bool {
    let Some(view) = return_view(app) else { return false };
    let Some((_, before, _)) = app.opened_from.take() else { return false };
    app.screen = view;
    let held = list_view::cursor_key(app);
    list_view::renew(app, held);
    statistics::recount(app);
    if before != app.query {
        search_query::set_query(app, before);
    }
    true
}
