//! Moving through lists, references and problems.

use std::collections::HashMap;

use super::search_query::{self, FilterRow};
use super::{action_dispatch, among_memories, reference_go_back};
use crate::format;
use crate::model::{EntryRef, NameKind};
use crate::tui::action::Action;
use crate::tui::app::{App, MemoryIdentity, Pane, Screen};
use crate::tui::health::{self, HealthLink};
use crate::tui::layout;
use crate::tui::list_view::new;
use crate::tui::store_tree;

/// Moves the cursor of what has the keys.
pub fn go(app: &mut App, action: Action) {
    let (at, len) = place(app);
    if let Some(to) = cursor_target(action, at, len, rows(app), app.count.times) {
        set(app, to);
    }
}

/// Where an action moves a cursor to that is at a line, of so many, of which so many are on
/// screen; `None` where it moves none. With a count it moves so often, or to the line of that number.
pub fn cursor_target(
    action: Action,
    at: usize,
    len: usize,
    rows: usize,
    count: Option<usize>,
) -> Option<usize> {
    let (page, times) = (rows.saturating_sub(1).max(2), count.unwrap_or(1));
    let down = |by: usize| at.saturating_add(by.saturating_mul(times));
    let up = |by: usize| at.saturating_sub(by.saturating_mul(times));
    let to = match action {
        Action::Down => down(1),
        Action::Up => up(1),
        Action::HalfPageDown => down(page / 2),
        Action::HalfPageUp => up(page / 2),
        Action::PageDown => down(page),
        Action::PageUp => up(page),
        Action::Top | Action::Last if count.is_some() => times.saturating_sub(1),
        Action::Top => 0,
        Action::Last => len,
        _ => return None,
    };
    Some(to.min(len.saturating_sub(1)))
}

fn rows(app: &App) -> usize {
    layout::rows(app, app.focus)
}

fn place(app: &App) -> (usize, usize) {
    match app.focus {
        Pane::Sessions => (app.tree_cursor.at, app.tree.len()),
        Pane::Filters => (app.filter_cursor.at, search_query::facet_lines(app).len()),
        Pane::Health => (app.health_cursor.at, health::rows(app).len()),
        Pane::Detail if app.shown_tab().is_list() => (app.tie_cursor.at, app.ties.len()),
        Pane::Detail => (app.detail_top, scroll_positions(app.detail.len(), rows(app))),
        _ => (app.list_cursor.at, app.results.hits.len()),
    }
}

/// So many lines of a text can be the first on screen: what fits does not scroll.
pub fn scroll_positions(lines: usize, rows: usize) -> usize {
    lines.saturating_sub(rows) + 1
}

fn set(app: &mut App, to: usize) {
    match app.focus {
        Pane::Sessions => app.tree_cursor.at = to,
        Pane::Filters => app.filter_cursor.at = past_heading(app, to),
        Pane::Health => app.health_cursor.at = to,
        Pane::Detail if app.shown_tab().is_list() => app.tie_cursor.at = to,
        Pane::Detail => app.detail_top = to,
        _ => {
            app.search_origin = None;
            select(app, to);
        }
    }
}

/// A line of the filters to filter by: past a heading, the way the cursor goes.
pub fn past_heading(app: &App, to: usize) -> usize {
    let lines = search_query::facet_lines(app);
    let is_heading = |at: usize| lines.get(at).is_some_and(FilterRow::is_heading);
    match (is_heading(to), to < app.filter_cursor.at && to > 0) {
        (false, _) => to,
        (true, true) => to - 1,
        (true, false) => (to + 1).min(lines.len().saturating_sub(1)),
    }
}

/// Puts the list's cursor on a line.
pub fn select(app: &mut App, to: usize) {
    if app.list_cursor.at != to {
        app.detail_top = 0;
        app.tie_cursor = Default::default();
    }
    app.list_cursor.at = to;
    app.list_cursor.is_held = false;
}

/// The next or previous line of the list, whichever pane has the keys.
pub fn step(app: &mut App, by: isize) {
    let last = app.results.hits.len().saturating_sub(1);
    let by = by.saturating_mul(app.count.times.unwrap_or(1) as isize);
    app.search_origin = None;
    select(app, app.list_cursor.at.saturating_add_signed(by).min(last));
}

/// Opens what is under the cursor.
pub fn open(app: &mut App) {
    match app.focus {
        Pane::Detail if app.shown_tab().is_list() => reference_go_back::follow(app),
        Pane::Sessions => {
            search_query::keep_branch(app);
            app.focus = Pane::Memories;
        }
        Pane::Filters => search_query::toggle_line(app),
        Pane::Health => open_vital(app),
        _ => app.focus = Pane::Detail,
    }
}

/// Goes where a figure of the health leads.
fn open_vital(app: &mut App) {
    let Some(row) = health::rows(app).into_iter().nth(app.health_cursor.at) else { return };
    match row.link {
        HealthLink::View(action) => action_dispatch::act(app, action),
        HealthLink::Problems(text) => {
            action_dispatch::act(app, Action::Problems);
            super::list_view::filter(app, text);
            app.list_view.list.cursor.at = 0;
        }
        HealthLink::Search(query) => {
            app.focus = Pane::Memories;
            search_query::set_query(app, query.into());
        }
    }
}

/// Folds or unfolds what has the keys.
pub fn fold(app: &mut App) {
    match app.focus {
        Pane::Sessions => {
            let _ = store_tree::fold(app, false) || store_tree::fold(app, true);
        }
        Pane::Filters => app.layout.all_filters = !app.layout.all_filters,
        _ => {
            app.layout.all_facts = !app.layout.all_facts;
            app.detail_key = None;
        }
    }
}

/// Folds or unfolds all stores.
pub fn fold_all(app: &mut App, folds: bool) {
    app.layout.fold(app.snapshot.stores.iter().map(|store| &store.root), folds);
    store_tree::renew(app);
}

/// Scrolls so that the cursor of the list is in the middle.
pub fn to_middle(app: &mut App) {
    let rows = layout::rows(app, Pane::Memories);
    app.list_cursor.is_held = false;
    app.list_cursor.top = app.list_cursor.at.saturating_sub(rows / 2);
}

/// Puts the cursor on a memory, if it is listed: the one of its key, or else of its id.
pub fn select_identity(app: &mut App, sought: &MemoryIdentity) -> bool {
    let Some(number) = app.listed_snapshot.stores.iter().position(|store| store.root == sought.root) else {
        return false;
    };
    let store = &app.listed_snapshot.stores[number];
    let same = |at: &EntryRef| {
        let entry = &store.entries[at.entry as usize];
        store.session(entry).map(|session| session.name.as_str()) == sought.session.as_deref()
            && store.view(entry).and_then(|view| view.id) == sought.id.as_deref()
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

/// Puts the cursor on a memory of the listed state, where it is in the list.
pub fn go_to(app: &mut App, at: EntryRef) -> bool {
    let place = app.results.hits.iter().position(|hit| hit.at == at);
    place.inspect(|place| select(app, *place)).is_some()
}

/// What the keys behind `]` and `[` go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextKind {
    Problem,
    New,
    Secret,
    Marked,
    /// The next one that is of another session.
    Session,
}

impl NextKind {
    /// What an action goes to, and whether ahead.
    pub fn of(action: Action) -> Option<(NextKind, bool)> {
        Some(match action {
            Action::NextProblem => (NextKind::Problem, true),
            Action::PreviousProblem => (NextKind::Problem, false),
            Action::NextNew => (NextKind::New, true),
            Action::PreviousNew => (NextKind::New, false),
            Action::NextSecret => (NextKind::Secret, true),
            Action::PreviousSecret => (NextKind::Secret, false),
            Action::NextMarked => (NextKind::Marked, true),
            Action::PreviousMarked => (NextKind::Marked, false),
            Action::NextSession => (NextKind::Session, true),
            Action::PreviousSession => (NextKind::Session, false),
            _ => return None,
        })
    }

    /// Whether a memory is one of those, seen from another.
    fn is(self, app: &App, at: EntryRef, from: EntryRef) -> bool {
        let (store, entry) = app.listed_snapshot.get(at);
        match self {
            NextKind::Problem => store.problems_of(entry).next().is_some(),
            NextKind::New => new::is_new(app, at),
            NextKind::Secret => format::is_sensitive(store, entry),
            NextKind::Marked => app.marks.has(at),
            NextKind::Session => {
                (at.store, entry.session) != (from.store, app.listed_snapshot.get(from).1.session)
            }
        }
    }

    /// What is said where there is none.
    fn none(self) -> &'static str {
        match self {
            NextKind::Problem => "No memory in this list has a problem.",
            NextKind::New => "No memory in this list is new.",
            NextKind::Secret => "No memory in this list looks like it has a secret.",
            NextKind::Marked => "No memory in this list is marked.",
            NextKind::Session => "All memories in this list are of one session.",
        }
    }
}

/// The next or previous memory that is sought, or one further on, around the ends of the list.
pub fn to_sought(app: &mut App, sought: NextKind, ahead: bool) {
    match (app.screen, sought) {
        (Screen::Memories, _) => {}
        (Screen::Problems, NextKind::Problem) => return to_problem(app, ahead),
        _ => return app.say(among_memories()),
    }
    let len = app.results.hits.len();
    let from = app.list_cursor.at;
    let own = app.selected();
    let is = |at: usize| own.is_some_and(|own| sought.is(app, app.results.hits[at].at, own));
    let mut found = (1..=len)
        .map(|by| if ahead { (from + by) % len } else { (from + len - by) % len })
        .filter(|&at| is(at));
    let found = match app.count.times {
        Some(times) if times > 1 => {
            let all: Vec<usize> = found.collect();
            all.get((times - 1) % all.len().max(1)).copied()
        }
        _ => found.next(),
    };
    match found {
        Some(at) => select(app, at),
        None => app.say(sought.none()),
    }
}

/// The next or previous problem of the problems, around their ends.
fn to_problem(app: &mut App, ahead: bool) {
    let len = app.list_view.list.len().max(1);
    let by = app.count.times.unwrap_or(1) % len;
    let cursor = &mut app.list_view.list.cursor;
    cursor.at = (cursor.at + if ahead { by } else { len - by }) % len;
}
