//! Counts before a move: `3j`, `19j`, `12G`. The keys 1 to 5 also go to panes, at once. If a move
//! follows soon, the digit is a count, and the move happens in the pane that had the focus before.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action_dispatch::act;
use super::{queued_keys, up_down_page_top_last};
use crate::model::Moment;
use crate::tui::action::Action;
use crate::tui::key_lookup::{self, KeyMeaning};
use crate::tui::keymap;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_cursor::{CountOrigin, TypedCount};
use crate::tui::update::next_problem_new_secret_marked_session;

/// A key within this many microseconds after a pane's key makes the digit a count.
const COUNT_INTERVAL: i64 = 600_000;
/// No list is longer.
const MOST: usize = 1 << 30;

/// Takes a digit. True if the key is part of a count.
pub fn digit(app: &mut App, key: KeyEvent) -> bool {
    let KeyCode::Char(c) = key.code else { return false };
    let Some(digit) = c.to_digit(10).filter(|_| key.modifiers == KeyModifiers::NONE) else { return false };
    let digit = digit as usize;
    match app.count.typed.take().filter(|count| is_open(app, count)) {
        Some(count) => {
            let typed = count.typed.saturating_mul(10).saturating_add(digit).min(MOST);
            count.before.into_iter().for_each(|before| go_back(app, before));
            app.count.typed = Some(TypedCount { typed, before: None });
        }
        None if digit == 0 => return false,
        None if queued_keys::holds_digit(app, key) => {}
        None => {
            let mut before = None;
            if keymap::in_use().counts_every_digit() {
                // No digit has an action in this keymap.
            } else if let KeyMeaning::Act(action) = key_lookup::lookup("", key) {
                let under = app.selected().map(|at| App::identity(&app.listed_snapshot, at));
                let (pane, screen, until) =
                    (app.focus, app.screen, Moment(app.monotonic_now.0 + COUNT_INTERVAL));
                before = Some(CountOrigin { pane, screen, under, until });
                act(app, action);
            }
            app.count.typed = Some(TypedCount { typed: digit, before });
        }
    }
    true
}

/// True if the next key can continue the count.
fn is_open(app: &App, count: &TypedCount) -> bool {
    count.before.as_ref().is_none_or(|before| app.monotonic_now <= before.until)
}

/// Restores the focus of before the digit.
fn go_back(app: &mut App, before: CountOrigin) {
    (app.focus, app.screen) = (before.pane, before.screen);
    if queued_keys::is_search_pending(app) {
        app.awaited_memory = before.under;
    }
}

/// Keeps the count while a key sequence is typed: it is for the action of the sequence.
pub fn goes_on(app: &mut App) {
    let count = app.count.typed.take().filter(|count| is_open(app, count));
    let until = Moment(app.monotonic_now.0 + COUNT_INTERVAL);
    app.count.typed = count.map(|mut count| {
        count.before.iter_mut().for_each(|before| before.until = until);
        count
    });
}

/// Ends the count and gives it to an action. False if the action has to wait: the digit changed the
/// list, and the action is queued until the list is as before.
pub fn give(app: &mut App, action: Action, before: &str, key: KeyEvent) -> bool {
    app.count.times = None;
    let Some(count) = app.count.typed.take().filter(|count| is_open(app, count)) else { return true };
    let Some(place) = count.before else {
        app.count.times = Some(count.typed);
        return true;
    };
    if !is_move(action, place.screen) {
        return true;
    }
    go_back(app, place);
    if queued_keys::is_search_pending(app) {
        app.count.typed = Some(TypedCount { typed: count.typed, before: None });
        queued_keys::queue_key(app, action, before, key);
        return false;
    }
    app.count.times = Some(count.typed);
    true
}

/// True if a count repeats the action.
fn is_move(action: Action, screen: Screen) -> bool {
    let is_day =
        matches!(action, Action::PaneLeft | Action::PaneRight | Action::WeekBack | Action::WeekAhead);
    up_down_page_top_last::cursor_target(action, 0, 0, 0, None).is_some()
        || next_problem_new_secret_marked_session::NextKind::of(action).is_some()
        || is_day && screen == Screen::Statistics
        || matches!(action, Action::NextMatch | Action::PreviousMatch)
}

/// Drops a count that is being typed. True if there was one that can't be a pane's key.
pub fn dropped(app: &mut App) -> bool {
    app.count.typed.take().is_some_and(|count| count.before.is_none())
}
