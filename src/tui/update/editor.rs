//! Keys in the editor, and what comes back to it.

mod arrive;
mod leave;
mod settle;
mod typing;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::{change, prompt};
use crate::ops;
use crate::tui::action::{Action, IN_EDITOR};
use crate::tui::app::{Aim, App, Screen};
use crate::tui::editor::{Editor, Kept, Theirs, is_open};
use crate::tui::keys::{self, Pressed};
use crate::tui::msg::{Effect, Lent};
use crate::tui::prompt::Purpose;
use crate::work::Job;

pub use arrive::{draft_found, judged, kept, lent, reloaded, saved, text_for, text_kept};
pub use leave::{keep_before_leaving, unkept};
pub use typing::{paste, refresh};

/// Why a memory has no form whose bytes are gone.
const CHANGED: &str = "The file of the memory was changed since it was read: it is read anew.";

/// Opens the form of a memory, or says why it has none.
pub fn open(app: &mut App, aim: &Aim) -> Result<Vec<Effect>, String> {
    let Some(at) = aim.one() else { return Ok(Vec::new()) };
    let snapshot = Arc::new(aim.snapshot.with_bytes_of(at).ok_or(CHANGED)?);
    let (store, entry) = snapshot.get(at);
    let form = ops::form::form(store, entry, app.now).map_err(change::refused)?;
    app.forms += 1;
    app.editor = Some(Box::new(Editor::new(Arc::clone(&snapshot), at, form, app.forms)));
    app.screen = Screen::Edit;
    let Some(data) = app.data.clone() else { return Ok(Vec::new()) };
    let look = Job::FindDraft { snapshot, at, data, now: app.now };
    let mut effects = vec![Effect::Job(look)];
    effects.extend(ask(app, true));
    Ok(effects)
}

/// Has the form judged as it is now.
fn ask(app: &App, is_whole: bool) -> Option<Effect> {
    let request = app.editor.as_ref()?.request(app)?;
    Some(Effect::Job(Job::Judge(Box::new(request), is_whole)))
}

/// Something was typed: it is judged at once, and kept soon.
fn changed(app: &mut App) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else { return Vec::new() };
    editor.version += 1;
    editor.kept = Kept::Soon;
    let mut effects = vec![Effect::KeepSoon];
    effects.extend(ask(app, false));
    effects
}

/// Typing rested: what was typed is kept, and the whole store is looked at.
pub fn keep(app: &App) -> Vec<Effect> {
    let effects = unkept(app).map(Effect::Job).into_iter();
    effects.chain(ask(app, true).filter(|_| app.editor.is_some())).collect()
}

/// A key in the editor.
pub fn key(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    let Some(editor) = &app.editor else { return Vec::new() };
    let action = match keys::press("", key) {
        Pressed::Act(action) => Some(action),
        _ => None,
    };
    match action {
        Some(Action::Redraw) => return vec![Effect::Redraw],
        Some(Action::Help) if !matches!(key.code, KeyCode::Char(_)) => {
            return prompt(app, Purpose::Help, "");
        }
        _ => {}
    }
    if editor.saving {
        // What is typed now would be in no file: the form closes once it is saved.
        app.notice = Some(format!("saving {} …", editor.name));
        return Vec::new();
    }
    if editor.conflict.is_some() {
        return match action {
            Some(Action::Save) => settle::save(app),
            _ => settle::key(app, key),
        };
    }
    if editor.found.is_some() {
        return leave::found_key(app, key);
    }
    match action {
        Some(action) if IN_EDITOR.contains(&action) => act(app, action),
        _ if key.code == KeyCode::Esc => leave::leave(app),
        _ => typing::key(app, key),
    }
}

/// Does an action of the editor.
pub fn act(app: &mut App, action: Action) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else {
        let key = Action::Edit.key();
        app.notice = Some(format!("that is done in the editor of a memory: {key} opens it"));
        return Vec::new();
    };
    editor.completion = None;
    match action {
        Action::Save => save(app),
        Action::Fix => fix(app),
        Action::NextFinding => to_finding(app, true),
        Action::PreviousFinding => to_finding(app, false),
        Action::FieldInEditor if is_open(editor.own()) => vec![Effect::Lend(Lent::Field(editor.field))],
        Action::RecordInEditor => vec![Effect::Lend(Lent::Record)],
        Action::UndoTyping if editor.text().undo() => changed(app),
        Action::RedoTyping if editor.text().redo() => changed(app),
        Action::AsOnDisk => as_on_disk(app),
        Action::Compare => settle::open(app),
        Action::RevealTyped => {
            app.revealed = true;
            vec![Effect::MaskSoon]
        }
        _ => Vec::new(),
    }
}

/// Saves what was typed; where somebody else changed the memory, asks first what is to stay.
fn save(app: &mut App) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else { return Vec::new() };
    if editor.saving {
        return Vec::new();
    }
    if editor.theirs.is_some() {
        return settle::open(app);
    }
    let is_shown = editor.shown == Some(editor.version);
    let Some(request) = app.editor.as_ref().and_then(|editor| editor.request(app)) else {
        return Vec::new();
    };
    give(app, Job::Save(Box::new(request), is_shown))
}

/// Gives a job to the thread that changes stores.
fn give(app: &mut App, job: Job) -> Vec<Effect> {
    let Some(editor) = app.editor.as_mut().filter(|editor| !editor.saving) else { return Vec::new() };
    editor.saving = true;
    app.notice = Some(format!("saving {} …", editor.name));
    change::given(app, None);
    vec![Effect::Job(job)]
}

/// Applies the fix of the field that has the keys, or the first that there is.
fn fix(app: &mut App) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else { return Vec::new() };
    let own = editor.findings(editor.field).find_map(|own| own.fix.clone());
    let any = || editor.judged.findings.iter().find_map(|own| own.fix.clone());
    let Some(fix) = own.or_else(any).filter(|_| editor.judged_of == editor.version) else {
        app.notice = Some("there is nothing to fix here".into());
        return Vec::new();
    };
    editor.field = fix.field;
    editor.text().set(&fix.value);
    app.notice = Some(format!("{} · {} undoes it", fix.title, Action::UndoTyping.key()));
    changed(app)
}

fn to_finding(app: &mut App, ahead: bool) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else { return Vec::new() };
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
        None => app.notice = Some("no problem in this form".into()),
    }
    Vec::new()
}

fn as_on_disk(app: &mut App) -> Vec<Effect> {
    let Some(editor) = &mut app.editor else { return Vec::new() };
    let form = Arc::clone(&editor.form);
    for (text, field) in editor.texts.iter_mut().zip(&form.fields) {
        text.set(&field.value);
    }
    app.notice = Some(format!("every field as on disk · {} undoes it", Action::UndoTyping.key()));
    changed(app)
}

/// What is to be said at once of a memory that somebody else changed.
fn told(theirs: &Theirs) -> String {
    let key = Action::Compare.key();
    match theirs {
        Theirs::Changed { .. } => format!("changed on disk meanwhile: {key} shows before, mine and theirs"),
        Theirs::Gone(why) => format!("{why} What was typed is still here; {key} says what can be done"),
    }
}
