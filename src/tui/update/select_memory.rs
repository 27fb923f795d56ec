//! Moves through lists, references and problems, and puts the cursor of the list on a memory.

use std::collections::HashMap;

use crate::model::{EntryRef, NameKind};
use crate::tui::action::Action;
use crate::tui::filter_chips::{self, FilterRow};
use crate::tui::layout;
use crate::tui::panes::health;
use crate::tui::possible_changes::among_memories;
use crate::tui::state::app::{App, MemoryIdentity, Pane, Screen};
use crate::tui::state::row_list::ListCursor;

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
            && store.id(entry) == sought.id.as_deref()
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

/// Moves to another line of the list, whichever pane has the focus.
pub fn step(app: &mut App, by: isize) {
    let last = app.results.hits.len().saturating_sub(1);
    app.search_origin = None;
    select(app, app.list_cursor.at.saturating_add_signed(by).min(last));
}

/// Goes to the next or previous memory with a problem, or row of the view of problems, around the ends of the list.
pub fn go_to_problem(app: &mut App, ahead: bool) {
    match app.screen {
        Screen::Memories => {}
        Screen::Problems => {
            let len = app.list_view.list.len().max(1);
            let cursor = &mut app.list_view.list.cursor;
            cursor.at = (cursor.at + if ahead { 1 } else { len - 1 }) % len;
            return;
        }
        _ => return app.say(among_memories()),
    }
    let len = app.results.hits.len();
    let from = app.list_cursor.at;
    let has_problem = |at: &usize| {
        let (store, entry) = app.listed_snapshot.get(app.results.hits[*at].at);
        store.problems_of(entry).next().is_some()
    };
    let mut ways = (1..=len).map(|by| if ahead { (from + by) % len } else { (from + len - by) % len });
    match ways.find(has_problem) {
        Some(at) => select(app, at),
        None => app.say("No memory in this list has a problem."),
    }
}

pub fn move_cursor(app: &mut App, action: Action) {
    let rows = layout::rows(app, app.focus);
    let (at, len) = match list_of(app, app.focus) {
        Some((cursor, len)) => (cursor.at, len),
        None => (app.detail_top, scroll_positions(app.detail.len(), rows)),
    };
    let Some(to) = cursor_target(action, at, len, rows) else { return };
    match (app.focus, list_of(app, app.focus)) {
        (Pane::Memories | Pane::Why, _) => {
            app.search_origin = None;
            select(app, to);
        }
        (Pane::Filters, _) => app.filter_cursor.at = past_heading(app, to),
        (_, Some((cursor, _))) => cursor.at = to,
        (_, None) => app.detail_top = to,
    }
}

/// Returns the cursor of the list in a pane, and how many rows it has; `None` if the pane shows a text.
pub fn list_of(app: &mut App, pane: Pane) -> Option<(&mut ListCursor, usize)> {
    Some(match pane {
        Pane::Sessions => (&mut app.tree_cursor, app.tree.len()),
        Pane::Filters => {
            let len = filter_chips::facet_lines(app).len();
            (&mut app.filter_cursor, len)
        }
        Pane::Health => {
            let len = health::rows(app).len();
            (&mut app.health_cursor, len)
        }
        Pane::Detail if app.shown_tab().is_list() => (&mut app.tie_cursor, app.ties.len()),
        Pane::Detail => return None,
        Pane::Memories | Pane::Why => (&mut app.list_cursor, app.results.hits.len()),
    })
}

/// Returns where an action moves a cursor from line `at` of `len`, with `rows` lines on screen;
/// `None` if it does not move.
pub fn cursor_target(action: Action, at: usize, len: usize, rows: usize) -> Option<usize> {
    let page = rows.saturating_sub(1).max(2);
    let to = match action {
        Action::Down => at + 1,
        Action::Up => at.saturating_sub(1),
        Action::PageDown => at + page,
        Action::PageUp => at.saturating_sub(page),
        Action::Top => 0,
        Action::Last => len,
        _ => return None,
    };
    Some(to.min(len.saturating_sub(1)))
}

/// Returns how many lines of a text can be the first on screen. A text that fits does not scroll.
pub fn scroll_positions(lines: usize, rows: usize) -> usize {
    lines.saturating_sub(rows) + 1
}

/// Returns the line of the filters at `to`, or the next one in the cursor's direction if that is a heading.
pub fn past_heading(app: &App, to: usize) -> usize {
    let lines = filter_chips::facet_lines(app);
    let is_heading = |at: usize| lines.get(at).is_some_and(FilterRow::is_heading);
    match (is_heading(to), to < app.filter_cursor.at && to > 0) {
        (false, _) => to,
        (true, true) => to - 1,
        (true, false) => (to + 1).min(lines.len().saturating_sub(1)),
    }
}
