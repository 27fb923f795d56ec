//! Keys in the editor, and the results that come back to it.

mod compare;
pub mod edit_json_field;
mod form_request;
pub mod leave;
pub mod results;
pub mod typing;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::ops;
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::editor::text_buffer::TextBuffer;
use crate::tui::editor::{Editor, is_open};
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::{Effect, FormPart};
use crate::tui::possible_changes;
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::update::command_help;
use crate::tui::update::editor::form_request::{ask, changed};
use crate::work::Job;

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
        Action::Save => results::save(app),
        Action::Fix => fix(app),
        Action::NextProblem => to_finding(app, true),
        Action::PreviousProblem => to_finding(app, false),
        Action::EditText if is_open(editor.own()) => {
            let field = FormPart::Field(editor.field);
            app.push_effect(Effect::EditFormPart(field));
        }
        Action::EditJson => app.push_effect(Effect::EditFormPart(FormPart::Record)),
        Action::Undo => typing::reverse(app, TextBuffer::undo),
        Action::Redo => typing::reverse(app, TextBuffer::redo),
        Action::AsOnDisk => {
            let form = Arc::clone(&editor.form);
            for (text, field) in editor.texts.iter_mut().zip(&form.fields) {
                text.set(&field.value);
            }
            app.say(format!("Every field is as on disk · {} undoes it", Action::Undo.editor_key()));
            changed(app)
        }
        Action::Difference => compare::open(app),
        Action::Reveal => app.reveal(),
        _ => {}
    }
}

pub fn fix(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let of_field = editor.findings(editor.field).find_map(|finding| finding.fix.clone());
    let any = || editor.judged.findings.iter().find_map(|finding| finding.fix.clone());
    let Some(fix) = of_field.or_else(any).filter(|_| editor.judged_version == editor.version) else {
        return app.say("There is nothing to fix here.");
    };
    editor.field = fix.field;
    editor.text().set(&fix.value);
    app.say(format!("{} · {} undoes it", fix.title, Action::Undo.editor_key()));
    changed(app)
}

fn to_finding(app: &mut App, ahead: bool) {
    let Some(editor) = &mut app.editor else { return };
    let mut fields: Vec<usize> = editor.judged.findings.iter().filter_map(|finding| finding.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let current = editor.field;
    let next = match ahead {
        true => fields.iter().find(|at| **at > current).or(fields.first()),
        false => fields.iter().rev().find(|at| **at < current).or(fields.last()),
    };
    match next {
        Some(at) => editor.field = *at,
        None => app.say("No problem is in this form."),
    }
}
