//! Keys that change memories: what is asked for, and what comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::tutor;
use super::{among_memories, arrive, early, edit_text, editor, fields, filter, mark, menu};
use crate::deed::{By, ChangeRequest, Changed, Turned, Wanted, memories};
use crate::model::carried::carried;
use crate::model::{EntryRef, State, plan};
use crate::ops::{self, Deed};
use crate::tui::action::Action;
use crate::tui::app::{Aim, App, Pane, Screen};
use crate::tui::bulk::{Given, Going};
use crate::tui::msg::{Effect, Lent};
use crate::tui::prompt::Purpose;
use crate::work::{Job, Tended};

/// What a change asks of a format, where it asks for something.
fn deed(action: Action) -> Option<Deed> {
    match action {
        Action::Edit
        | Action::RecordInEditor
        | Action::EditText
        | Action::Importance
        | Action::Type
        | Action::Category => Some(Deed::Edit),
        Action::Tag | Action::Pin | Action::Keep => Some(Deed::Tag),
        Action::Archive => Some(Deed::Archive),
        _ => None,
    }
}

/// Whether an action that changes something can work now.
pub fn can(app: &App, action: Action) -> bool {
    match action {
        _ if app.is_readonly() => false,
        Action::Undo => app.undoable > 0,
        Action::Repeat => app.bulk.last.is_some() && aimed(app, action).is_ok(),
        // Of several some can, or the plan says why none does.
        _ if (!app.marks.is_empty() || app.marks.range.is_some()) && app.screen != Screen::Compare => {
            place(app).is_ok()
        }
        _ => match (under_cursor(app), deed(action)) {
            (Ok(at), Some(deed)) => {
                let (store, entry) = app.listed.get(at);
                ops::may(store, entry, deed).is_ok() && (deed != Deed::Archive || goes_alone(app, at))
            }
            (aimed, _) => aimed.is_ok(),
        },
    }
}

/// Whether a memory is archived alone: in some stores a session goes with all that it has.
fn goes_alone(app: &App, at: EntryRef) -> bool {
    let (store, entry) = app.listed.get(at);
    let tally = app.tallies.get(at.store as usize);
    let beside = entry.session.and_then(|session| tally?.sessions.get(session as usize).copied());
    !ops::archive::takes_sessions(store) || beside.is_none_or(|count| count < 2)
}

/// Does an action that changes something, or says why it can't be done.
pub fn act(app: &mut App, action: Action) {
    if let Err(why) = begin(app, action) {
        app.say(why);
    }
}

fn begin(app: &mut App, action: Action) -> Result<(), String> {
    writable(app)?;
    match action {
        Action::Undo => ask(app, None, Wanted::Undo),
        Action::Redo => ask(app, None, Wanted::Redo),
        Action::RenameTag => {
            place(app)?;
            fields::open(app, Purpose::RenameTag, None);
        }
        _ => return with_memories(app, action),
    }
    Ok(())
}

fn with_memories(app: &mut App, action: Action) -> Result<(), String> {
    if action != Action::EditText {
        mark::end_range(app);
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
        Action::RecordInEditor => {
            editor::open(app, &aim)?;
            app.give(Effect::Lend(Lent::Record));
        }
        Action::EditText => edit_text::begin(app, aim),
        Action::Archive => ask(app, Some(aim), Wanted::Archive),
        Action::Pin => {
            let wanted = fields::pinning(&aim);
            ask(app, Some(aim), wanted);
        }
        Action::Repeat => {
            let wanted = app.bulk.last.clone().ok_or("nothing was changed yet that could be repeated")?;
            ask(app, Some(aim), wanted);
        }
        Action::Delete => app.menu = Some(menu::of(app, aim)),
        Action::Tag => fields::open(app, Purpose::Tag, Some(aim)),
        Action::Keep => fields::open(app, Purpose::Keep, Some(aim)),
        Action::Importance => fields::open(app, Purpose::Importance, Some(aim)),
        Action::Type => fields::open(app, Purpose::Type, Some(aim)),
        Action::Category => fields::open(app, Purpose::Category, Some(aim)),
        _ => {}
    }
    Ok(())
}

/// Why a broken line is not changed, and what leads to its repair.
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

/// Whether it can be seen what is meant.
fn place(app: &App) -> Result<(), String> {
    if !matches!(app.screen, Screen::Browse | Screen::Compare) {
        return Err(among_memories());
    }
    if app.screen == Screen::Browse && !matches!(app.focus, Pane::Memories | Pane::Detail | Pane::Why) {
        let key = Action::MemoriesPane.key();
        return Err(format!("That is done with a memory: {key} goes to their list."));
    }
    if !app.listed.is_whole() {
        return Err("The stores are still being read.".into());
    }
    filter::is_answered(app)
}

fn under_cursor(app: &App) -> Result<EntryRef, String> {
    place(app)?;
    if let Some(compare) = app.compare.as_ref().filter(|_| app.screen == Screen::Compare) {
        return Ok(compare.chosen());
    }
    app.selected()
        .ok_or_else(|| "no memory is under the cursor, and none is marked: nothing is changed".into())
}

/// The marked memories, or the one under the cursor where none is. A text is one memory's.
fn aimed(app: &App, action: Action) -> Result<Aim, String> {
    place(app)?;
    if app.marks.is_empty() || action == Action::EditText || app.screen == Screen::Compare {
        return Ok(aim_at(app, vec![under_cursor(app)?], Vec::new()));
    }
    Ok(aim_at(app, app.marks.list(), app.marks.hidden_ones(&app.results.hits)))
}

/// An aim at memories of the list, of which it hides some.
pub(super) fn aim_at(app: &App, at: Vec<EntryRef>, hidden: Vec<EntryRef>) -> Aim {
    let name = match at.as_slice() {
        [one] => App::quoted(&app.listed, *one),
        several => memories(several.len()),
    };
    let (mut at, mut hidden) = (at, hidden);
    hidden.sort_unstable();
    let is_picked = app.results.picked.is_some() && app.marks.pick.is_some();
    let listed = app.results.hits.iter().map(|hit| hit.at).filter(|_| is_picked);
    let own: HashSet<EntryRef> = at.iter().copied().collect();
    let beside = listed.filter(|at| !own.contains(at)).collect();
    // The order of the list. Memories that the list hides come last.
    if at.len() > 1 {
        let hits = app.results.hits.iter().map(|hit| hit.at).filter(|at| own.contains(at));
        let shown: Vec<EntryRef> = hits.collect();
        let seen: HashSet<EntryRef> = shown.iter().copied().collect();
        at.retain(|at| !seen.contains(at));
        at.splice(0..0, shown);
    }
    Aim { snapshot: Arc::clone(&app.listed), at, beside, name, hidden }
}

/// Gives a change to the workers. It binds the stores as the user saw them. What several
/// memories are to have is shown first, and so is what goes without the menu.
pub(super) fn ask(app: &mut App, aim: Option<Aim>, wanted: Wanted) {
    let Some(data) = app.data.clone() else { return };
    let turns = aim.is_none();
    let aim = aim.unwrap_or_else(|| Aim { snapshot: Arc::clone(&app.snapshot), ..Aim::default() });
    let Aim { snapshot, at, beside, name, hidden } = aim;
    if at.is_empty() && !turns {
        return app.say("Nothing is chosen: nothing is changed.");
    }
    let is_repeated = app.bulk.last.as_ref() == Some(&wanted);
    let for_good = matches!(wanted, Wanted::Erase(_) | Wanted::Rename { .. });
    let shown = at.len() > 1
        || !hidden.is_empty()
        || for_good
        || is_repeated && app.menu.is_none() && matches!(wanted, Wanted::Delete(_));
    let waits = if app.changing > 0 { ", after the change before it" } else { "" };
    let going_on = if shown { "Looking at what changes:" } else { wanted.going_on() };
    app.notice = Some(format!("{going_on} {name}").trim_end().to_owned() + " …" + waits);
    let request = ChangeRequest::new(snapshot, By::Screen, wanted, data, app.now);
    let request = Box::new(ChangeRequest { at, beside, name, hidden, ..request });
    if shown {
        hold(app, &request);
        return app.give_job(Job::Plan(request));
    }
    given(app, Some(&request));
    app.give_job(Job::Change(request));
}

/// A change is given to the thread that makes them.
pub(super) fn given(app: &mut App, request: Option<&ChangeRequest>) {
    let goes_or_comes = |own: &&ChangeRequest| own.wanted.binds() || matches!(own.wanted, Wanted::Erase(_));
    let moves = request.filter(goes_or_comes).map(|own| (Arc::clone(&own.snapshot), own.at.clone()));
    let repeatable = request.map(|own| &own.wanted).filter(|wanted| wanted.is_repeatable()).cloned();
    app.bulk.given.push_back(Given { moves, repeatable });
    app.changing += 1;
}

/// The change that was given to it first came to its end.
pub(super) fn over(app: &mut App) -> Given {
    app.changing = app.changing.saturating_sub(1);
    app.bulk.given.pop_front().unwrap_or_default()
}

/// A change is being planned: until its plan is there, no key does anything else.
pub fn hold(app: &mut App, request: &ChangeRequest) {
    let progress = Arc::clone(&request.progress);
    app.bulk.going = Some(Going { progress, what: "looking at what changes".into(), plans: true });
}

/// A key while a change is being planned: nothing else than leaving it does anything, so that no
/// key that was meant for something else answers its question.
pub fn waiting_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => app.give(Effect::Redraw),
        KeyCode::Char('Q') => {
            stop(app);
            app.give(Effect::Quit);
        }
        KeyCode::Esc => _ = stop(app),
        _ => {}
    }
}

/// Stops what is planned, or waits to be written. Whether there was anything of that.
pub fn stop(app: &mut App) -> bool {
    let Some(going) = &app.bulk.going else { return false };
    app.notice = Some(match going.progress.stop() {
        true => "Stopping: nothing is changed …".into(),
        false => format!("It is being written, and is finished; {} undoes it.", Action::Undo.key()),
    });
    true
}

/// How far a change is, where it takes a while.
pub fn figure(app: &mut App) {
    let Some(going) = &app.bulk.going else { return };
    let (done, of) = going.progress.figure();
    let figure = if of > 0 && !app.reduced_motion { format!(" {done} of {of}") } else { String::new() };
    let stops = if going.is_open() { " · Esc stops it" } else { "" };
    app.say(format!("{}{figure} …{stops}", going.what));
}

/// A change came to its end: whatever became of it, the stores are read anew.
pub fn done(app: &mut App, outcome: Result<Changed, String>) {
    let given = over(app);
    if app.bulk.going.as_ref().is_some_and(|going| !going.plans) {
        app.bulk.going = None;
    }
    app.deleted.of = None;
    app.give(arrive::reload(app));
    match outcome {
        Ok(mut changed) => {
            if changed.turned == Turned::Made && given.repeatable.is_some() {
                app.bulk.last = given.repeatable;
            }
            if let Some((of, at)) = given.moves {
                let done = carried(&of, &app.listed, at.into_iter());
                done.into_iter().for_each(|at| app.marks.set(at, false));
                app.marks.see(&app.results.hits);
            }
            if !changed.receipt.is_empty() {
                app.bulk.receipt = Some(std::mem::take(&mut changed.receipt));
                app.bulk.receipt_top = 0;
                // Whoever leaves is to see what it came to.
                app.leaving = false;
            }
            if app.leaving && app.changing == 0 {
                app.give(Effect::Quit);
            }
            app.notice = Some(told(app, changed));
        }
        Err(why) => {
            // Whoever leaves is to see that it was not done.
            app.leaving = false;
            early::refused(app);
            app.say(why);
        }
    }
}

pub fn told(app: &mut App, changed: Changed) -> String {
    tutor::changed(app, &changed);
    let follows = match changed.turned {
        Turned::Made | Turned::Redone => {
            app.undoable += 1;
            format!(" · {} to undo", Action::Undo.key())
        }
        Turned::Undone => {
            app.undoable = app.undoable.saturating_sub(1);
            format!(" · {} to redo", Action::Redo.key())
        }
        Turned::Nothing => String::new(),
    };
    let notes: String = changed.notes.iter().map(|note| format!(" · {note}")).collect();
    format!("{}{follows}{notes}", changed.said)
}

/// Has files of ours looked after, where the stores hold any.
pub fn tend(app: &mut App) {
    let can = !app.readonly && !app.tending && app.is_whole();
    let Some(data) = app.data.clone().filter(|_| can) else { return };
    // Once in any case: what was cut short need not have left a file in a store.
    if app.tended && app.snapshot.stores.iter().all(|store| store.own.is_empty()) {
        return;
    }
    (app.tending, app.tended) = (true, true);
    let snapshot = Arc::clone(&app.snapshot);
    app.give_job(Job::Tend { snapshot, data, now: app.now });
}

/// Files of ours were looked after.
pub fn tended(app: &mut App, tended: Tended) {
    app.tending = false;
    let rescued = plan::counted(tended.rescued as u64, "line");
    let rescued =
        (tended.rescued > 0).then(|| format!("rescued {rescued} that came while a file was being replaced"));
    let told: Vec<String> = rescued.into_iter().chain(tended.notes).collect();
    if !told.is_empty() {
        app.notice = Some(told.join(" · "));
    }
    if tended.rescued > 0 {
        app.give(arrive::reload(app));
    }
}

/// Leaving waits for changes that are being made.
pub fn finish_first(app: &mut App) {
    if app.changing > 0 && app.effects.iter().any(|effect| matches!(effect, Effect::Quit)) {
        app.effects.retain(|effect| !matches!(effect, Effect::Quit));
        app.leaving = true;
        app.say("A change is being finished; then palimp ends.");
    }
}
