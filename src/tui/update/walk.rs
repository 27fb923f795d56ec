//! Moving through lists, references and problems.

use std::collections::HashMap;

use super::filter::{self, FacetLine};
use super::{act, among_memories, references};
use crate::format;
use crate::model::{EntryRef, Named};
use crate::tui::action::Action;
use crate::tui::app::{App, Identity, Pane, Screen};
use crate::tui::health::{self, Lead};
use crate::tui::layout;
use crate::tui::list_view::new;
use crate::tui::tree;

/// Moves the cursor of what has the keys.
pub fn go(app: &mut App, action: Action) {
    let (at, len) = place(app);
    if let Some(to) = target(action, at, len, rows(app), app.count.times) {
        set(app, to);
    }
}

/// Where an action moves a cursor to that is at a line, of so many, of which so many are on
/// screen; `None` where it moves none. With a count it moves so often, or to the line of that number.
pub fn target(action: Action, at: usize, len: usize, rows: usize, count: Option<usize>) -> Option<usize> {
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
        Action::First | Action::Last if count.is_some() => times.saturating_sub(1),
        Action::First => 0,
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
        Pane::Sessions => (app.branch.at, app.tree.len()),
        Pane::Facets => (app.facet.at, filter::facet_lines(app).len()),
        Pane::Health => (app.vital.at, health::rows(app).len()),
        Pane::Detail if app.shown_tab().is_list() => (app.tie.at, app.ties.len()),
        Pane::Detail => (app.detail_top, places(app.detail.len(), rows(app))),
        _ => (app.list.at, app.results.hits.len()),
    }
}

/// So many lines of a text can be the first on screen: what fits does not scroll.
pub fn places(lines: usize, rows: usize) -> usize {
    lines.saturating_sub(rows) + 1
}

fn set(app: &mut App, to: usize) {
    match app.focus {
        Pane::Sessions => app.branch.at = to,
        Pane::Facets => app.facet.at = past_heading(app, to),
        Pane::Health => app.vital.at = to,
        Pane::Detail if app.shown_tab().is_list() => app.tie.at = to,
        Pane::Detail => app.detail_top = to,
        _ => {
            app.held = None;
            select(app, to);
        }
    }
}

/// A line of the filters to filter by: past a heading, the way the cursor goes.
pub fn past_heading(app: &App, to: usize) -> usize {
    let lines = filter::facet_lines(app);
    let is_heading = |at: usize| lines.get(at).is_some_and(FacetLine::is_heading);
    match (is_heading(to), to < app.facet.at && to > 0) {
        (false, _) => to,
        (true, true) => to - 1,
        (true, false) => (to + 1).min(lines.len().saturating_sub(1)),
    }
}

/// Puts the list's cursor on a line.
pub fn select(app: &mut App, to: usize) {
    if app.list.at != to {
        app.detail_top = 0;
        app.tie = Default::default();
    }
    app.list.at = to;
    app.list.is_held = false;
}

/// The next or previous line of the list, whichever pane has the keys.
pub fn step(app: &mut App, by: isize) {
    let last = app.results.hits.len().saturating_sub(1);
    let by = by.saturating_mul(app.count.times.unwrap_or(1) as isize);
    app.held = None;
    select(app, app.list.at.saturating_add_signed(by).min(last));
}

/// Opens what is under the cursor.
pub fn open(app: &mut App) {
    match app.focus {
        Pane::Detail if app.shown_tab().is_list() => references::follow(app),
        Pane::Sessions => {
            filter::keep_branch(app);
            app.focus = Pane::Memories;
        }
        Pane::Facets => filter::toggle_line(app),
        Pane::Health => open_vital(app),
        _ => app.focus = Pane::Detail,
    }
}

/// Goes where a figure of the health leads.
fn open_vital(app: &mut App) {
    let Some(row) = health::rows(app).into_iter().nth(app.vital.at) else { return };
    match row.leads {
        Lead::View(action) => act::act(app, action),
        Lead::Problems(text) => {
            act::act(app, Action::Problems);
            super::list_view::filter(app, text);
            app.view.list.cursor.at = 0;
        }
        Lead::Search(query) => {
            app.focus = Pane::Memories;
            filter::ask(app, query.into());
        }
    }
}

/// Folds or unfolds what has the keys.
pub fn fold(app: &mut App) {
    match app.focus {
        Pane::Sessions => {
            let _ = tree::fold(app, false) || tree::fold(app, true);
        }
        Pane::Facets => app.layout.all_filters = !app.layout.all_filters,
        _ => {
            app.layout.all_facts = !app.layout.all_facts;
            app.detail_of = None;
        }
    }
}

/// Folds or unfolds all stores.
pub fn fold_all(app: &mut App, folds: bool) {
    app.layout.fold(app.snapshot.stores.iter().map(|store| &store.root), folds);
    tree::renew(app);
}

/// Scrolls so that the cursor of the list is in the middle.
pub fn to_middle(app: &mut App) {
    let rows = layout::rows(app, Pane::Memories);
    app.list.is_held = false;
    app.list.top = app.list.at.saturating_sub(rows / 2);
}

/// Puts the cursor on a memory, if it is listed: the one of its key, or else of its id.
pub fn find(app: &mut App, sought: &Identity) -> bool {
    let Some(number) = app.listed.stores.iter().position(|store| store.root == sought.root) else {
        return false;
    };
    let store = &app.listed.stores[number];
    let same = |at: &EntryRef| {
        let entry = &store.entries[at.entry as usize];
        store.session(entry).map(|session| session.name.as_str()) == sought.session.as_deref()
            && store.view(entry).and_then(|view| view.id) == sought.id.as_deref()
    };
    let exact = store.at_key(&sought.key).map(|entry| EntryRef { store: number as u32, entry });
    let named =
        sought.id.as_ref().map(|id| app.listed.references().named(store, number as u32, Named::Record, id));
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
pub enum Sought {
    Problem,
    New,
    Secret,
    Marked,
    /// The next one that is of another session.
    Session,
}

impl Sought {
    /// What an action goes to, and whether ahead.
    pub fn of(action: Action) -> Option<(Sought, bool)> {
        Some(match action {
            Action::NextProblem => (Sought::Problem, true),
            Action::PreviousProblem => (Sought::Problem, false),
            Action::NextNew => (Sought::New, true),
            Action::PreviousNew => (Sought::New, false),
            Action::NextSecret => (Sought::Secret, true),
            Action::PreviousSecret => (Sought::Secret, false),
            Action::NextMarked => (Sought::Marked, true),
            Action::PreviousMarked => (Sought::Marked, false),
            Action::NextSession => (Sought::Session, true),
            Action::PreviousSession => (Sought::Session, false),
            _ => return None,
        })
    }

    /// Whether a memory is one of those, seen from another.
    fn is(self, app: &App, at: EntryRef, from: EntryRef) -> bool {
        let (store, entry) = app.listed.get(at);
        match self {
            Sought::Problem => store.problems_of(entry).next().is_some(),
            Sought::New => new::is_new(app, at),
            Sought::Secret => format::is_sensitive(store, entry),
            Sought::Marked => app.marks.has(at),
            Sought::Session => (at.store, entry.session) != (from.store, app.listed.get(from).1.session),
        }
    }

    /// What is said where there is none.
    fn none(self) -> &'static str {
        match self {
            Sought::Problem => "No memory in this list has a problem.",
            Sought::New => "No memory in this list is new.",
            Sought::Secret => "No memory in this list looks like it has a secret.",
            Sought::Marked => "No memory in this list is marked.",
            Sought::Session => "All memories in this list are of one session.",
        }
    }
}

/// The next or previous memory that is sought, or one further on, around the ends of the list.
pub fn to_sought(app: &mut App, sought: Sought, ahead: bool) {
    match (app.screen, sought) {
        (Screen::Browse, _) => {}
        (Screen::Problems, Sought::Problem) => return to_problem(app, ahead),
        _ => return app.say(among_memories()),
    }
    let len = app.results.hits.len();
    let from = app.list.at;
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
    let len = app.view.list.len().max(1);
    let by = app.count.times.unwrap_or(1) % len;
    let cursor = &mut app.view.list.cursor;
    cursor.at = (cursor.at + if ahead { by } else { len - by }) % len;
}
