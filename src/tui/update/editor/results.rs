//! Saves the form. Results that come back to the editor: checks, drafts, other states of the store, other editors.

use std::sync::Arc;

use crate::model::{EntryRef, EntryTracker, FormDraft, Moment, Snapshot};
use crate::ops;
use crate::ops::form::FormFinding;
use crate::tui::action::Action;
use crate::tui::editor::{DraftState, Editor, TheirVersion};
use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::tui::update::editor::compare;
use crate::tui::update::editor::form_request::{ask, give, request, told};
use crate::tui::update::editor::leave::{self, beneath};
use crate::tui::update::reload::load_after_change;
use crate::tui::update::running_change;
use crate::work::Job;
use crate::work::form_jobs::{FormSaveOutcome, ValidatedForm};

/// Takes in a check of the form. A check older than the last one is dropped.
pub fn judged(app: &mut App, judged: ValidatedForm) {
    let Some(editor) = &mut app.editor else { return };
    let is_of_now = judged.version == editor.version;
    if !is_of_now && judged.version < editor.judged_version {
        return;
    }
    // The effects on the whole store stay until the whole store is checked again.
    if let Some(effects) = judged.effects {
        editor.effects = Some(effects);
    }
    editor.judged_version = judged.version;
    editor.judged = judged.judged;
    add_known(app);
}

/// Adds the problems of the memory that `check` has found beyond the memory itself, such as a file that is gone. After a
/// change, only those stay that quote something which is still in the form.
pub fn add_known(app: &mut App) {
    let Some(editor) = app.editor.as_mut().filter(|editor| editor.theirs.is_none()) else { return };
    let mut tracker = EntryTracker::new(&editor.snapshot, &app.snapshot);
    let Some(at) = tracker.find(editor.at, &|_| false) else { return };
    let (store, entry) = app.snapshot.get(at);
    let values = editor.values();
    let is_there = |quoted: &str| !quoted.is_empty() && values.iter().any(|value| value.contains(quoted));
    let stays = |message: &str| message.split(['`', '"']).skip(1).step_by(2).any(is_there);
    let is_changed = editor.is_changed();
    for problem in store.problems_of(entry).filter(|own| !is_changed || stays(&own.message)) {
        let known = FormFinding::known(&editor.form, problem);
        let is_same = |own: &FormFinding| own.code == known.code && own.message == known.message;
        if !editor.judged.findings.iter().any(is_same) {
            editor.judged.findings.push(known);
        }
    }
}

pub fn kept(app: &mut App, version: u64, outcome: Result<Moment, String>) {
    let Some(editor) = &mut app.editor else { return };
    if version != editor.version {
        return;
    }
    editor.draft_state = match outcome {
        Ok(_) if !editor.is_changed() => DraftState::Unchanged,
        Ok(when) => DraftState::Saved(when),
        Err(why) => {
            app.notice = Some(format!("What was typed can't be kept: {why}"));
            DraftState::Failed(why)
        }
    };
}

pub fn draft_found(app: &mut App, at: EntryRef, draft: Option<FormDraft>) {
    let Some(editor) = app.editor.as_mut().filter(|editor| editor.opened_at == at && !editor.draft_searched)
    else {
        return;
    };
    editor.draft_searched = true;
    let same = |draft: &FormDraft| {
        let current = |name: &str| editor.form.find(name).map(|at| editor.form.fields[at].value.as_str());
        draft.fields.iter().all(|own| current(&own.name) == Some(own.text.as_str()))
    };
    let draft = draft.filter(|draft| !same(draft));
    if editor.version == editor.first_version {
        editor.found_draft = draft;
        return;
    }
    // The text in the form is newer and replaces the draft. The old draft is kept as a separate text.
    if let (Some(draft), Some(request)) = (draft, request(app)) {
        let fields = draft.fields.iter().map(|own| format!("{}: {}\n", own.name, own.text));
        app.give_job(Job::KeepText(request, fields.collect()));
    }
    app.push_effect(Effect::SaveDraftSoon);
}

/// Compares the form with stores that were read again. If the memory is the same, the form
/// continues at its new place. If it changed, a notice says so at once.
pub fn reloaded(app: &mut App) {
    let now = app.now;
    let snapshot = Arc::clone(&app.snapshot);
    let Some(editor) = app.editor.as_mut().filter(|editor| !editor.saving) else { return };
    if !snapshot.is_whole() || Arc::ptr_eq(&snapshot, &editor.snapshot) {
        return;
    }
    let before = editor.theirs.take();
    let at = EntryTracker::new(&editor.snapshot, &snapshot).find(editor.at, &|_| false);
    let is = at.map(|at| (Arc::clone(&snapshot), at));
    editor.theirs = theirs(editor, is.as_ref(), now);
    match &editor.theirs {
        None => {
            let Some(is) = is else { return };
            (editor.snapshot, editor.at) = is;
            editor.conflict = None;
        }
        Some(theirs) => {
            let is_known = matches!((&before, theirs), (Some(TheirVersion::Gone(old)), TheirVersion::Gone(new)) if old == new);
            if !is_known && !std::mem::take(&mut editor.error_shown) {
                app.notice = Some(told(theirs));
            }
            if !is_known && matches!(theirs, TheirVersion::Gone(_)) && editor.is_changed() {
                // An erased memory may have no draft. The job that keeps drafts checks this.
                editor.draft_state = DraftState::Pending;
            }
            let same = matches!((&before, theirs), (Some(TheirVersion::Changed { form: old, .. }), TheirVersion::Changed { form, .. }) if old == form);
            if before.is_some() && !same && editor.conflict.is_some() {
                // The comparison on screen is out of date.
                return compare::open(app);
            }
        }
    }
    let is_gone =
        app.editor.as_ref().is_some_and(|editor| matches!(editor.theirs, Some(TheirVersion::Gone(_))));
    if is_gone {
        app.effects.extend(leave::unkept(app).map(Effect::Job));
    }
    ask(app, true);
}

fn theirs(editor: &Editor, is: Option<&(Arc<Snapshot>, EntryRef)>, now: Moment) -> Option<TheirVersion> {
    let Some((snapshot, at)) = is else {
        return Some(TheirVersion::Gone("The memory is not on disk any more.".into()));
    };
    let (store, entry) = snapshot.get(*at);
    match ops::form::form(store, entry, now) {
        Err(refusal) => {
            Some(TheirVersion::Gone(format!("The memory can't be edited any more: {}", refusal.message)))
        }
        // Only fields count. Parts that the form does not show stay as they are on disk.
        Ok(form) if form == *editor.form => None,
        Ok(form) => {
            Some(TheirVersion::Changed { snapshot: Arc::clone(snapshot), at: *at, form: Arc::new(form) })
        }
    }
}

/// Saves the form. If another program changed the memory, asks first what to keep.
pub fn save(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    if editor.saving {
        return;
    }
    if editor.theirs.is_some() {
        return compare::open(app);
    }
    let is_shown = editor.warned_version == Some(editor.version);
    if let Some(request) = request(app) {
        give(app, Job::SaveForm(request, is_shown));
    }
}

pub fn saved(app: &mut App, saved: FormSaveOutcome) {
    running_change::finish_queued(app);
    let leaving = app.quits_when_done && app.change_count == 0;
    let Some(editor) = &mut app.editor else { return load_after_change(app) };
    editor.saving = false;
    match saved {
        FormSaveOutcome::Done(own) => {
            // A draft may have been written during the save. This drops it, too.
            if let Some(mut request) = request(app) {
                request.values = request.form.values();
                app.give_job(Job::KeepDraft(request));
            }
            app.editor = None;
            app.screen = beneath(app);
            app.notice = Some(running_change::outcome_notice(app, own));
            load_after_change(app);
            if leaving {
                app.push_effect(Effect::Quit);
            }
        }
        FormSaveOutcome::Same => {
            editor.draft_state = DraftState::Unchanged;
            app.quits_when_done = false;
            app.say("There is nothing to save: nothing was changed.");
        }
        FormSaveOutcome::Judged(own) => {
            app.quits_when_done = false;
            let warned = !own.judged.is_refused();
            let count = own.judged.findings.iter().filter(|finding| finding.is_new).count();
            editor.warned_version = warned.then_some(own.version);
            (editor.judged_version, editor.judged) = (own.version, own.judged);
            let key = Action::Save.key();
            app.notice = Some(match warned {
                true => {
                    format!("It is not saved yet: {count} to look at; {key} once more saves it all the same.")
                }
                false => {
                    let first = editor.judged.findings.iter().find(|finding| finding.refuses());
                    let first = first.map(|first| format!("{} ({})", first.message, first.code.as_str()));
                    format!("It is not saved, and nothing is lost: {}", first.unwrap_or_default())
                }
            });
        }
        FormSaveOutcome::Failed(why) => {
            (app.quits_when_done, editor.error_shown) = (false, true);
            app.say(format!("{why} What was typed is still here."));
            load_after_change(app);
        }
    }
}
