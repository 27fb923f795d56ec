//! Asks a worker about the form.

use crate::tui::action::Action;
use crate::tui::editor::{DraftState, TheirVersion};
use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::tui::update::running_change;
use crate::work::Job;
use crate::work::form_jobs::FormRequest;

/// Starts a check of the form, on request against the whole store.
pub fn ask(app: &mut App, is_whole: bool) {
    if let Some(request) = request(app) {
        app.give_job(Job::ValidateForm(request, is_whole));
    }
}

pub fn request(app: &App) -> Option<Box<FormRequest>> {
    app.editor.as_ref()?.request(app).map(Box::new)
}

/// Handles a change of the text: it is checked at once, and kept as a draft soon.
pub fn changed(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    editor.version += 1;
    editor.draft_state = DraftState::Pending;
    app.push_effect(Effect::SaveDraftSoon);
    ask(app, false);
}

pub fn give(app: &mut App, job: Job) {
    let Some(editor) = app.editor.as_mut().filter(|editor| !editor.saving) else { return };
    editor.saving = true;
    app.notice = Some(format!("Saving {} …", editor.name));
    running_change::enqueue(app, None);
    app.give_job(job);
}

/// Returns the notice about a memory that another program changed.
pub fn told(theirs: &TheirVersion) -> String {
    let key = Action::Difference.editor_key();
    match theirs {
        TheirVersion::Changed { .. } => {
            format!("changed on disk meanwhile: {key} shows before, mine and theirs")
        }
        TheirVersion::Gone(why) => format!("{why} What was typed is still here; {key} says what can be done"),
    }
}
