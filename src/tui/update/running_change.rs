//! A change while it runs, from the request to the outcome. Finishes interrupted changes of earlier runs.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use crate::model::entry_tracker::track_entries;
use crate::model::plan;
use crate::ops::command::ShownFirst;
use crate::text::columns::human_size;
use crate::tui::action::Action;
use crate::tui::list_view::problems;
use crate::tui::message::Effect;
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::clean_up::CleanUpStep;
use crate::tui::state::pending_changes::{ActiveChange, QueuedChange};
use crate::tui::update::{queued_keys, reload, tutor};
use crate::usecase::{
    ChangeReport, ChangeRequest, Command, EraseOptions, HistoryEffect, RecoveryReport, Requester,
};
use crate::work::Job;

/// Gives a change to the workers, with the stores as the user saw them. The plan is shown first for
/// several or hidden memories, an erasure, a redaction, a merge, a new name, and a deletion repeated without the menu.
pub fn request_change(app: &mut App, aim: Option<ChangeTarget>, command: Arc<dyn Command>) {
    let Some(data) = app.data.clone() else { return };
    let turns = aim.is_none();
    let aim = aim
        .unwrap_or_else(|| ChangeTarget { snapshot: Arc::clone(&app.snapshot), ..ChangeTarget::default() });
    let ChangeTarget { snapshot, at, beside, name, hidden } = aim;
    // The memories that hold a value are found when its erasure is planned.
    let erases_values = command.get::<EraseOptions>().is_some_and(|erasure| !erasure.values.is_empty());
    if at.is_empty() && !turns && !erases_values {
        return app.say("Nothing is chosen: nothing is changed.");
    }
    let is_repeated = app.changes.last_change.as_ref().is_some_and(|last| Arc::ptr_eq(last, &command));
    let shown = match command.rules().shown_first {
        ShownFirst::Always => true,
        ShownFirst::Repeated if is_repeated => true,
        ShownFirst::Repeated | ShownFirst::Several => at.len() > 1 || !hidden.is_empty(),
    };
    let waits = if app.change_count > 0 { ", after the change before it" } else { "" };
    let going_on = if shown { "Looking at what changes:" } else { command.words()[0] };
    app.notice = Some(format!("{going_on} {name}").trim_end().to_owned() + " …" + waits);
    let request = ChangeRequest::new(snapshot, Requester::Screen, command, data, app.now);
    let request = Box::new(ChangeRequest { at, beside, name, hidden, home: app.home.clone(), ..request });
    if shown {
        return plan(app, request);
    }
    enqueue(app, Some(&request));
    app.give_job(Job::Change(request));
}

/// Adds a change to those that the writing thread has to make.
pub(super) fn enqueue(app: &mut App, request: Option<&ChangeRequest>) {
    let goes_or_comes =
        |own: &&ChangeRequest| own.command.rules().binds_to_seen || own.command.is::<EraseOptions>();
    let moves = request.filter(goes_or_comes).map(|own| (Arc::clone(&own.snapshot), own.at.clone()));
    let repeatable = request.map(|own| &own.command).filter(|command| command.rules().is_repeatable).cloned();
    app.changes.queue.push_back(QueuedChange { moves, repeatable, of_clean_up: app.clean_up.is_some() });
    app.change_count += 1;
}

/// Removes the oldest of these changes, because it has ended.
pub(super) fn finish_queued(app: &mut App) -> QueuedChange {
    app.change_count = app.change_count.saturating_sub(1);
    app.changes.queue.pop_front().unwrap_or_default()
}

/// Starts to plan a change. Until the plan comes, no key does anything else.
pub fn plan(app: &mut App, request: Box<ChangeRequest>) {
    let progress = Arc::clone(&request.progress);
    app.changes.active =
        Some(ActiveChange { progress, what: "looking at what changes".into(), is_planning: true });
    app.give_job(Job::Plan(request));
}

/// Handles a key while a change is being planned. The user can only stop it or quit, so that no
/// other key answers the question by mistake.
pub fn waiting_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('Q') => {
            stop(app);
            app.push_effect(Effect::Quit);
        }
        KeyCode::Esc => _ = stop(app),
        _ => {}
    }
}

/// Stops a change, unless it is being written. False if there is none.
pub fn stop(app: &mut App) -> bool {
    let Some(going) = &app.changes.active else { return false };
    app.notice = Some(match going.progress.stop() {
        true => "Stopping: nothing is changed …".into(),
        false => format!("It is being written, and is finished; {} undoes it.", Action::Undo.key()),
    });
    true
}

pub fn show_progress(app: &mut App) {
    let Some(going) = &app.changes.active else { return };
    let (done, of) = going.progress.figure();
    let figure = if of > 0 && !app.reduced_motion { format!(" {done} of {of}") } else { String::new() };
    let stops = if going.is_open() { " · Esc stops it" } else { "" };
    let searched = match going.progress.searched() {
        0 => String::new(),
        bytes => format!(", searched {} beside the stores", human_size(bytes)),
    };
    app.say(format!("{}{figure}{searched} …{stops}", going.what));
}

/// Takes in the outcome of a change. The stores are read again in any case.
pub fn done(app: &mut App, outcome: Result<ChangeReport, String>) {
    let given = finish_queued(app);
    if app.changes.active.as_ref().is_some_and(|going| !going.is_planning) {
        app.changes.active = None;
    }
    app.deleted.of = None;
    reload::load_after_change(app);
    match outcome {
        Ok(mut changed) => {
            if changed.effect == HistoryEffect::Made && given.repeatable.is_some() {
                app.changes.last_change = given.repeatable;
            }
            if matches!(changed.effect, HistoryEffect::Undone | HistoryEffect::Redone) {
                app.changes.reversal = app.changes.ended;
                let keys = (0..app.problem_list.len()).map(|number| problems::key(app, number));
                app.list_view.before_undo = Some(keys.collect());
            }
            if let Some((of, at)) = given.moves {
                let done = track_entries(&of, &app.listed_snapshot, at.into_iter());
                done.into_iter().for_each(|at| app.marks.set(at, false));
                app.marks.count_hidden(&app.results.hits);
            }
            if let Some(clean_up) = app.clean_up.as_mut().filter(|_| given.of_clean_up) {
                let proof = changed.receipt.clone();
                (clean_up.plan, clean_up.proof, clean_up.top) = (None, proof, 0);
                clean_up.step = CleanUpStep::Proof;
                // A deletion has no proof.
                if changed.receipt.is_empty() {
                    (app.clean_up, app.screen) = (None, Screen::Memories);
                }
                app.quits_when_done = false;
            } else if !changed.receipt.is_empty() {
                app.changes.receipt = Some(std::mem::take(&mut changed.receipt));
                app.changes.receipt_top = 0;
                // A user who leaves must see the receipt.
                app.quits_when_done = false;
            }
            if app.quits_when_done && app.change_count == 0 {
                app.push_effect(Effect::Quit);
            }
            app.notice = Some(outcome_notice(app, changed));
        }
        Err(why) => {
            // A user who leaves must see that the change was not made.
            app.quits_when_done = false;
            queued_keys::refused(app);
            if let Some(own) = app.clean_up.as_mut().filter(|_| given.of_clean_up) {
                own.fail(&why);
            }
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

/// Starts the recovery: once, and whenever the stores hold files of palimp.
pub fn start_recovery(app: &mut App) {
    let can = !app.readonly && !app.recovery_running && app.is_whole();
    let Some(data) = app.data.clone().filter(|_| can) else { return };
    // It runs once in any case, because an interrupted change need not leave a file in a store.
    if app.recovery_started && app.snapshot.stores.iter().all(|store| store.own_files.is_empty()) {
        return;
    }
    (app.recovery_running, app.recovery_started) = (true, true);
    let snapshot = Arc::clone(&app.snapshot);
    app.give_job(Job::Recover { snapshot, data, now: app.now });
}

pub fn recovery_done(app: &mut App, tended: RecoveryReport) {
    app.recovery_running = false;
    let rescued = plan::count_with_noun(tended.rescued as u64, "line");
    let rescued =
        (tended.rescued > 0).then(|| format!("rescued {rescued} that came while a file was being replaced"));
    let told: Vec<String> = rescued.into_iter().chain(tended.notes).collect();
    if !told.is_empty() {
        app.notice = Some(told.join(" · "));
    }
    if tended.rescued > 0 {
        app.push_effect(reload::load_now(app));
    }
}
