//! The keys of a plan that is shown and waits for a yes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::change::go;
use crate::tui::app::App;
use crate::tui::layout;
use crate::tui::msg::Effect;
use crate::tui::panes;

/// A key while a change waits for its yes. Nothing else means yes.
pub fn confirm_key(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    let is_seen = layout::is_large_enough(app);
    let Some(confirm) = &mut app.confirm else { return Vec::new() };
    match (key.code, &mut confirm.typed) {
        // What can't be read is not agreed to.
        (KeyCode::Char('y') | KeyCode::Enter, _) if !is_seen => Vec::new(),
        (KeyCode::Char('l'), _) if key.modifiers.contains(KeyModifiers::CONTROL) => vec![Effect::Redraw],
        (KeyCode::Esc, _) | (KeyCode::Char('n' | 'q'), None) => {
            app.confirm = None;
            app.notice = Some("nothing was changed".into());
            Vec::new()
        }
        (KeyCode::Char('y'), None) if key.modifiers.is_empty() => go(app),
        (KeyCode::Down, _) | (KeyCode::Char('j'), None) => scroll(app, 1),
        (KeyCode::Up, _) | (KeyCode::Char('k'), None) => scroll(app, -1),
        (KeyCode::PageDown, _) => scroll(app, PAGE),
        (KeyCode::PageUp, _) => scroll(app, -PAGE),
        (KeyCode::Enter, Some(typed)) if typed.so_far.trim() == typed.wanted => go(app),
        (KeyCode::Backspace, Some(typed)) => {
            typed.so_far.pop();
            Vec::new()
        }
        (KeyCode::Char(c), Some(typed)) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
            if typed.so_far.len() < typed.wanted.len() {
                typed.so_far.push(c);
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// So many lines of a plan are gone over at once.
const PAGE: isize = 8;

/// Moves through what a plan tells: its last line stays on screen.
fn scroll(app: &mut App, by: isize) -> Vec<Effect> {
    let last = panes::confirm::last_top(app, layout::frame(app).body);
    if let Some(confirm) = &mut app.confirm {
        confirm.top = confirm.top.saturating_add_signed(by).min(last);
    }
    Vec::new()
}
