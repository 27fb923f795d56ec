//! Keys that change memories: what is asked for, and what comes of it.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{arrive, editor, prompt};
use crate::model::{EntryRef, State, plan};
use crate::ops::{self, Deed};
use crate::tui::action::Action;
use crate::tui::app::{Aim, App, Choice, Confirm, Menu, Pane, Screen};
use crate::tui::msg::{Effect, Lent};
use crate::tui::prompt::Purpose;
use crate::work::{ChangeRequest, Changed, Job, Planned, Tended, Turned, Wanted};

/// What a change asks of a format, where it asks for something.
fn deed(action: Action) -> Option<Deed> {
    match action {
        Action::Edit | Action::RecordInEditor | Action::EditText | Action::Importance => Some(Deed::Edit),
        Action::Tag => Some(Deed::Tag),
        Action::Archive => Some(Deed::Archive),
        _ => None,
    }
}

/// Whether an action that changes something can work now.
pub fn can(app: &App, action: Action) -> bool {
    match action {
        _ if app.is_readonly() => false,
        Action::Undo => app.can_undo,
        _ => match (aimed(app), deed(action)) {
            (Ok(at), Some(deed)) => {
                let (store, entry) = app.listed.get(at);
                ops::may(store, entry, deed).is_ok()
            }
            (aimed, _) => aimed.is_ok(),
        },
    }
}

/// Does an action that changes something, or says why it can't be done.
pub fn act(app: &mut App, action: Action) -> Vec<Effect> {
    match begin(app, action) {
        Ok(effects) => effects,
        Err(why) => {
            app.notice = Some(why);
            Vec::new()
        }
    }
}

fn begin(app: &mut App, action: Action) -> Result<Vec<Effect>, String> {
    writable(app)?;
    match action {
        Action::Undo => return Ok(ask(app, None, Wanted::Undo)),
        Action::Redo => return Ok(ask(app, None, Wanted::Redo)),
        _ => {}
    }
    let at = aimed(app)?;
    let (store, entry) = app.listed.get(at);
    if let Some(deed) = deed(action) {
        ops::may(store, entry, deed).map_err(refused)?;
    }
    let name = App::name_of(&app.listed, at);
    let aim = Aim { snapshot: Arc::clone(&app.listed), at: vec![at], name };
    match action {
        Action::Edit => return editor::open(app, &aim),
        Action::RecordInEditor => {
            let mut effects = editor::open(app, &aim)?;
            effects.push(Effect::Lend(Lent::Record));
            return Ok(effects);
        }
        Action::EditText => return Ok(vec![Effect::Edit(Box::new(aim))]),
        Action::Archive => return Ok(ask(app, Some(aim), Wanted::Archive)),
        Action::Delete => app.menu = Some(menu(aim, at)),
        Action::Tag => prompt_about(app, Purpose::Tag, aim),
        Action::Importance => prompt_about(app, Purpose::Importance, aim),
        _ => {}
    }
    Ok(Vec::new())
}

pub fn refused(refusal: ops::Refusal) -> String {
    format!("{} Nothing was changed. ({})", refusal.message, refusal.code)
}

fn writable(app: &App) -> Result<(), String> {
    if app.readonly {
        return Err("read-only: nothing is changed; start without --readonly to change memories".into());
    }
    if app.data.is_none() {
        return Err("nothing can be changed: there is no home folder to keep what undo needs; \
                    name one with --data-dir"
            .into());
    }
    Ok(())
}

/// The memory under the cursor, where it can be seen that it is meant.
fn aimed(app: &App) -> Result<EntryRef, String> {
    if app.screen != Screen::Browse {
        return Err(format!("that is done among the memories: {} goes there", Action::Browse.key()));
    }
    if !matches!(app.focus, Pane::Memories | Pane::Detail | Pane::Why) {
        let key = Action::MemoriesPane.key();
        return Err(format!("that is done with a memory: {key} goes to their list"));
    }
    let at = app.selected().ok_or("no memory is under the cursor")?;
    if !app.listed.is_whole() {
        return Err("the stores are still being read".into());
    }
    Ok(at)
}

fn prompt_about(app: &mut App, purpose: Purpose, aim: Aim) {
    prompt(app, purpose, "");
    if let Some(prompt) = &mut app.prompt {
        prompt.aim = Some(aim);
    }
}

/// Gives a change to the workers. It binds the stores as the user saw them. What several
/// memories are to have is shown first.
fn ask(app: &mut App, aim: Option<Aim>, wanted: Wanted) -> Vec<Effect> {
    let Some(data) = app.data.clone() else { return Vec::new() };
    let (snapshot, at, name) = match aim {
        Some(aim) => (aim.snapshot, aim.at, aim.name),
        None => (Arc::clone(&app.snapshot), Vec::new(), String::new()),
    };
    let several = at.len() > 1;
    let waits = if app.changing > 0 { ", after the change before it" } else { "" };
    let going_on = if several { "looking at what changes:" } else { wanted.going_on() };
    app.notice = Some(format!("{going_on} {name}").trim_end().to_owned() + " …" + waits);
    let request = Box::new(ChangeRequest { snapshot, at, name, wanted, data, now: app.now });
    if several {
        return vec![Effect::Job(Job::Plan(request))];
    }
    app.changing += 1;
    vec![Effect::Job(Job::Change(request))]
}

/// A change was planned: it is shown, and waits for a yes.
pub fn planned(app: &mut App, outcome: Result<Planned, String>) -> Vec<Effect> {
    match outcome {
        Ok(planned) if planned.plans.is_empty() => {
            app.notice = Some(format!("{}: there is nothing to change", planned.request.name));
        }
        Ok(planned) => {
            let question = format!("{} {}?", planned.request.wanted.verb(), planned.request.name);
            app.notice = None;
            app.confirm = Some(Confirm { planned: Box::new(planned), question });
        }
        Err(why) => app.notice = Some(why),
    }
    Vec::new()
}

/// A key while a change waits for its yes. Nothing else means yes.
pub fn confirm_key(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => vec![Effect::Redraw],
        KeyCode::Char('y') if key.modifiers.is_empty() => {
            let Some(confirm) = app.confirm.take() else { return Vec::new() };
            app.changing += 1;
            let request = &confirm.planned.request;
            app.notice = Some(format!("{} {} …", request.wanted.going_on(), request.name));
            vec![Effect::Job(Job::Commit(confirm.planned))]
        }
        KeyCode::Esc | KeyCode::Char('n' | 'q') => {
            app.confirm = None;
            app.notice = Some("nothing was changed".into());
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn menu(aim: Aim, at: EntryRef) -> Menu {
    let (store, entry) = aim.snapshot.get(at);
    let refused = |deed| ops::may(store, entry, deed).err().map(|refusal| refusal.message);
    let line =
        |key, name, about, wanted, refused: Option<String>| Choice { key, name, about, wanted, refused };
    let mut lines = vec![
        line(
            'x',
            "delete",
            "as its format does it; what goes is kept for 30 days",
            Wanted::Delete,
            refused(Deed::Delete),
        ),
        line('a', "archive", "moved aside, out of the list", Wanted::Archive, refused(Deed::Archive)),
    ];
    let back = match entry.state {
        State::Deleted => Some(Wanted::Undelete),
        State::Archived => Some(Wanted::Unarchive),
        _ => None,
    };
    lines.extend(back.map(|wanted| line('r', "restore", "brought back to the list", wanted, None)));
    Menu { aim, lines }
}

/// A key while the menu is open. Only what the menu names does anything.
pub fn menu_key(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    let Some(menu) = &app.menu else { return Vec::new() };
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => vec![Effect::Redraw],
        KeyCode::Esc | KeyCode::Char('q') => {
            app.menu = None;
            Vec::new()
        }
        KeyCode::Char(typed) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
            let Some(line) = menu.lines.iter().find(|line| line.key == typed) else { return Vec::new() };
            if let Some(why) = &line.refused {
                app.notice = Some(why.clone());
                return Vec::new();
            }
            let (aim, wanted) = (menu.aim.clone(), line.wanted.clone());
            app.menu = None;
            ask(app, Some(aim), wanted)
        }
        _ => Vec::new(),
    }
}

/// Enter in a prompt about a memory. What can't be understood stays to be mended.
pub fn entered(app: &mut App) -> Vec<Effect> {
    let Some(prompt) = &app.prompt else { return Vec::new() };
    let text = prompt.text();
    let wanted = match prompt.purpose {
        _ if text.trim().is_empty() => Ok(None),
        Purpose::Tag => tags(&text).map(Some),
        _ => importance(&text).map(Some),
    };
    match wanted {
        Err(why) => {
            app.notice = Some(why.into());
            Vec::new()
        }
        Ok(wanted) => {
            let aim = app.prompt.take().and_then(|prompt| prompt.aim);
            match (aim, wanted) {
                (Some(aim), Some(wanted)) => ask(app, Some(aim), wanted),
                _ => Vec::new(),
            }
        }
    }
}

fn tags(text: &str) -> Result<Wanted, &'static str> {
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        match (word.strip_prefix('+'), word.strip_prefix('-')) {
            (Some(tag), _) if !tag.is_empty() => add.push(tag.to_owned()),
            (_, Some(tag)) if !tag.is_empty() => remove.push(tag.to_owned()),
            _ => return Err("name tags as +new or -old"),
        }
    }
    Ok(Wanted::Tag { add, remove })
}

fn importance(text: &str) -> Result<Wanted, &'static str> {
    let number = text.trim().parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.map(Wanted::Importance).ok_or("the importance is a number from 0 to 1")
}

/// An editor was left.
pub fn edited(app: &mut App, aim: Aim, before: &str, after: Result<String, String>) -> Vec<Effect> {
    match after {
        Ok(after) if after == before => {
            app.notice = Some("nothing was written otherwise; nothing was changed".into());
            Vec::new()
        }
        Ok(after) => ask(app, Some(aim), Wanted::Text(after)),
        Err(why) => {
            app.notice = Some(why);
            Vec::new()
        }
    }
}

/// A change came to its end: whatever became of it, the stores are read anew.
pub fn done(app: &mut App, outcome: Result<Changed, String>) -> Vec<Effect> {
    app.changing = app.changing.saturating_sub(1);
    let mut effects = vec![arrive::reload(app)];
    match outcome {
        Ok(changed) => {
            if app.leaving && app.changing == 0 {
                effects.push(Effect::Quit);
            }
            app.notice = Some(told(app, changed));
        }
        Err(why) => {
            // Whoever leaves is to see that it was not done.
            app.leaving = false;
            app.notice = Some(why);
        }
    }
    effects
}

pub fn told(app: &mut App, changed: Changed) -> String {
    let follows = match changed.turned {
        Turned::Made | Turned::Redone => {
            app.can_undo = true;
            format!(" · {} to undo", Action::Undo.key())
        }
        Turned::Undone => format!(" · {} to redo", Action::Redo.key()),
        Turned::Nothing => String::new(),
    };
    let notes: String = changed.notes.iter().map(|note| format!(" · {note}")).collect();
    format!("{}{follows}{notes}", changed.said)
}

/// Has files of ours looked after, where the stores hold any.
pub fn tend(app: &mut App) -> Option<Effect> {
    let data = app.data.clone().filter(|_| !app.readonly && !app.tending && app.is_whole())?;
    // Once in any case: what was cut short need not have left a file in a store.
    if app.tended && app.snapshot.stores.iter().all(|store| store.own.is_empty()) {
        return None;
    }
    (app.tending, app.tended) = (true, true);
    let snapshot = Arc::clone(&app.snapshot);
    Some(Effect::Job(Job::Tend { snapshot, data, now: app.now }))
}

/// Files of ours were looked after.
pub fn tended(app: &mut App, tended: Tended) -> Vec<Effect> {
    app.tending = false;
    let rescued = plan::counted(tended.rescued as u64, "line");
    let rescued =
        (tended.rescued > 0).then(|| format!("rescued {rescued} that came while a file was being replaced"));
    let told: Vec<String> = rescued.into_iter().chain(tended.notes).collect();
    if !told.is_empty() {
        app.notice = Some(told.join(" · "));
    }
    if tended.rescued == 0 { Vec::new() } else { vec![arrive::reload(app)] }
}

/// Leaving waits for changes that are being made.
pub fn finish_first(app: &mut App, effects: &mut Vec<Effect>) {
    if app.changing > 0 && effects.iter().any(|effect| matches!(effect, Effect::Quit)) {
        effects.retain(|effect| !matches!(effect, Effect::Quit));
        app.leaving = true;
        app.notice = Some("finishing a change, then leaving".into());
    }
}
