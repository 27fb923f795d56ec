//! Which changes can work now, and which memories they are about.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{Entry, EntryRef, Store};
use crate::ops::{self, Operation, Refusal};
use crate::tui::action::Action;
use crate::tui::state::app::{App, ChangeTarget, Pane, Screen};
use crate::tui::update::search_query;
use crate::tui::value_prompt::may_edit;
use crate::usecase::memory_count;

type Check = fn(&Store, &Entry) -> Result<(), Refusal>;

/// Returns the check that an action is possible for a memory; `None` if it needs none.
pub fn check_of(action: Action) -> Option<Check> {
    match action {
        Action::Edit | Action::EditJson | Action::EditText => Some(may_edit),
        Action::Tag | Action::Pin | Action::KeepUntil => {
            Some(|store, entry| ops::may(store, entry, Operation::Tag))
        }
        Action::Archive => Some(|store, entry| ops::may(store, entry, Operation::Archive)),
        _ => action.info().asks.map(|asks| asks.may),
    }
}

/// True if an action that changes something can work now.
pub fn can(app: &App, action: Action) -> bool {
    match action {
        _ if app.is_readonly() => false,
        Action::Undo => app.undo_count > 0,
        Action::Repeat => app.changes.last_change.is_some() && aimed(app, action).is_ok(),
        // Some of several memories can be changed, or the plan says why none can.
        _ if (!app.marks.is_empty() || app.marks.range.is_some()) && app.screen != Screen::Difference => {
            place(app).is_ok()
        }
        _ => match (under_cursor(app), check_of(action)) {
            (Ok(at), Some(may)) => {
                let (store, entry) = app.listed_snapshot.get(at);
                may(store, entry).is_ok() && (action != Action::Archive || goes_alone(app, at))
            }
            (aimed, _) => aimed.is_ok(),
        },
    }
}

/// True if a memory is archived alone. In some stores its whole session is archived with it.
fn goes_alone(app: &App, at: EntryRef) -> bool {
    let (store, entry) = app.listed_snapshot.get(at);
    let tally = app.tallies.get(at.store as usize);
    let beside = entry.session.and_then(|session| tally?.sessions.get(session as usize).copied());
    !ops::archive::takes_sessions(store) || beside.is_none_or(|count| count < 2)
}

/// Returns why a broken line is not changed, and which key shows its repair.
pub fn broken() -> String {
    format!("The line is broken: {} shows what repairs it.", Action::Problems.key())
}

pub fn refused(refusal: ops::Refusal) -> String {
    format!("{} Nothing was changed.", refusal.message)
}

pub fn writable(app: &App) -> Result<(), String> {
    if app.readonly {
        return Err(
            "This is read-only: nothing is changed. Start without --readonly to change memories.".into()
        );
    }
    if app.data.is_none() {
        return Err("Nothing can be changed: there is no home folder to keep what undo needs; \
                    name one with --data-dir."
            .into());
    }
    Ok(())
}

/// Returns an error unless the user can see which memories an action is for.
pub fn place(app: &App) -> Result<(), String> {
    if !matches!(app.screen, Screen::Memories | Screen::Difference) {
        return Err(among_memories());
    }
    if app.screen == Screen::Memories && !matches!(app.focus, Pane::Memories | Pane::Detail | Pane::Why) {
        let key = Action::MemoriesPane.key();
        return Err(format!("That is done with a memory: {key} goes to their list."));
    }
    if !app.listed_snapshot.is_whole() {
        return Err("The stores are still being read.".into());
    }
    search_query::check_query(app)
}

fn under_cursor(app: &App) -> Result<EntryRef, String> {
    place(app)?;
    if let Some(compare) = app.difference.as_ref().filter(|_| app.screen == Screen::Difference) {
        return Ok(compare.chosen());
    }
    app.selected()
        .ok_or_else(|| "no memory is under the cursor, and none is marked: nothing is changed".into())
}

/// Returns the marked memories, or else the one under the cursor. Editing a text ignores marks.
pub fn aimed(app: &App, action: Action) -> Result<ChangeTarget, String> {
    place(app)?;
    if app.marks.is_empty() || action == Action::EditText || app.screen == Screen::Difference {
        return Ok(target_of(app, vec![under_cursor(app)?], Vec::new()));
    }
    Ok(target_of(app, app.marks.list(), app.marks.hidden_ones(&app.results.hits)))
}

/// Makes a target of memories; `hidden` are those that the list does not show.
pub fn target_of(app: &App, at: Vec<EntryRef>, hidden: Vec<EntryRef>) -> ChangeTarget {
    let name = match at.as_slice() {
        [one] => App::quoted_title(&app.listed_snapshot, *one),
        several => memory_count(several.len()),
    };
    let (mut at, mut hidden) = (at, hidden);
    hidden.sort_unstable();
    let is_picked = app.results.picked.is_some() && app.marks.pick.is_some();
    let listed = app.results.hits.iter().map(|hit| hit.at).filter(|_| is_picked);
    let own: HashSet<EntryRef> = at.iter().copied().collect();
    let beside = listed.filter(|at| !own.contains(at)).collect();
    // The order is that of the list. Memories that the list hides come last.
    if at.len() > 1 {
        let hits = app.results.hits.iter().map(|hit| hit.at).filter(|at| own.contains(at));
        let shown: Vec<EntryRef> = hits.collect();
        let seen: HashSet<EntryRef> = shown.iter().copied().collect();
        at.retain(|at| !seen.contains(at));
        at.splice(0..0, shown);
    }
    ChangeTarget { snapshot: Arc::clone(&app.listed_snapshot), at, beside, name, hidden }
}

/// Returns the notice for an action on memories in another view.
pub fn among_memories() -> String {
    format!("That is done among the memories: {} goes there.", Action::AllMemories.key())
}
