//! Actions that change memories: they find the memories and request the change.

use crate::tui::update::pin;
use crate::tui::update::running_change::request_change;
use std::collections::HashSet;
use std::sync::Arc;

use super::{among_memories, delete_menu, edit_text, editor, field_prompt, marks, search_query};
use crate::model::{EntryRef, State};
use crate::ops::{self, Operation};
use crate::tui::action::Action;
use crate::tui::app::{App, ChangeTarget, Pane, Screen};
use crate::tui::message::{Effect, FormPart};
use crate::tui::prompt::PromptPurpose;
use crate::usecase::{ChangeCommand, memory_count};

/// Returns the operation that an action needs from the format; `None` if it needs none.
fn deed(action: Action) -> Option<Operation> {
    match action {
        Action::Edit
        | Action::EditJson
        | Action::EditText
        | Action::Importance
        | Action::Type
        | Action::Category => Some(Operation::Edit),
        Action::Tag | Action::Pin | Action::KeepUntil => Some(Operation::Tag),
        Action::Archive => Some(Operation::Archive),
        _ => None,
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
        _ => match (under_cursor(app), deed(action)) {
            (Ok(at), Some(deed)) => {
                let (store, entry) = app.listed_snapshot.get(at);
                ops::may(store, entry, deed).is_ok() && (deed != Operation::Archive || goes_alone(app, at))
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

pub fn act(app: &mut App, action: Action) {
    if let Err(why) = begin(app, action) {
        app.say(why);
    }
}

fn begin(app: &mut App, action: Action) -> Result<(), String> {
    writable(app)?;
    match action {
        Action::Undo => request_change(app, None, ChangeCommand::Undo),
        Action::Redo => request_change(app, None, ChangeCommand::Redo),
        Action::RenameTag => {
            place(app)?;
            field_prompt::open(app, PromptPurpose::RenameTag, None);
        }
        _ => return with_memories(app, action),
    }
    Ok(())
}

fn with_memories(app: &mut App, action: Action) -> Result<(), String> {
    if action != Action::EditText {
        marks::end_range(app);
    }
    let aim = aimed(app, action)?;
    if let (Some(at), Some(deed)) = (aim.one(), deed(action)) {
        let (store, entry) = aim.snapshot.get(at);
        if entry.state == State::Broken {
            return Err(broken());
        }
        ops::may(store, entry, deed).map_err(refused)?;
    }
    match action {
        Action::Edit => return editor::open(app, &aim),
        Action::EditJson => {
            editor::open(app, &aim)?;
            app.push_effect(Effect::EditFormPart(FormPart::Record));
        }
        Action::EditText => edit_text::begin(app, aim),
        Action::Archive => request_change(app, Some(aim), ChangeCommand::Archive),
        Action::Pin => {
            let wanted = pin::pinning(&aim);
            request_change(app, Some(aim), wanted);
        }
        Action::Repeat => {
            let wanted =
                app.changes.last_change.clone().ok_or("nothing was changed yet that could be repeated")?;
            request_change(app, Some(aim), wanted);
        }
        Action::Delete => app.delete_menu = Some(delete_menu::of(app, aim)),
        Action::Tag => field_prompt::open(app, PromptPurpose::Tag, Some(aim)),
        Action::KeepUntil => field_prompt::open(app, PromptPurpose::KeepUntil, Some(aim)),
        Action::Importance => field_prompt::open(app, PromptPurpose::Importance, Some(aim)),
        Action::Type => field_prompt::open(app, PromptPurpose::Type, Some(aim)),
        Action::Category => field_prompt::open(app, PromptPurpose::Category, Some(aim)),
        _ => {}
    }
    Ok(())
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
fn place(app: &App) -> Result<(), String> {
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
fn aimed(app: &App, action: Action) -> Result<ChangeTarget, String> {
    place(app)?;
    if app.marks.is_empty() || action == Action::EditText || app.screen == Screen::Difference {
        return Ok(target_of(app, vec![under_cursor(app)?], Vec::new()));
    }
    Ok(target_of(app, app.marks.list(), app.marks.hidden_ones(&app.results.hits)))
}

/// Makes a target of memories; `hidden` are those that the list does not show.
pub(super) fn target_of(app: &App, at: Vec<EntryRef>, hidden: Vec<EntryRef>) -> ChangeTarget {
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
