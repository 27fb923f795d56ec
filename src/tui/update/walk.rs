//! Moving through lists, references and problems.

use super::filter;
use crate::model::EntryRef;
use crate::tui::action::Action;
use crate::tui::app::{App, Identity, Pane, Screen};
use crate::tui::layout;
use crate::tui::msg::Effect;

/// Moves the cursor of what has the keys.
pub fn go(app: &mut App, action: Action) {
    let page = page(app);
    let (at, len) = place(app);
    let to = match action {
        Action::Down => at.saturating_add(1),
        Action::Up => at.saturating_sub(1),
        Action::HalfPageDown => at.saturating_add(page / 2),
        Action::HalfPageUp => at.saturating_sub(page / 2),
        Action::PageDown => at.saturating_add(page),
        Action::PageUp => at.saturating_sub(page),
        Action::First => 0,
        Action::Last => len.saturating_sub(1),
        _ => return,
    };
    set(app, to.min(len.saturating_sub(1)));
}

fn page(app: &App) -> usize {
    let rows = match app.screen {
        Screen::Problems => usize::from(layout::frame(app).body.height).saturating_sub(2),
        _ => layout::rows(app, app.focus),
    };
    rows.saturating_sub(1).max(2)
}

fn place(app: &App) -> (usize, usize) {
    match (app.screen, app.focus) {
        (Screen::Problems, _) => (app.problem.at, app.problem_count()),
        (_, Pane::Sessions) => (app.branch.at, app.tree.len()),
        (_, Pane::Facets) => (app.facet.at, filter::facet_lines(app).len()),
        (_, Pane::Detail) => (app.detail_top, app.detail.len()),
        _ => (app.list.at, app.results.hits.len()),
    }
}

fn set(app: &mut App, to: usize) {
    match (app.screen, app.focus) {
        (Screen::Problems, _) => app.problem.at = to,
        (_, Pane::Sessions) => app.branch.at = to,
        (_, Pane::Facets) => app.facet.at = to,
        (_, Pane::Detail) => app.detail_top = to,
        _ => select(app, to),
    }
}

/// Puts the list's cursor on a line.
pub fn select(app: &mut App, to: usize) {
    if app.list.at != to {
        app.detail_top = 0;
    }
    app.list.at = to;
}

/// The next or previous line of the list, whichever pane has the keys.
pub fn step(app: &mut App, by: isize) {
    let last = app.results.hits.len().saturating_sub(1);
    select(app, app.list.at.saturating_add_signed(by).min(last));
}

/// Opens what is under the cursor.
pub fn open(app: &mut App) -> Vec<Effect> {
    match (app.screen, app.focus) {
        (Screen::Problems, _) => open_problem(app),
        (_, Pane::Sessions | Pane::Facets) => filter::toggle_line(app),
        _ => {
            app.focus = Pane::Detail;
            Vec::new()
        }
    }
}

/// From a problem to its memory; a search that hides it is cleared.
fn open_problem(app: &mut App) -> Vec<Effect> {
    let Some((number, index)) = app.problems().nth(app.problem.at) else { return Vec::new() };
    let store = &app.snapshot.stores[number];
    let problem = &store.problems[index];
    let entry = store
        .entries
        .iter()
        .position(|entry| problem.record == Some(entry.record) && store.document(entry).path == problem.file);
    let Some(entry) = entry else {
        app.notice = Some(format!("{} concerns no single memory", problem.code.as_str()));
        return Vec::new();
    };
    let at = EntryRef { store: number as u32, entry: entry as u32 };
    app.screen = Screen::Browse;
    app.focus = Pane::Memories;
    if find(app, &App::identity(&app.snapshot, at)) {
        return Vec::new();
    }
    let state = app.snapshot.get(at).1.state;
    app.sought = Some(App::identity(&app.snapshot, at));
    let query = if matches!(state, crate::model::State::Live | crate::model::State::Broken) {
        String::new()
    } else {
        format!("is:{}", state.as_str())
    };
    filter::ask(app, query)
}

/// Puts the cursor on a memory, if it is listed.
pub fn find(app: &mut App, sought: &Identity) -> bool {
    let same = |at: EntryRef| {
        let (store, entry) = app.listed.get(at);
        let id = store.view(entry).and_then(|view| view.id.as_deref());
        id == sought.id.as_deref() && {
            let own = App::identity(&app.listed, at);
            own.root == sought.root
                && own.session == sought.session
                && (own.id.is_some() || own.key == sought.key)
        }
    };
    let exact = |at: EntryRef| App::identity(&app.listed, at) == *sought;
    let places: Vec<usize> =
        (0..app.results.hits.len()).filter(|&at| same(app.results.hits[at].at)).collect();
    let place = places.iter().copied().find(|&at| exact(app.results.hits[at].at)).or(places.first().copied());
    if let Some(place) = place {
        select(app, place);
    }
    place.is_some()
}

/// Goes to the first memory that the one under the cursor refers to.
pub fn follow(app: &mut App) {
    let Some(at) = app.selected() else { return };
    let (store, entry) = app.listed.get(at);
    let Some(id) = store.view(entry).and_then(|view| view.references.first()) else {
        app.notice = Some("this memory refers to no other".into());
        return;
    };
    let from = App::identity(&app.listed, at);
    let mut sought = Identity { id: Some(id.to_string()), key: String::new(), ..from.clone() };
    let anywhere = |app: &App| {
        let hits = app.results.hits.iter();
        let named = |at: EntryRef| {
            let (store, entry) = app.listed.get(at);
            store.root == sought.root
                && store.view(entry).and_then(|v| v.id.as_deref()) == sought.id.as_deref()
        };
        hits.map(|hit| hit.at).find(|&at| named(at)).map(|at| App::identity(&app.listed, at))
    };
    if let Some(elsewhere) = anywhere(app).filter(|_| !find(app, &sought)) {
        sought = elsewhere;
    }
    if find(app, &sought) {
        app.trail.push(from);
    } else {
        app.notice = Some("what it refers to is not in this list; Esc clears the search".into());
    }
}

/// Back to where the last reference was followed from.
pub fn go_back(app: &mut App) {
    match app.trail.pop() {
        Some(from) if find(app, &from) => {}
        Some(_) => app.notice = Some("it is not in this list".into()),
        None => app.notice = Some("there is nothing to go back to".into()),
    }
}

/// The next or previous memory that has a problem, around the ends of the list.
pub fn to_problem(app: &mut App, ahead: bool) {
    let len = app.results.hits.len();
    let has = |at: usize| {
        let (store, entry) = app.listed.get(app.results.hits[at].at);
        store.problems_of(entry).next().is_some()
    };
    let from = app.list.at;
    let found = (1..=len)
        .map(|by| if ahead { (from + by) % len } else { (from + len - by) % len })
        .find(|&at| has(at));
    match found {
        Some(at) => select(app, at),
        None => app.notice = Some("no memory in this list has a problem".into()),
    }
}
