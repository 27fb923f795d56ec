//! Counts before a move: `19j`, `7k`, `12G`. The keys 1 to 5 alone are panes, so that a count has two
//! digits or is one of 6 to 9.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::act::act;
use crate::tui::app::App;
use crate::tui::cursor::Count;
use crate::tui::keymap;
use crate::tui::keys::{self, Pressed};

/// A second digit this many microseconds behind a first that is a pane's key makes a count of both.
const TOGETHER: i64 = 600_000;
/// No list is longer.
const MOST: usize = 1 << 30;

/// Takes a digit; whether the key is one, and part of a count.
pub fn digit(app: &mut App, key: KeyEvent) -> bool {
    let KeyCode::Char(c) = key.code else { return false };
    let Some(digit) = c.to_digit(10).filter(|_| key.modifiers == KeyModifiers::NONE) else { return false };
    let digit = digit as usize;
    let is_together =
        |count: &Count| count.before.is_none_or(|(_, _, when)| (0..TOGETHER).contains(&(app.now.0 - when.0)));
    match app.count.typed.take().filter(is_together) {
        Some(count) => {
            if let Some((pane, screen, _)) = count.before {
                (app.focus, app.screen) = (pane, screen);
            }
            let typed = count.typed.saturating_mul(10).saturating_add(digit).min(MOST);
            app.count.typed = Some(Count { typed, before: None });
        }
        None if digit == 0 => return false,
        None => {
            let mut before = None;
            if keymap::in_use().counts_every_digit() {
                // No digit is a key.
            } else if let Pressed::Act(action) = keys::press("", key) {
                before = Some((app.focus, app.screen, app.now));
                act(app, action);
            }
            app.count.typed = Some(Count { typed: digit, before });
        }
    }
    true
}

/// The count before a move, which is over with it.
pub fn taken(app: &mut App) -> Option<usize> {
    app.count.typed.take().and_then(|count| count.number())
}
