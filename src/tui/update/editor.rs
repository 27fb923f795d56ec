//! Keys in the editor, and the results that come back to it.

mod compare;
mod leave;
mod results;
mod typing;

use crate::tui::update::running_change;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::{change_memories, prompt};
use crate::ops;
use crate::tui::action::{Action, EDITOR_ACTIONS};
use crate::tui::app::{App, ChangeTarget, Screen};
use crate::tui::editor::{DraftState, Editor, TheirVersion, is_open};
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::{Effect, FormPart};
use crate::tui::prompt::PromptPurpose;
use crate::work::Job;
use crate::work::form_jobs::FormRequest;

pub use leave::{keep_before_leaving, unkept};
pub use results::{draft_found, judged, kept, lent, reloaded, saved, text_for, text_kept};
pub use typing::{paste, refresh};

/// The message if the bytes of a memory are gone, so that it has no form.
const CHANGED: &str = "The file of the memory changed since it was read. It is read again.";

/// Opens the form of a memory, or returns why it has none.
pub fn open(app: &mut App, aim: &ChangeTarget) -> Result<(), String> {
    let Some(at) = aim.one() else { return Ok(()) };
    let snapshot = Arc::new(aim.snapshot.with_bytes_of(at).ok_or(CHANGED)?);
    let (store, entry) = snapshot.get(at);
    let form = ops::form::form(store, entry, app.now).map_err(change_memories::refused)?;
    app.form_count += 1;
    app.editor = Some(Box::new(Editor::new(Arc::clone(&snapshot), at, form, app.form_count)));
    app.screen = Screen::Editor;
    let Some(data) = app.data.clone() else { return Ok(()) };
    let look = Job::FindDraft { snapshot, at, data, now: app.now };
    app.give_job(look);
    ask(app, true);
    Ok(())
}

/// Starts a check of the form, on request against the whole store.
fn ask(app: &mut App, is_whole: bool) {
    if let Some(request) = request(app) {
        app.give_job(Job::ValidateForm(request, is_whole));
    }
}

fn request(app: &App) -> Option<Box<FormRequest>> {
    app.editor.as_ref()?.request(app).map(Box::new)
}

/// Handles a change of the text: it is checked at once, and kept as a draft soon.
fn changed(app: &mut App) {
    let Some(editor) = &mut app.editor else { return };
    editor.version += 1;
    editor.draft_state = DraftState::Pending;
    app.push_effect(Effect::SaveDraftSoon);
    ask(app, false);
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
            return prompt::open(app, PromptPurpose::Help, "");
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

/// Gives a job to the thread that changes stores.
fn give(app: &mut App, job: Job) {
    let Some(editor) = app.editor.as_mut().filter(|editor| !editor.saving) else { return };
    editor.saving = true;
    app.notice = Some(format!("Saving {} …", editor.name));
    running_change::enqueue(app, None);
    app.give_job(job);
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

/// Returns the notice about a memory that another program changed.
fn told(theirs: &TheirVersion) -> String {
    let key = Action::Compare.key();
    match theirs {
        TheirVersion::Changed { .. } => {
            format!("changed on disk meanwhile: {key} shows before, mine and theirs")
        }
        TheirVersion::Gone(why) => format!("{why} What was typed is still here; {key} says what can be done"),
    }
}
