//! Which changes can work now, and which memories they are about.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{Entry, EntryRef, State, Store};
use crate::ops::copy_records::places;
use crate::ops::merge::may_merge;
use crate::ops::move_records::other_sessions;
use crate::ops::{self, Operation, Refusal};
use crate::tui::action::Action;
use crate::tui::list_view::{focused_memory, snapshot_of_rows};
use crate::tui::state::app::{App, ChangeTarget, Pane, Screen, open_range};
use crate::tui::update::search_query;
use crate::tui::value_prompt::may_edit;
use crate::usecase::{memory_count, merge_apart};

const UNCHANGED: &str = " Nothing was changed.";
/// If more memories are marked, they are not checked before each frame.
const MOST: usize = 100;

type Check = fn(&Store, &Entry) -> Result<(), Refusal>;

/// Returns the check that an action is possible for a memory; `None` if it needs none.
pub fn check_of(action: Action) -> Option<Check> {
    match action {
        Action::Edit | Action::EditJson | Action::EditText => Some(may_edit),
        Action::Tag | Action::Pin | Action::KeepUntil => {
            Some(|store, entry| ops::may(store, entry, Operation::Tag))
        }
        Action::Archive => Some(|store, entry| ops::may(store, entry, Operation::Archive)),
        Action::Merge => Some(may_merge),
        _ => action.info().asks.map(|asks| asks.may),
    }
}

pub fn can(app: &App, action: Action) -> bool {
    match action {
        _ if app.is_readonly() => false,
        Action::Undo => app.undo_count > 0,
        Action::Repeat => app.changes.last_change.is_some() && aimed(app, action).is_ok(),
        // The plan says why none can be changed.
        _ if !opens_form(action) && app.screen != Screen::Difference && marked(app).len() > MOST => {
            place(app).is_ok()
        }
        _ => checked(app, action).is_ok(),
    }
}

/// Returns the memories that an action is for, or why it can't be done with any of them.
pub fn checked(app: &App, action: Action) -> Result<ChangeTarget, String> {
    let aim = aimed(app, action)?;
    let Some(may) = check_of(action) else { return Ok(aim) };
    let mut refusal = None;
    for at in &aim.at {
        let (store, entry) = aim.snapshot.get(*at);
        match may(store, entry) {
            _ if entry.state == State::Broken => refusal = refusal.or_else(|| Some(broken())),
            Ok(()) => {
                let why = match action {
                    Action::Archive => why_not_alone(app, &aim),
                    Action::Move => no_place(action, &other_sessions(&aim.snapshot, &aim.at)),
                    Action::Copy => no_place(action, &places(&aim.snapshot, &aim.at)),
                    _ => None,
                };
                return why.map_or(Ok(aim), Err);
            }
            Err(own) if action == Action::Merge => refusal = refusal.or_else(|| Some(unmerged(&own.message))),
            Err(own) => refusal = refusal.or_else(|| Some(refused(own))),
        }
    }
    refusal.map_or(Ok(aim), Err)
}

fn no_place(action: Action, places: &[String]) -> Option<String> {
    places.is_empty().then(|| {
        format!(
            "There is no other session to {} to: `palimp session new` makes one, \
             `palimp session unarchive` brings one back.",
            action.info().name
        )
    })
}

/// Returns the memory of the row under the cursor of a list view, if it can be edited.
pub fn checked_row(app: &App) -> Result<EntryRef, String> {
    let at = focused_memory(app).ok_or("No memory is under the cursor.")?;
    writable(app)?;
    let (store, entry) = snapshot_of_rows(app).get(at);
    match entry.state {
        State::Broken => Err(broken()),
        _ => may_edit(store, entry).map_err(refused).map(|()| at),
    }
}

fn unmerged(why: &str) -> String {
    let [remove, twice] = [Action::Delete, Action::Duplicates].map(Action::call);
    format!("{why} {remove} removes one of them; {twice} lists what says the same.{UNCHANGED}")
}

/// Returns why a change can't be made now, for the palette and the help. `None` if it can, or if it is no change.
pub fn why_not(app: &App, action: Action) -> Option<String> {
    if check_of(action).is_none() && action != Action::Delete {
        return None;
    }
    let why = match action {
        Action::Delete if app.screen.lists_memories() => return None,
        Action::Edit if app.screen.lists_memories() => checked_row(app).err()?,
        _ => writable(app).and_then(|()| checked(app, action)).err()?,
    };
    Some(why.strip_suffix(UNCHANGED).map_or(why.clone(), str::to_owned))
}

/// Returns why one memory is not archived alone. In some stores its whole session is archived with it.
pub fn why_not_alone(app: &App, aim: &ChangeTarget) -> Option<String> {
    let at = aim.one()?;
    let (store, entry) = aim.snapshot.get(at);
    let sessions = &app.tallies.get(at.store as usize)?.sessions;
    let count = sessions.get(entry.session.filter(|_| ops::archive::takes_sessions(store))? as usize)?;
    let name = &store.session(entry)?.name;
    (*count > 1)
        .then(|| format!("only whole sessions are archived: mark all of session:{name} first, with *."))
}

pub fn broken() -> String {
    format!("The line is broken: {} shows what repairs it.", Action::Problems.key())
}

pub fn refused(refusal: ops::Refusal) -> String {
    format!("{}{UNCHANGED}", refusal.message)
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

/// Returns the marked memories, or else the one under the cursor. Editing a text ignores marks, and so does a new name.
pub fn aimed(app: &App, action: Action) -> Result<ChangeTarget, String> {
    place(app)?;
    if action == Action::Merge {
        return aimed_to_merge(app);
    }
    let marked = marked(app);
    let is_of_one = matches!(action, Action::EditText | Action::Rename) || app.screen == Screen::Difference;
    if marked.is_empty() || is_of_one {
        let compared = app.difference.as_ref().filter(|_| app.screen == Screen::Difference);
        let at = compared.map(|compare| compare.chosen()).or_else(|| app.selected());
        let at = at.ok_or("no memory is under the cursor, and none is marked: nothing is changed")?;
        return Ok(target_of(app, vec![at], Vec::new()));
    }
    if opens_form(action) && marked.len() > 1 {
        let (count, clear) = (marked.len(), Action::Back.key());
        return Err(format!(
            "{count} memories are marked, and the form is for one: {clear} clears the marks."
        ));
    }
    Ok(target_of(app, marked, app.marks.hidden_ones(&app.results.hits)))
}

fn opens_form(action: Action) -> bool {
    matches!(action, Action::Edit | Action::EditJson)
}

fn marked(app: &App) -> Vec<EntryRef> {
    let range = open_range(app).into_iter().flatten().filter_map(|line| app.results.hits.get(line));
    let range = range.map(|hit| hit.at).filter(|at| !app.marks.has(*at));
    app.marks.list().into_iter().chain(range).collect()
}

/// The memories that would become one: both that are compared, the marked ones, or both that are duplicates.
fn aimed_to_merge(app: &App) -> Result<ChangeTarget, String> {
    let cursor = app.selected();
    let compared = app.difference.as_ref().filter(|_| app.screen == Screen::Difference);
    let marked = marked(app);
    let group = || if marked.len() > 1 { None } else { of_group(app, cursor?) };
    let both = compared.map(|own| own.memories).or_else(group);
    let (at, hidden) = match (both, marked.as_slice(), cursor) {
        (Some(both), ..) => (both.to_vec(), Vec::new()),
        (None, [one], Some(cursor)) if *one != cursor => (vec![*one, cursor], Vec::new()),
        (None, [] | [_], _) => {
            let [mark, twice] = [Action::Toggle, Action::Duplicates].map(Action::call);
            return Err(format!(
                "Mark the memories that become one: {mark} marks. {twice} lists what is said twice."
            ));
        }
        _ => (marked, app.marks.hidden_ones(&app.results.hits)),
    };
    let aim = target_of(app, at, hidden);
    match merge_apart(&aim.snapshot, &aim.at) {
        Some(why) => Err(unmerged(&format!("{why} {} copies a text.", Action::CopyText.call()))),
        None => Ok(aim),
    }
}

/// Among duplicates, returns the first memory of the group and the one under the cursor, or the
/// first two if these are the same.
pub fn of_group(app: &App, cursor: EntryRef) -> Option<[EntryRef; 2]> {
    let (figures, hits) = (&app.results.picked.as_ref()?.figures, &app.results.hits);
    let at = hits.iter().position(|hit| hit.at == cursor)?;
    let begins = |at: &usize| figures.get(*at).is_some_and(|own| own.starts_with('×'));
    let first = (0..=at).rev().find(begins)?;
    let other = if first == at { at + 1 } else { at };
    Some([hits.get(first)?.at, hits.get(other)?.at])
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

pub fn among_memories() -> String {
    format!("That is done among the memories: {} goes there.", Action::MemoriesPane.key())
}
