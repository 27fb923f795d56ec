//! Keys in the editor, and the results that come back to it.

mod as_on_disk;
mod compare;
pub mod edit_json_field;
mod fix;
mod form_request;
pub mod leave;
mod next_finding;
pub mod results;
pub mod save;
pub mod typing;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::ops;
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::Effect;
use crate::tui::possible_changes;
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::editor::Editor;
use crate::tui::update::editor::form_request::ask;
use crate::tui::update::{command_help, reveal};
use crate::work::Job;

/// Opens the form of a memory, or returns why it has none.
pub fn open(app: &mut App, aim: &ChangeTarget) -> Result<(), String> {
    let Some(at) = aim.one() else { return Ok(()) };
    let snapshot = Arc::clone(&aim.snapshot);
    let (store, entry) = snapshot.get(at);
    let form = ops::form::form(store, entry, app.now).map_err(possible_changes::refused)?;
    app.form_count += 1;
    app.editor = Some(Box::new(Editor::new(Arc::clone(&snapshot), at, form, app.form_count)));
    app.screen = Screen::Editor;
    let Some(data) = app.data.clone() else { return Ok(()) };
    let look = Job::FindDraft { snapshot, at, data, now: app.now };
    app.give_job(look);
    ask(app, true);
    Ok(())
}

/// Keeps the draft after a pause in typing, and checks the form against the whole store.
pub fn keep(app: &mut App) {
    app.effects.extend(leave::unkept(app).map(Effect::Job));
    ask(app, true);
}

pub fn key(app: &mut App, key: KeyEvent) {
    let Some(editor) = &app.editor else { return };
    let is_text = matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let action = match key_lookup::lookup("", key) {
        KeyMeaning::Act(action) if !is_text => Some(action),
        _ => None,
    };
    match action {
        Some(Action::Redraw) => return app.push_effect(Effect::Redraw),
        Some(Action::Help) => return command_help::open_help(app),
        _ => {}
    }
    if editor.saving {
        // Text that is typed here would be lost, because the form closes once it is saved.
        return app.say(format!("Saving {} …", editor.name));
    }
    if editor.conflict.is_some() {
        return match action {
            Some(Action::Save) => compare::save(app),
            _ => compare::key(app, key),
        };
    }
    if editor.found_draft.is_some() {
        return leave::found_key(app, key);
    }
    match action {
        Some(action) if EDITOR_ACTIONS.contains(&action) => act(app, action),
        _ if key.code == KeyCode::Esc => leave::leave(app),
        _ => typing::key(app, key),
    }
}

pub fn act(app: &mut App, action: Action) {
    let Some(editor) = &mut app.editor else {
        let key = Action::Edit.key();
        return app.say(format!("That is done in the editor of a memory: {key} opens it."));
    };
    editor.completion = None;
    match action {
        Action::Save => save::save(app),
        Action::Fix => fix::fix(app),
        Action::NextProblem => next_finding::to_finding(app, true),
        Action::PreviousProblem => next_finding::to_finding(app, false),
        Action::EditText => edit_json_field::edit_field(app),
        Action::EditJson => edit_json_field::edit_json(app),
        Action::Undo => typing::undo(app),
        Action::Redo => typing::redo(app),
        Action::AsOnDisk => as_on_disk::as_on_disk(app),
        Action::Difference => compare::open(app),
        Action::Reveal => reveal::reveal(app),
        _ => {}
    }
}
