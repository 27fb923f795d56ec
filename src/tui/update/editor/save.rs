//! Saves the form.

use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::tui::state::editor::{DraftState, Editor};
use crate::tui::update::editor::compare;
use crate::tui::update::editor::form_request::{give, request};
use crate::tui::update::editor::leave::beneath;
use crate::tui::update::reload::load_after_change;
use crate::tui::update::running_change;
use crate::work::Job;
use crate::work::form_jobs::FormSaveOutcome;

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
            forget(app);
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
            let count = own.judged.findings.iter().filter(|own| own.is_new).count();
            editor.warned_version = warned.then_some(own.version);
            (editor.judged_version, editor.judged) = (own.version, own.judged);
            let key = Action::Save.key();
            app.notice = Some(match warned {
                true => {
                    format!("It is not saved yet: {count} to look at; {key} once more saves it all the same.")
                }
                false => format!("It is not saved, and nothing is lost: {}", first(editor)),
            });
        }
        FormSaveOutcome::Failed(why) => {
            (app.quits_when_done, editor.error_shown) = (false, true);
            app.say(format!("{why} What was typed is still here."));
            load_after_change(app);
        }
    }
}

fn first(editor: &Editor) -> String {
    let own = editor.judged.findings.iter().find(|own| own.refuses());
    own.map_or_else(String::new, |own| format!("{} ({})", own.message, own.code.as_str()))
}

/// Drops the draft of the memory whose form is open.
fn forget(app: &mut App) {
    if let Some(mut request) = request(app) {
        request.values = request.form.values();
        app.give_job(Job::KeepDraft(request));
    }
}
