//! A planned change, shown before palimp carries it out, and the receipt of an erasure.

use ratatui::Frame;
use ratatui::text::{Line, Span};

use crate::tui::confirm::parts;
use crate::tui::layout;
use crate::tui::pane_titles::{margins, sheet, sheet_area};
use crate::tui::state::app::App;
use crate::tui::state::confirmation::TypedWord;
use crate::tui::theme::{self, fit, put};

/// A narrower screen has no room for the title beside the place in the plan.
const NARROW: u16 = 40;
/// A wider screen has room for the answers, too.
const WIDE: u16 = 76;

/// Draws the plan over the foot of the panes, if a plan waits for a yes. Makes only the lines on screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let (Some(confirm), Some(parts)) = (&app.confirm, parts(app)) else { return };
    let place = place(confirm.top, parts.rows, confirm.len());
    let answers = match confirm.typed_word {
        Some(_) => "typed, then Enter · Esc cancels",
        None => "y does it · Esc cancels",
    };
    let foot = format!("{place}{}", if parts.area.width < WIDE { "" } else { answers });
    let (place, foot) = (place.trim_end_matches(" · "), foot.trim_end_matches(" · "));
    let title = match confirm.planned.concurrent.is_some() {
        // If both don't fit, the user must see that there is more.
        _ if parts.area.width < NARROW && !place.is_empty() => place,
        true => "Not as it was shown; nothing is changed yet",
        false => "Nothing is changed yet",
    };
    let inner = margins(sheet(app, frame, title, foot, parts.area));
    let mut lines: Vec<Line<'static>> =
        parts.head.into_iter().map(|line| Line::styled(line, app.palette.strong())).collect();
    let shown = confirm.top..confirm.len().min(confirm.top + parts.rows);
    lines.extend(shown.map(|at| {
        let line = theme::safe(app, &confirm.line(at));
        Line::raw(fit(&line, usize::from(inner.width)))
    }));
    lines.extend(confirm.typed_word.as_ref().map(|typed| line_to_type(app, typed, usize::from(inner.width))));
    put(frame, lines, inner);
}

/// Returns "12 of 212 · PgDn · " if not all lines are on screen.
pub fn place(top: usize, rows: usize, len: usize) -> String {
    let last = len.min(top + rows);
    match (top > 0, last < len) {
        (false, false) => String::new(),
        (_, true) => format!("{last} of {len} · PgDn · "),
        (true, false) => format!("{last} of {len} · PgUp · "),
    }
}

fn line_to_type(app: &App, typed: &TypedWord, width: usize) -> Line<'static> {
    let is_right = typed.so_far.trim() == typed.required;
    let does = if typed.required.starts_with("erase") { "▏ Enter erases" } else { "▏ Enter deletes" };
    let after = if is_right { does } else { "▏" };
    let asked = format!("Type `{}`: ", typed.required);
    let warned = format!("It can't be undone. {asked}");
    // The typed words are more important than the warning.
    let room = width.saturating_sub(typed.required.len() + does.chars().count());
    let is_for_good = typed.required.starts_with("erase");
    let asked = if is_for_good && warned.len() <= room { warned } else { asked };
    // On a narrow screen the typed words replace the required ones.
    let is_narrow = asked.len() + typed.so_far.len() + theme::width(after) > width;
    let asked = if is_narrow && !typed.so_far.is_empty() { String::new() } else { asked };
    Line::from(vec![Span::styled(asked, app.palette.key()), Span::raw(format!("{}{after}", typed.so_far))])
}

pub fn draw_receipt(app: &App, frame: &mut Frame<'_>) {
    if app.changes.receipt.is_none() {
        return;
    }
    let (lines, rows) = receipt_lines(app);
    let area = sheet_area(app, lines.len());
    let top = app.changes.receipt_top.min(lines.len().saturating_sub(rows));
    let right = format!("{}Esc closes it; the receipt is kept in its file", place(top, rows, lines.len()));
    let inner = margins(sheet(app, frame, "Receipt", &right, area));
    put(frame, lines.into_iter().skip(top).take(rows), inner);
}

/// Returns its lines, wrapped, and how many of them fit.
pub fn receipt_lines(app: &App) -> (Vec<String>, usize) {
    let room = usize::from(layout::frame(app).body.width.saturating_sub(2));
    let receipt = app.changes.receipt.iter().flatten();
    let lines: Vec<String> = receipt.flat_map(|line| theme::wrap(&theme::safe(app, line), room)).collect();
    let rows = usize::from(sheet_area(app, lines.len()).height.saturating_sub(1));
    (lines, rows)
}
