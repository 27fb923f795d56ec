//! Keys that come before the search is answered, or the stores are read: what they would change is not
//! in sight yet, or can't be changed yet.

use crossterm::event::{KeyCode, KeyEvent};

use super::key_pressed;
use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::tui::keys;

/// What the list waits for, if it does.
fn awaited(app: &App) -> Option<&'static str> {
    if is_behind(app) {
        return Some("This waits for the search. Esc cancels it.");
    }
    let is_read = app.listed.is_whole() || app.screen != Screen::Browse || app.error.is_some();
    (!is_read).then_some("This waits until all stores are read. Esc cancels it.")
}

/// Whether the list still answers another question than the one that is asked.
fn is_behind(app: &App) -> bool {
    let shown = app.marks.shown();
    app.screen == Screen::Browse
        && app.error.is_none()
        && app.answered.as_ref().is_some_and(|(query, order, of)| {
            *query != app.searched() || *order != app.order() || *of != shown
        })
}

/// Whether an action waits for the answer, with its key, those `before` it that lead to it, and those after it.
pub fn holds(app: &mut App, action: Action, before: &str, key: KeyEvent) -> bool {
    let Some(told) = awaited(app).filter(|_| action.known().waits) else { return false };
    app.early.extend(before.split(' ').filter_map(keys::of_name));
    app.early.push(key);
    app.say(told);
    true
}

/// Whether a key comes after one that waits: it waits too, and Esc drops them all.
pub fn comes_after(app: &mut App, key: KeyEvent) -> bool {
    if app.early.is_empty() {
        return false;
    }
    match key.code {
        KeyCode::Esc => {
            app.early.clear();
            app.say("Canceled: nothing was done.");
        }
        _ => app.early.push(key),
    }
    true
}

/// Presses the keys that waited, once the list is what was asked for.
pub fn press(app: &mut App) {
    if app.early.is_empty() || awaited(app).is_some() {
        return;
    }
    for key in std::mem::take(&mut app.early) {
        key_pressed(app, key);
    }
}

/// The memory under the cursor when they were pressed is gone: they mean no other.
pub fn lost(app: &mut App) {
    if !app.early.is_empty() {
        app.early.clear();
        app.say("The memory that was under the cursor is gone: nothing was done.");
    }
}
