//! A change that was planned, shown before it is made.

use ratatui::Frame;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::tui::app::App;
use crate::tui::confirm::{Confirmation, TypedWord, parts};
use crate::tui::pane_titles::{margins, sheet};
use crate::tui::theme::{self, Theme, fit};

/// A narrower screen has no room for a title and the place in what is shown.
const NARROW: u16 = 40;
/// A wider one has room for what answers it, too.
const WIDE: u16 = 76;

/// Draws it over the foot of the panes, where something waits for a yes. Of its lines only those
/// are made that are on screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let (Some(confirm), Some(parts)) = (&app.confirm, parts(app)) else { return };
    let theme = Theme::of(app);
    let place = place(confirm.top, parts.rows, confirm.len());
    let place = place.trim_end_matches(" · ");
    let foot = if parts.area.width < WIDE { place.to_owned() } else { foot(confirm, parts.rows) };
    let title = match confirm.planned.concurrent.is_some() {
        // Where there is no room for both, that there is more is to be seen.
        _ if parts.area.width < NARROW && !place.is_empty() => place,
        true => "Not as it was shown; nothing is changed yet",
        false => "Nothing is changed yet",
    };
    let inner = margins(sheet(app, frame, title, &foot, parts.area));
    let mut lines: Vec<Line<'static>> =
        parts.head.into_iter().map(|line| Line::styled(line, theme.strong())).collect();
    let shown = confirm.top..confirm.len().min(confirm.top + parts.rows);
    lines.extend(shown.map(|at| {
        let line = theme::safe(app, &confirm.line(at));
        Line::raw(fit(&line, usize::from(inner.width)))
    }));
    lines.extend(
        confirm.typed_word.as_ref().map(|typed| line_to_type(&theme, typed, usize::from(inner.width))),
    );
    frame.render_widget(Paragraph::new(lines), inner);
}

/// What answers it; before that where in it one is, where not all of it is on screen.
fn foot(confirm: &Confirmation, rows: usize) -> String {
    let answers = match confirm.typed_word {
        Some(_) => "typed, then Enter · Esc cancels",
        None => "y does it · Esc cancels",
    };
    format!("{}{answers}", place(confirm.top, rows, confirm.len()))
}

/// "12 of 212 · PgDn · ", where not all is on screen.
pub fn place(top: usize, rows: usize, len: usize) -> String {
    let last = len.min(top + rows);
    match (top > 0, last < len) {
        (false, false) => String::new(),
        (_, true) => format!("{last} of {len} · PgDn · "),
        (true, false) => format!("{last} of {len} · PgUp · "),
    }
}

/// What has to be typed, and what was.
fn line_to_type(theme: &Theme, typed: &TypedWord, width: usize) -> Line<'static> {
    let is_right = typed.so_far.trim() == typed.required;
    let does = if typed.required.starts_with("erase") { "▏ Enter erases" } else { "▏ Enter deletes" };
    let after = if is_right { does } else { "▏" };
    let asked = format!("Type `{}`: ", typed.required);
    let warned = format!("It can't be undone. {asked}");
    // What is typed is seen before anything else is.
    let room = width.saturating_sub(typed.required.len() + does.chars().count());
    let is_for_good = typed.required.starts_with("erase");
    let asked = if is_for_good && warned.len() <= room { warned } else { asked };
    // On a narrow screen what is typed takes the place of what to type.
    let is_narrow = asked.len() + typed.so_far.len() + theme::width(after) > width;
    let asked = if is_narrow && !typed.so_far.is_empty() { String::new() } else { asked };
    Line::from(vec![Span::styled(asked, theme.key()), Span::raw(format!("{}{after}", typed.so_far))])
}
