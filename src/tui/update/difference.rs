//! The view that compares two memories: which two, and its keys.

use std::sync::Arc;

use crate::model::entry_tracker::track_entries;
use crate::model::{EntryRef, Snapshot};
use crate::query::DUPLICATES;
use crate::tui::action::Action;
use crate::tui::difference;
use crate::tui::possible_changes::{among_memories, of_group};
use crate::tui::state::app::{App, Pane, Screen};
use crate::tui::state::memory_difference::MemoryDifference;
use crate::tui::state::row_list::around;
use crate::tui::update::{marks, reference_go_back, search_query, select_memory};

/// Does an action of this view. False if the action is not its own.
pub fn act(app: &mut App, action: Action) -> bool {
    match (action, app.screen) {
        (Action::Difference, Screen::Memories) => open(app),
        (Action::Difference, Screen::Problems | Screen::Statistics) => app.say(among_memories()),
        (_, Screen::Difference) => return within(app, action),
        _ => return false,
    }
    true
}

fn open(app: &mut App) {
    marks::end_range(app);
    if app.marks.is_empty() && app.marks.pick.is_none() {
        return marks::pick(app, &DUPLICATES);
    }
    match both(app) {
        Ok(both) => {
            let snapshot = Arc::clone(&app.listed_snapshot);
            app.difference =
                Some(MemoryDifference { snapshot, memories: both, ..MemoryDifference::default() });
            app.screen = Screen::Difference;
            ready(app);
            begin(app);
        }
        Err(why) => app.say(why),
    }
}

/// Returns the two marked memories, or the marked one and the one under the cursor, in the list's order.
fn both(app: &App) -> Result<[EntryRef; 2], String> {
    search_query::check_query(app)?;
    let cursor = app.selected();
    if let Some(both) = cursor.and_then(|cursor| of_group(app, cursor)) {
        return Ok(both);
    }
    let [compare, mark] = [Action::Difference, Action::Toggle].map(Action::key);
    match (app.marks.list().as_slice(), cursor) {
        ([one, other], _) => Ok(in_order(app, *one, *other)),
        ([one], Some(cursor)) if *one != cursor => Ok(in_order(app, *one, cursor)),
        ([_], _) => Err(format!("One memory is marked. Go to another one, then {compare} compares the two.")),
        ([], _) => Err(format!(
            "Mark two memories with {mark}, or one and go to another. Then {compare} compares them."
        )),
        (more, _) => Err(format!("{compare} compares two memories, and {} are marked.", more.len())),
    }
}

fn in_order(app: &App, one: EntryRef, other: EntryRef) -> [EntryRef; 2] {
    let first = app.results.hits.iter().map(|hit| hit.at).find(|at| *at == one || *at == other);
    if first == Some(other) { [other, one] } else { [one, other] }
}

fn within(app: &mut App, action: Action) -> bool {
    let Some(own) = &mut app.difference else { return false };
    match action {
        Action::NextPane | Action::PreviousPane => own.side = 1 - own.side,
        Action::PaneLeft => own.side = 0,
        Action::PaneRight => own.side = 1,
        Action::NextMatch => difference(app, true),
        Action::PreviousMatch => difference(app, false),
        Action::Back | Action::Close | Action::Difference => app.screen = Screen::Memories,
        Action::Open => show(app),
        _ => return scroll(app, action),
    }
    true
}

/// Goes to the next or previous part that differs, and around the ends.
fn difference(app: &mut App, ahead: bool) {
    let Some(own) = &mut app.difference else { return };
    let differing = own.differing();
    if differing.is_empty() {
        return app.say("Nothing differs.");
    }
    let at = own.current_part.and_then(|at| differing.iter().position(|own| *own == at));
    own.current_part = differing.get(around(at, differing.len(), ahead)).copied();
    keep_in_view(app);
}

/// Scrolls a long text to a little above the first part that differs.
fn begin(app: &mut App) {
    let shown = difference::shown(app);
    let Some(own) = &app.difference else { return };
    let rows = difference::rows(app, own);
    let first = rows.iter().position(|row| own.parts.get(row.part).is_some_and(|part| part.pair.differs()));
    let last = rows.len().saturating_sub(shown);
    // The equal lines before the part get a third of the screen.
    let top = first.filter(|first| *first >= shown).map_or(0, |first| (first - shown / 3).min(last));
    if let Some(own) = &mut app.difference {
        own.rows.top = top;
    }
}

fn keep_in_view(app: &mut App) {
    let shown = difference::shown(app);
    let Some(own) = &app.difference else { return };
    let rows = difference::rows(app, own);
    let row = own.current_part.and_then(|part| rows.iter().position(|row| row.part == part));
    let len = rows.len();
    if let (Some(own), Some(row)) = (&mut app.difference, row) {
        own.rows.go(row, len, shown);
    }
}

fn scroll(app: &mut App, action: Action) -> bool {
    let shown = difference::shown(app);
    let Some(own) = &app.difference else { return false };
    let last = difference::rows(app, own).len().saturating_sub(shown);
    let at = own.rows.top.min(last);
    let Some(to) = select_memory::cursor_target(action, at, last + 1, shown) else { return false };
    if let Some(own) = &mut app.difference {
        own.rows.top = to;
    }
    true
}

fn show(app: &mut App) {
    let Some(own) = &app.difference else { return };
    let at = own.chosen();
    let (sought, state) = (App::identity(&own.snapshot, at), own.snapshot.get(at).1.state);
    (app.screen, app.focus) = (Screen::Memories, Pane::Memories);
    reference_go_back::show_memory(app, sought, state);
}

/// Finds the two memories in the new list. If one of them is gone or has another state, the view closes.
pub fn relisted(app: &mut App) {
    let Some(own) = &mut app.difference else { return };
    let state = |snapshot: &Snapshot, at: EntryRef| snapshot.get(at).1.state;
    let both = own.memories.map(|at| {
        let now = track_entries(&own.snapshot, &app.listed_snapshot, std::iter::once(at)).first().copied()?;
        (state(&app.listed_snapshot, now) == state(&own.snapshot, at)).then_some(now)
    });
    match both {
        [Some(one), Some(other)] => {
            (own.memories, own.snapshot, own.revealed) =
                ([one, other], Arc::clone(&app.listed_snapshot), None);
        }
        _ if app.screen == Screen::Difference => app.screen = Screen::Memories,
        _ => app.difference = None,
    }
}

/// Compares the two memories, unless this was done.
pub fn ready(app: &mut App) {
    let Some(own) = app.difference.as_ref().filter(|own| own.revealed != Some(app.revealed)) else { return };
    let parts = difference::parts(app, own);
    let revealed = Some(app.revealed);
    if let Some(own) = &mut app.difference {
        (own.parts, own.revealed) = (parts, revealed);
        own.current_part = own.current_part.filter(|at| *at < own.parts.len());
    }
}
