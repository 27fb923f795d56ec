//! Compares before, mine and theirs if another program changed the memory of a form.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use crate::tui::action::Action;
use crate::tui::editor::compare_conflict::{FieldChoice, FormConflict};
use crate::tui::editor::{DraftState, TheirVersion};
use crate::tui::state::app::App;
use crate::tui::update::editor::form_request::{changed, give, request, told};
use crate::work::Job;

pub fn open(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let values = editor.values();
    editor.conflict = match &editor.theirs {
        Some(TheirVersion::Changed { form, .. }) => Some(FormConflict::of(&editor.form, &values, form)),
        Some(TheirVersion::Gone(_)) => Some(FormConflict::default()),
        None => {
            app.notice = Some("On disk it is as it was when this form was opened.".into());
            None
        }
    };
}

/// Handles a key while the comparison is open. Nothing is written before Save.
pub fn key(app: &mut App, key: KeyEvent) {
    let Some(editor) = &mut app.editor else { return };
    let Some(conflict) = &mut editor.conflict else { return };
    if !key.modifiers.is_empty() {
        return;
    }
    let last = conflict.fields.len().saturating_sub(1);
    match key.code {
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => conflict.at = (conflict.at + 1).min(last),
        KeyCode::Up | KeyCode::Char('k') => conflict.at = conflict.at.saturating_sub(1),
        KeyCode::Char('m') => choose(conflict, FieldChoice::Mine),
        KeyCode::Char('t') => choose(conflict, FieldChoice::Theirs),
        KeyCode::Char('b') => choose(conflict, FieldChoice::Both),
        KeyCode::Char('c') => {
            conflict.saves_copy = !conflict.saves_copy;
            app.notice = None;
        }
        KeyCode::Enter => take(app),
        KeyCode::Esc => {
            editor.conflict = None;
            app.notice = editor.theirs.as_ref().map(told);
        }
        _ => {}
    }
}

fn choose(conflict: &mut FormConflict, side: FieldChoice) {
    conflict.saves_copy = false;
    if let Some(own) = conflict.fields.get_mut(conflict.at) {
        own.side = side;
    }
}

/// Saves the typed text as a new memory, if the user chose that. The memory on disk stays as it is.
pub fn save(app: &mut App) {
    let copies =
        app.editor.as_ref().and_then(|editor| editor.conflict.as_ref()).is_some_and(|own| own.saves_copy);
    if !copies {
        return app.say(format!("Enter takes this into the form, and {} saves it then", Action::Save.key()));
    }
    let into = Arc::clone(&app.snapshot);
    if let Some(request) = request(app) {
        give(app, Job::SaveCopy(request, into));
    }
}

/// Takes the chosen texts into the form, which continues from the memory on disk.
fn take(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let (Some(conflict), Some(TheirVersion::Changed { snapshot, at, form })) =
        (&editor.conflict, &editor.theirs)
    else {
        return app.say("There is nothing to choose from: c makes a new memory of what was typed.");
    };
    if conflict.saves_copy {
        return app
            .say(format!("{} saves it as a new memory; c chooses field by field again", Action::Save.key()));
    }
    let (snapshot, at, form) = (Arc::clone(snapshot), *at, Arc::clone(form));
    let mut texts = Vec::new();
    for field in &form.fields {
        let own = editor.form.find(&field.name).map(|at| editor.texts[at].clone());
        let mut text = own.unwrap_or_default();
        text.set(&conflict.value(&field.name).unwrap_or_else(|| field.value.clone()));
        texts.push(text);
    }
    let name = editor.own().name.clone();
    editor.field = form.find(&name).unwrap_or(0);
    (editor.snapshot, editor.at, editor.form, editor.texts) = (snapshot, at, form, texts);
    (editor.theirs, editor.conflict) = (None, None);
    editor.draft_state = DraftState::Pending;
    app.say(format!("It is taken into the form; {} saves it.", Action::Save.key()));
    changed(app)
}
