//! The clean-up: from what is to be forgotten to the proof that it is gone.

mod steps;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::action::Action;
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::message::Effect;
use crate::tui::panes::clean_up;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpReason, CleanUpStep};
use crate::tui::update::list_view::row_refresh::ask;
use crate::tui::update::{confirm, running_change};
use crate::usecase::clean_up::CleanUpAction;
use crate::work::Inspect;

pub use crate::tui::update::clean_up::steps::{planned, rule_kept, verdict_kept};

/// Opens the first step.
pub fn open(app: &mut App) {
    let (listed, stores) = (std::sync::Arc::clone(&app.snapshot), app.snapshot.stores.len());
    let (chosen, names) = (vec![true; stores], app.store_names.clone());
    let (home, erased_again) = (app.home.clone(), clean_up::erased_again(app));
    let own = CleanUp { listed, chosen, names, home, erased_again, ..CleanUp::default() };
    app.clean_up = Some(Box::new(own));
    app.screen = Screen::CleanUp;
    if app.data.is_some() {
        ask(app, Inspect::CleanUpRules);
    }
}

/// True if the key opens the help, and is no text.
pub fn is_help(app: &App, key: KeyEvent) -> bool {
    let types = app.clean_up.as_ref().is_some_and(|own| own.step == CleanUpStep::What);
    let is_typed = types && matches!(key.code, KeyCode::Char(_));
    !is_typed && matches!(key_lookup::lookup("", key), KeyMeaning::Act(Action::Help))
}

pub fn key(app: &mut App, key: KeyEvent) {
    let Some(own) = &app.clean_up else {
        app.screen = Screen::Memories;
        return;
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('l') {
        return app.push_effect(Effect::Redraw);
    }
    if app.changes.queue.iter().any(|own| own.of_clean_up) {
        return committing_key(app, key);
    }
    match own.step {
        CleanUpStep::What => what_key(app, key),
        CleanUpStep::Scope => scope_key(app, key),
        CleanUpStep::Preview => preview_key(app, key),
        CleanUpStep::Proof => proof_key(app, key),
    }
}

/// Handles a key while it is carried out: the proof needs the plan as it was shown.
fn committing_key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Esc => _ = running_change::stop(app),
        _ => app.say("It is being carried out: the proof comes next."),
    }
}

fn what_key(app: &mut App, key: KeyEvent) {
    let Some(own) = &mut app.clean_up else { return };
    let all = CleanUpField::ALL.len();
    match key.code {
        KeyCode::Esc => leave(app, "Nothing was changed."),
        KeyCode::Down | KeyCode::Tab => own.field = (own.field + 1) % all,
        KeyCode::Up | KeyCode::BackTab => own.field = (own.field + all - 1) % all,
        KeyCode::Enter => steps::to_scope(app),
        _ => {
            own.failure = None;
            own.lines[own.field].key(key);
        }
    }
}

fn scope_key(app: &mut App, key: KeyEvent) {
    let Some(own) = &mut app.clean_up else { return };
    let stores = own.chosen.len();
    if let Some(by) = confirm::scroll_by_key(key, false, stores) {
        own.store.at = own.store.at.saturating_add_signed(by).min(stores.saturating_sub(1));
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Left => {
            own.step = CleanUpStep::What;
            own.failure = None;
        }
        KeyCode::Char(' ') => {
            if let Some(chosen) = own.chosen.get_mut(own.store.at) {
                *chosen = !*chosen;
            }
        }
        KeyCode::Char('*') => own.chosen.fill(true),
        KeyCode::Char('~') => own.chosen.iter_mut().for_each(|chosen| *chosen = !*chosen),
        KeyCode::Enter | KeyCode::Right => steps::to_preview(app),
        _ => {}
    }
}

fn preview_key(app: &mut App, key: KeyEvent) {
    let rows = clean_up::rows_on_screen(app);
    let Some(own) = &mut app.clean_up else { return };
    if let Some(by) = confirm::scroll_by_key(key, false, rows) {
        let at = own.row.at.saturating_add_signed(by);
        own.row.go(at, own.rows.len(), rows);
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Left => {
            own.step = CleanUpStep::Scope;
            own.stop_waiting();
        }
        KeyCode::Char(' ') => {
            let fixed = own.fixed(own.row.at);
            own.toggle(own.row.at);
            let at = own.row.at + 1;
            own.row.go(at, own.rows.len(), rows);
            fixed.into_iter().for_each(|why| app.say(why));
        }
        KeyCode::Char('P') => take_all(app, |reason| reason == CleanUpReason::Pinned),
        KeyCode::Char('N') => take_all(app, |reason| matches!(reason, CleanUpReason::Near(_))),
        KeyCode::Char('t') => {
            own.action_before = Some(own.action);
            own.action = match own.action {
                CleanUpAction::Erase => CleanUpAction::Delete,
                CleanUpAction::Delete => CleanUpAction::Erase,
            };
            // What the user took in was not searched for beside the stores yet.
            let is_stale = own.is_stale;
            steps::plan_again(app, is_stale);
        }
        KeyCode::Char('f') => steps::false_alarm(app),
        KeyCode::Char('R') => steps::to_preview(app),
        KeyCode::Enter | KeyCode::Right => steps::to_confirm(app),
        _ => {}
    }
}

/// Takes all memories in that are listed for a reason; if all are in, takes them out.
fn take_all(app: &mut App, is_of: impl Fn(CleanUpReason) -> bool) {
    let Some(own) = &mut app.clean_up else { return };
    let of: Vec<usize> = (0..own.rows.len()).filter(|at| is_of(own.rows[*at].reason)).collect();
    let all_go = of.iter().all(|at| own.rows[*at].goes);
    let turned: Vec<usize> = of.iter().copied().filter(|at| own.rows[*at].goes == all_go).collect();
    turned.into_iter().for_each(|at| own.toggle(at));
    if of.is_empty() {
        app.say("There is none of that kind.");
    }
}

fn proof_key(app: &mut App, key: KeyEvent) {
    let (lines, rows) = clean_up::proof(app);
    let Some(own) = &mut app.clean_up else { return };
    if let Some(by) = confirm::scroll_by_key(key, false, rows) {
        let last = lines.len().saturating_sub(rows);
        own.top = own.top.min(last).saturating_add_signed(by).min(last);
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => leave(app, ""),
        KeyCode::Char('V') => {
            leave(app, "");
            super::list_view::act(app, Action::Journal);
        }
        _ => {}
    }
}

fn leave(app: &mut App, why: &str) {
    app.clean_up = None;
    app.screen = Screen::Memories;
    if !why.is_empty() {
        app.say(why);
    }
}
