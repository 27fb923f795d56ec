//! Leaves the editor and finds drafts again: the typed text stays.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use crate::model::Moment;
use crate::tui::action::Action;
use crate::tui::editor::{DraftState, TheirVersion};
use crate::tui::message::Effect;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::editor::form_request::{ask, changed, request, told};
use crate::work::Job;

pub fn beneath(app: &App) -> Screen {
    if app.difference.is_some() { Screen::Difference } else { Screen::Memories }
}

/// Leaves the editor. The typed text is kept as a draft, and a notice says so.
pub fn leave(app: &mut App) {
    let kept = unkept(app);
    let Some(editor) = app.editor.take_if(|editor| !editor.saving) else {
        return app.say("It is being saved.");
    };
    app.screen = beneath(app);
    if editor.is_changed() {
        let key = Action::Edit.key();
        app.notice = Some(match &editor.draft_state {
            DraftState::Failed(why) => format!("Nothing was saved, and what was typed is not kept: {why}"),
            _ => format!("Nothing was saved; what was typed is kept: {key} goes on with it."),
        });
    }
    app.effects.extend(kept.map(Effect::Job));
}

/// Returns the job that keeps the draft; `None` if there is nothing to keep.
pub fn unkept(app: &App) -> Option<Job> {
    let editor =
        app.editor.as_ref().filter(|editor| editor.draft_searched && editor.found_draft.is_none())?;
    let waits = matches!(editor.draft_state, DraftState::Pending | DraftState::Failed(_));
    waits.then(|| editor.request(app)).flatten().map(|request| Job::KeepDraft(Box::new(request)))
}

/// Handles a key while a found draft waits: the user takes it up or drops it.
pub fn found_key(app: &mut App, key: KeyEvent) {
    let Some(editor) = &mut app.editor else { return };
    match key.code {
        KeyCode::Enter => take_up(app),
        KeyCode::Char('x') if key.modifiers.is_empty() => {
            editor.found_draft = None;
            app.say("The draft is dropped.");
            let request = request(app);
            app.effects.extend(request.map(|request| Effect::Job(Job::KeepDraft(request))));
        }
        KeyCode::Esc => {
            app.editor = None;
            app.screen = beneath(app);
            app.say("The draft is still there.");
        }
        _ => say_choices(app),
    }
}

pub fn say_choices(app: &mut App) {
    app.say("There is a draft of this memory: Enter goes on with it, x drops it, Esc goes back. Nothing was typed.");
}

/// Puts a draft into the form. If the memory has changed since, the user decides field by field.
fn take_up(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let Some(draft) = editor.found_draft.take() else { return };
    let now = Arc::clone(&editor.form);
    let mut base = (*now).clone();
    let mut moved = false;
    let mut homeless = Vec::new();
    for own in &draft.fields {
        let Some(at) = now.find(&own.name) else {
            homeless.push(own.name.clone());
            continue;
        };
        moved |= now.fields[at].value != own.before;
        base.fields[at].value = own.before.clone();
        editor.texts[at].set(&own.text);
        editor.field = at;
    }
    app.notice = None;
    if moved {
        let theirs = TheirVersion::Changed {
            snapshot: Arc::clone(&editor.snapshot),
            at: editor.at,
            form: Arc::clone(&now),
        };
        editor.form = Arc::new(base);
        app.notice = Some(told(&theirs));
        editor.theirs = Some(theirs);
    }
    if !homeless.is_empty() {
        app.notice = Some(format!("The form has no place any more for {}.", homeless.join(", ")));
    }
    editor.draft_state =
        Moment::parse(&draft.at).map_or(DraftState::Pending, |(when, _)| DraftState::Saved(when));
    let kept = editor.draft_state.clone();
    changed(app);
    if let (Some(editor), true) = (&mut app.editor, homeless.is_empty()) {
        editor.draft_state = kept;
    }
    ask(app, true);
}
