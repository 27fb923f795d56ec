//! Keys in the editor, and the results that come back to it.

mod compare;
mod form_request;
mod leave;
mod results;
mod typing;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use crate::ops;
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::editor::is_open;
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::{Effect, FormPart};
use crate::tui::possible_changes;
use crate::tui::state::app::{App, ChangeTarget, Screen};
use crate::tui::state::editor::Editor;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::update::editor::form_request::{CHANGED, ask, changed, give, request};
use crate::tui::update::open_prompt;
use crate::work::Job;

pub use leave::{keep_before_leaving, unkept};
pub use results::{draft_found, judged, kept, lent, reloaded, saved, text_for, text_kept};
pub use typing::{paste, refresh};

/// Opens the form of a memory, or returns why it has none.
pub fn open(app: &mut App, aim: &ChangeTarget) -> Result<(), String> {
    let Some(at) = aim.one() else { return Ok(()) };
    let snapshot = Arc::new(aim.snapshot.with_bytes_of(at).ok_or(CHANGED)?);
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
    app.effects.extend(unkept(app).map(Effect::Job));
    ask(app, true);
}

pub fn key(app: &mut App, key: KeyEvent) {
    let Some(editor) = &app.editor else { return };
    let action = match key_lookup::lookup("", key) {
        KeyMeaning::Act(action) => Some(action),
        _ => None,
    };
    match action {
        Some(Action::Redraw) => return app.push_effect(Effect::Redraw),
        Some(Action::Help) if !matches!(key.code, KeyCode::Char(_)) => {
            return open_prompt::open(app, PromptPurpose::Help, "");
        }
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
        Action::Save => save(app),
        Action::Fix => fix(app),
        Action::NextFinding => to_finding(app, true),
        Action::PreviousFinding => to_finding(app, false),
        Action::FieldInEditor if is_open(editor.own()) => {
            app.effects.push(Effect::EditFormPart(FormPart::Field(editor.field)))
        }
        Action::EditJson => app.push_effect(Effect::EditFormPart(FormPart::Record)),
        Action::UndoTyping if editor.text().undo() => changed(app),
        Action::RedoTyping if editor.text().redo() => changed(app),
        Action::AsOnDisk => as_on_disk(app),
        Action::Compare => compare::open(app),
        Action::RevealTyped => {
            app.revealed = true;
            app.push_effect(Effect::MaskSoon);
        }
        _ => {}
    }
}

/// Saves the form. If another program changed the memory, asks first what to keep.
fn save(app: &mut App) {
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

/// Applies the fix of the focused field, or else the first fix.
fn fix(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let own = editor.findings(editor.field).find_map(|own| own.fix.clone());
    let any = || editor.judged.findings.iter().find_map(|own| own.fix.clone());
    let Some(fix) = own.or_else(any).filter(|_| editor.judged_version == editor.version) else {
        return app.say("There is nothing to fix here.");
    };
    editor.field = fix.field;
    editor.text().set(&fix.value);
    app.say(format!("{} · {} undoes it", fix.title, Action::UndoTyping.key()));
    changed(app)
}

fn to_finding(app: &mut App, ahead: bool) {
    let Some(editor) = &mut app.editor else { return };
    let mut fields: Vec<usize> = editor.judged.findings.iter().filter_map(|own| own.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let own = editor.field;
    let next = match ahead {
        true => fields.iter().find(|at| **at > own).or(fields.first()),
        false => fields.iter().rev().find(|at| **at < own).or(fields.last()),
    };
    match next {
        Some(at) => editor.field = *at,
        None => app.say("No problem is in this form."),
    }
}

fn as_on_disk(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    let form = Arc::clone(&editor.form);
    for (text, field) in editor.texts.iter_mut().zip(&form.fields) {
        text.set(&field.value);
    }
    app.say(format!("Every field is as on disk · {} undoes it", Action::UndoTyping.key()));
    changed(app)
}
