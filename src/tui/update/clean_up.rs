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
use crate::work::Inspect;

pub use crate::tui::update::clean_up::steps::{planned, rule_kept, verdict_kept};

pub fn open(app: &mut App) {
    let (listed, stores) = (std::sync::Arc::clone(&app.snapshot), app.snapshot.stores.len());
    let (chosen, names) = (vec![true; stores], app.store_names.clone());
    let (home, erased_again) = (app.home.clone(), clean_up::erased_again(app));
    let clean_up = CleanUp { listed, chosen, names, home, erased_again, ..CleanUp::default() };
    app.clean_up = Some(Box::new(clean_up));
    app.screen = Screen::CleanUp;
    if app.data.is_some() {
        ask(app, Inspect::CleanUpRules);
    }
}

/// True if the key opens the help, and is no text.
pub fn is_help(app: &App, key: KeyEvent) -> bool {
    let types = app.clean_up.as_ref().is_some_and(|clean_up| clean_up.step == CleanUpStep::What);
    let is_typed = types && matches!(key.code, KeyCode::Char(_));
    !is_typed && matches!(key_lookup::lookup("", key), KeyMeaning::Act(Action::Help))
}

pub fn key(app: &mut App, key: KeyEvent) {
    let Some(clean_up) = &app.clean_up else {
        app.screen = Screen::Memories;
        return;
    };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('l') {
        return app.push_effect(Effect::Redraw);
    }
    // The proof needs the plan as it was shown.
    if app.changes.queue.iter().any(|change| change.of_clean_up) {
        return match key.code {
            KeyCode::Esc => _ = running_change::stop(app),
            _ => app.say("It is being carried out: the proof comes next."),
        };
    }
    match clean_up.step {
        CleanUpStep::What => what_key(app, key),
        CleanUpStep::Scope => scope_key(app, key),
        CleanUpStep::Preview => preview_key(app, key),
        CleanUpStep::Proof => proof_key(app, key),
    }
}

fn what_key(app: &mut App, key: KeyEvent) {
    let Some(clean_up) = &mut app.clean_up else { return };
    let all = CleanUpField::ALL.len();
    match key.code {
        KeyCode::Esc => leave(app, "Nothing was changed."),
        KeyCode::Down | KeyCode::Tab => clean_up.field = (clean_up.field + 1) % all,
        KeyCode::Up | KeyCode::BackTab => clean_up.field = (clean_up.field + all - 1) % all,
        KeyCode::Enter => steps::to_scope(app),
        _ => {
            clean_up.failure = None;
            clean_up.lines[clean_up.field].key(key);
        }
    }
}

fn scope_key(app: &mut App, key: KeyEvent) {
    let Some(clean_up) = &mut app.clean_up else { return };
    let stores = clean_up.chosen.len();
    if let Some(by) = confirm::scroll_by_key(key, false, stores) {
        clean_up.store.at = clean_up.store.at.saturating_add_signed(by).min(stores.saturating_sub(1));
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Left => {
            clean_up.step = CleanUpStep::What;
            clean_up.failure = None;
        }
        KeyCode::Char(' ') => {
            if let Some(chosen) = clean_up.chosen.get_mut(clean_up.store.at) {
                *chosen = !*chosen;
            }
        }
        KeyCode::Char('*') => clean_up.chosen.fill(true),
        KeyCode::Char('~') => clean_up.chosen.iter_mut().for_each(|chosen| *chosen = !*chosen),
        KeyCode::Enter | KeyCode::Right => steps::to_preview(app),
        _ => {}
    }
}

fn preview_key(app: &mut App, key: KeyEvent) {
    let rows = clean_up::rows_on_screen(app);
    let Some(clean_up) = &mut app.clean_up else { return };
    if let Some(by) = confirm::scroll_by_key(key, false, rows) {
        let at = clean_up.row.at.saturating_add_signed(by);
        clean_up.row.go(at, clean_up.rows.len(), rows);
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Left => {
            clean_up.step = CleanUpStep::Scope;
            clean_up.stop_waiting();
        }
        KeyCode::Char(' ') => {
            let fixed = clean_up.fixed(clean_up.row.at);
            clean_up.toggle(clean_up.row.at);
            let at = clean_up.row.at + 1;
            clean_up.row.go(at, clean_up.rows.len(), rows);
            fixed.into_iter().for_each(|why| app.say(why));
        }
        KeyCode::Char('P') => take_all(app, |reason| reason == CleanUpReason::Pinned),
        KeyCode::Char('N') => take_all(app, |reason| matches!(reason, CleanUpReason::Near(_))),
        KeyCode::Char('t') => {
            clean_up.action_before = Some(clean_up.action);
            clean_up.action = clean_up.next_action();
            // What the user took in was not searched for beside the stores yet.
            let is_stale = clean_up.is_stale;
            steps::plan_again(app, is_stale);
        }
        KeyCode::Char('f') => steps::false_alarm(app),
        KeyCode::Char('o') => confirm::open_place(app),
        KeyCode::Char('R') => steps::to_preview(app),
        KeyCode::Enter | KeyCode::Right => steps::to_confirm(app),
        _ => {}
    }
}

/// Takes all memories in that are listed for a reason; if all are in, takes them out.
fn take_all(app: &mut App, is_of: impl Fn(CleanUpReason) -> bool) {
    let Some(clean_up) = &mut app.clean_up else { return };
    let of: Vec<usize> = (0..clean_up.rows.len()).filter(|at| is_of(clean_up.rows[*at].reason)).collect();
    let all_go = of.iter().all(|at| clean_up.rows[*at].goes);
    let turned: Vec<usize> = of.iter().copied().filter(|at| clean_up.rows[*at].goes == all_go).collect();
    turned.into_iter().for_each(|at| clean_up.toggle(at));
    if of.is_empty() {
        app.say("There is none of that kind.");
    }
}

fn proof_key(app: &mut App, key: KeyEvent) {
    let (lines, rows) = clean_up::proof(app);
    let Some(clean_up) = &mut app.clean_up else { return };
    if let Some(by) = confirm::scroll_by_key(key, false, rows) {
        let last = lines.len().saturating_sub(rows);
        clean_up.top = clean_up.top.min(last).saturating_add_signed(by).min(last);
        return;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => leave(app, ""),
        KeyCode::Char('o') => confirm::open_place(app),
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
