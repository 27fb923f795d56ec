//! Keys that change memories: what is asked for, and what comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::tutor;
use super::{
    among_memories, delete_menu, edit_text, editor, field_prompt, job_results, marks, queued_keys,
    search_query,
};
use crate::model::entry_tracker::track_entries;
use crate::model::{EntryRef, State, plan};
use crate::ops::{self, Operation};
use crate::tui::action::Action;
use crate::tui::app::{App, ChangeTarget, Pane, Screen};
use crate::tui::message::{Effect, FormPart};
use crate::tui::pending_changes::{ActiveChange, QueuedChange};
use crate::tui::prompt::PromptPurpose;
use crate::usecase::{ChangeCommand, ChangeReport, ChangeRequest, HistoryEffect, Requester, memory_count};
use crate::work::{Job, RecoveryReport};

/// What a change asks of a format, where it asks for something.
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

/// Whether an action that changes something can work now.
pub fn can(app: &App, action: Action) -> bool {
    match action {
        _ if app.is_readonly() => false,
        Action::Undo => app.undo_count > 0,
        Action::Repeat => app.changes.last_change.is_some() && aimed(app, action).is_ok(),
        // Of several some can, or the plan says why none does.
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

/// Whether a memory is archived alone: in some stores a session goes with all that it has.
fn goes_alone(app: &App, at: EntryRef) -> bool {
    let (store, entry) = app.listed_snapshot.get(at);
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
            let wanted = field_prompt::pinning(&aim);
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

/// The marked memories, or the one under the cursor where none is. A text is one memory's.
fn aimed(app: &App, action: Action) -> Result<ChangeTarget, String> {
    place(app)?;
    if app.marks.is_empty() || action == Action::EditText || app.screen == Screen::Difference {
        return Ok(target_of(app, vec![under_cursor(app)?], Vec::new()));
    }
    Ok(target_of(app, app.marks.list(), app.marks.hidden_ones(&app.results.hits)))
}

/// An aim at memories of the list, of which it hides some.
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
    // The order of the list. Memories that the list hides come last.
    if at.len() > 1 {
        let hits = app.results.hits.iter().map(|hit| hit.at).filter(|at| own.contains(at));
        let shown: Vec<EntryRef> = hits.collect();
        let seen: HashSet<EntryRef> = shown.iter().copied().collect();
        at.retain(|at| !seen.contains(at));
        at.splice(0..0, shown);
    }
    ChangeTarget { snapshot: Arc::clone(&app.listed_snapshot), at, beside, name, hidden }
}

/// Gives a change to the workers. It binds the stores as the user saw them. What several
/// memories are to have is shown first, and so is what goes without the menu.
pub(super) fn request_change(app: &mut App, aim: Option<ChangeTarget>, wanted: ChangeCommand) {
    let Some(data) = app.data.clone() else { return };
    let turns = aim.is_none();
    let aim = aim
        .unwrap_or_else(|| ChangeTarget { snapshot: Arc::clone(&app.snapshot), ..ChangeTarget::default() });
    let ChangeTarget { snapshot, at, beside, name, hidden } = aim;
    if at.is_empty() && !turns {
        return app.say("Nothing is chosen: nothing is changed.");
    }
    let is_repeated = app.changes.last_change.as_ref() == Some(&wanted);
    let for_good = matches!(wanted, ChangeCommand::Erase(_) | ChangeCommand::RenameTag { .. });
    let shown = at.len() > 1
        || !hidden.is_empty()
        || for_good
        || is_repeated && app.delete_menu.is_none() && matches!(wanted, ChangeCommand::Delete(_));
    let waits = if app.change_count > 0 { ", after the change before it" } else { "" };
    let going_on = if shown { "Looking at what changes:" } else { wanted.progress_words() };
    app.notice = Some(format!("{going_on} {name}").trim_end().to_owned() + " …" + waits);
    let request = ChangeRequest::new(snapshot, Requester::Screen, wanted, data, app.now);
    let request = Box::new(ChangeRequest { at, beside, name, hidden, ..request });
    if shown {
        wait_for_plan(app, &request);
        return app.give_job(Job::Plan(request));
    }
    enqueue(app, Some(&request));
    app.give_job(Job::Change(request));
}

/// A change is given to the thread that makes them.
pub(super) fn enqueue(app: &mut App, request: Option<&ChangeRequest>) {
    let goes_or_comes =
        |own: &&ChangeRequest| own.command.binds_to_seen() || matches!(own.command, ChangeCommand::Erase(_));
    let moves = request.filter(goes_or_comes).map(|own| (Arc::clone(&own.snapshot), own.at.clone()));
    let repeatable = request.map(|own| &own.command).filter(|wanted| wanted.is_repeatable()).cloned();
    app.changes.queue.push_back(QueuedChange { moves, repeatable });
    app.change_count += 1;
}

/// The change that was given to it first came to its end.
pub(super) fn finish_queued(app: &mut App) -> QueuedChange {
    app.change_count = app.change_count.saturating_sub(1);
    app.changes.queue.pop_front().unwrap_or_default()
}

/// A change is being planned: until its plan is there, no key does anything else.
pub fn wait_for_plan(app: &mut App, request: &ChangeRequest) {
    let progress = Arc::clone(&request.progress);
    app.changes.active =
        Some(ActiveChange { progress, what: "looking at what changes".into(), is_planning: true });
}

/// A key while a change is being planned: nothing else than leaving it does anything, so that no
/// key that was meant for something else answers its question.
pub fn waiting_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            app.push_effect(Effect::Redraw)
        }
        KeyCode::Char('Q') => {
            stop(app);
            app.push_effect(Effect::Quit);
        }
        KeyCode::Esc => _ = stop(app),
        _ => {}
    }
}

/// Stops what is planned, or waits to be written. Whether there was anything of that.
pub fn stop(app: &mut App) -> bool {
    let Some(going) = &app.changes.active else { return false };
    app.notice = Some(match going.progress.stop() {
        true => "Stopping: nothing is changed …".into(),
        false => format!("It is being written, and is finished; {} undoes it.", Action::Undo.key()),
    });
    true
}

/// How far a change is, where it takes a while.
pub fn show_progress(app: &mut App) {
    let Some(going) = &app.changes.active else { return };
    let (done, of) = going.progress.figure();
    let figure = if of > 0 && !app.reduced_motion { format!(" {done} of {of}") } else { String::new() };
    let stops = if going.is_open() { " · Esc stops it" } else { "" };
    app.say(format!("{}{figure} …{stops}", going.what));
}

/// A change came to its end: whatever became of it, the stores are read anew.
pub fn done(app: &mut App, outcome: Result<ChangeReport, String>) {
    let given = finish_queued(app);
    if app.changes.active.as_ref().is_some_and(|going| !going.is_planning) {
        app.changes.active = None;
    }
    app.deleted.of = None;
    app.push_effect(job_results::reload(app));
    match outcome {
        Ok(mut changed) => {
            if changed.effect == HistoryEffect::Made && given.repeatable.is_some() {
                app.changes.last_change = given.repeatable;
            }
            if let Some((of, at)) = given.moves {
                let done = track_entries(&of, &app.listed_snapshot, at.into_iter());
                done.into_iter().for_each(|at| app.marks.set(at, false));
                app.marks.count_hidden(&app.results.hits);
            }
            if !changed.receipt.is_empty() {
                app.changes.receipt = Some(std::mem::take(&mut changed.receipt));
                app.changes.receipt_top = 0;
                // Whoever leaves is to see what it came to.
                app.quits_when_done = false;
            }
            if app.quits_when_done && app.change_count == 0 {
                app.push_effect(Effect::Quit);
            }
            app.notice = Some(outcome_notice(app, changed));
        }
        Err(why) => {
            // Whoever leaves is to see that it was not done.
            app.quits_when_done = false;
            queued_keys::refused(app);
            app.say(why);
        }
    }
}

pub fn outcome_notice(app: &mut App, changed: ChangeReport) -> String {
    tutor::changed(app, &changed);
    let follows = match changed.effect {
        HistoryEffect::Made | HistoryEffect::Redone => {
            app.undo_count += 1;
            format!(" · {} to undo", Action::Undo.key())
        }
        HistoryEffect::Undone => {
            app.undo_count = app.undo_count.saturating_sub(1);
            format!(" · {} to redo", Action::Redo.key())
        }
        HistoryEffect::Nothing => String::new(),
    };
    let notes: String = changed.notes.iter().map(|note| format!(" · {note}")).collect();
    format!("{}{follows}{notes}", changed.said)
}

/// Has files of ours looked after, where the stores hold any.
pub fn start_cleanup(app: &mut App) {
    let can = !app.readonly && !app.cleanup_running && app.is_whole();
    let Some(data) = app.data.clone().filter(|_| can) else { return };
    // Once in any case: what was cut short need not have left a file in a store.
    if app.cleanup_started && app.snapshot.stores.iter().all(|store| store.own_files.is_empty()) {
        return;
    }
    (app.cleanup_running, app.cleanup_started) = (true, true);
    let snapshot = Arc::clone(&app.snapshot);
    app.give_job(Job::Recover { snapshot, data, now: app.now });
}

/// Files of ours were looked after.
pub fn cleanup_done(app: &mut App, tended: RecoveryReport) {
    app.cleanup_running = false;
    let rescued = plan::count_with_noun(tended.rescued as u64, "line");
    let rescued =
        (tended.rescued > 0).then(|| format!("rescued {rescued} that came while a file was being replaced"));
    let told: Vec<String> = rescued.into_iter().chain(tended.notes).collect();
    if !told.is_empty() {
        app.notice = Some(told.join(" · "));
    }
    if tended.rescued > 0 {
        app.push_effect(job_results::reload(app));
    }
}

/// Leaving waits for changes that are being made.
pub fn quit_after_changes(app: &mut App) {
    if app.change_count > 0 && app.effects.iter().any(|effect| matches!(effect, Effect::Quit)) {
        app.effects.retain(|effect| !matches!(effect, Effect::Quit));
        app.quits_when_done = true;
        app.say("A change is being finished; then palimp ends.");
    }
}
