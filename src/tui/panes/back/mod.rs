//! The views that bring things back, one a file.

pub mod chores;
pub mod journal;
pub mod restore;

pub use journal::step;
pub use restore::difference;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::hints::{Hint, act, hint};
use crate::tui::action::Action;
use crate::tui::app::{App, Screen};
use crate::tui::back::Shelf;
use crate::tui::health::human as size;
use crate::tui::layout;
use crate::tui::pane::Title;
use crate::tui::theme::{self, Theme, fit};

/// The keys that can be used now.
pub fn hints(app: &App) -> Vec<Hint> {
    let mut hints = Vec::new();
    match app.screen {
        Screen::Restore if app.back.restore.difference.is_some() => {
            hints.extend([hint("jk", "scroll"), act(Action::Difference, "back to the list")]);
        }
        Screen::Restore if app.back.inside => hints.extend(restoring(app)),
        Screen::Restore => hints.extend([hint("Enter", "open"), act(Action::Verify, "verify all")]),
        Screen::Archive => hints.extend(archive(app)),
        Screen::Upkeep if app.back.tasks().iter().any(|at| app.back.chores[*at].plan.is_some()) => {
            hints.extend([hint("Space", "choose"), act(Action::ChooseAll, "all"), hint("Enter", "do it…")]);
        }
        Screen::Upkeep => {}
        _ => {
            let row = app.back.row().map(|(_, row)| row);
            hints.extend(row.map(|_| hint("Enter", "what it changed")));
            hints.extend(row.filter(|row| row.why_not.is_none()).map(|row| match row.comes_again() {
                true => act(Action::Redo, "do it again…"),
                false => act(Action::Undo, "undo this step…"),
            }));
        }
    }
    hints.extend([act(Action::NextPane, "other side"), hint("Esc", "back")]);
    hints
}

fn restoring(app: &App) -> Vec<Hint> {
    let Some(opened) = &app.back.restore.opened else { return Vec::new() };
    let mut hints = Vec::new();
    if opened.compared.whole_only.is_none() && !opened.compared.items.is_empty() {
        hints.extend([hint("Space", "choose"), act(Action::ChooseAll, "all"), hint("Enter", "restore…")]);
    }
    hints.extend((!opened.compared.items.is_empty()).then(|| act(Action::Difference, "full diff")));
    hints.extend((!opened.compared.is_alike).then(|| act(Action::ReplaceFile, "whole file…")));
    hints
}

fn archive(app: &App) -> Vec<Hint> {
    let own = match app.back.shelf() {
        None => return Vec::new(),
        Some(Shelf::Chore(at)) if app.back.chores[at].plan.is_some() => {
            act(Action::Archive, "do what is due…")
        }
        Some(Shelf::Chore(_)) => return Vec::new(),
        Some(Shelf::Batch(_)) => act(Action::BringBack, "bring back…"),
    };
    vec![hint("Space", "choose"), act(Action::ChooseAll, "all"), own]
}

/// The title of a part of a view, set off where it has the keys, and the area below it.
fn part(app: &App, frame: &mut Frame<'_>, title: &str, foot: &str, has_keys: bool, area: Rect) -> Rect {
    let has_keys = has_keys && !layout::is_asking(app);
    let rule = area.y > layout::frame(app).body.y;
    let inner = crate::tui::pane::part(app, frame, &Title { text: title, right: foot, has_keys, rule }, area);
    Rect { width: inner.width.saturating_sub(1), ..inner }
}

/// Lines of text that scroll; `top` is the first on screen.
fn draw_text(frame: &mut Frame<'_>, lines: Vec<Line<'static>>, top: usize, inner: Rect) {
    let shown: Vec<Line<'static>> = lines.into_iter().skip(top).take(usize::from(inner.height)).collect();
    frame.render_widget(Paragraph::new(shown), beside_cursor(inner));
}

/// The area of a text, behind the column of the cursor.
fn beside_cursor(area: Rect) -> Rect {
    Rect { x: area.x + area.width.min(1), width: area.width.saturating_sub(1), ..area }
}

/// What is where there is nothing to list: a sentence, wrapped.
fn say(app: &App, frame: &mut Frame<'_>, text: &str, inner: Rect) {
    let theme = Theme::of(app);
    let inner = beside_cursor(inner);
    let lines = theme::wrap(&theme::safe(app, text), usize::from(inner.width));
    let lines: Vec<Line<'static>> = lines.into_iter().map(|line| Line::styled(line, theme.dim())).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Stored text on one line, safe, cut to a width.
fn one_line(app: &App, text: &str, width: usize) -> String {
    fit(&theme::safe(app, text), width)
}
