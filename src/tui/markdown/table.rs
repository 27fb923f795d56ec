//! A table of Markdown: columns as wide as their cells, or narrower and wrapped.

use ratatui::text::{Line, Span};

use super::{NARROWEST, Run};
use crate::text::safe_text::display_width;
use crate::tui::found_words::wrapped;
use crate::tui::state::app::App;
use crate::tui::theme::Theme;

const BETWEEN: &str = " │ ";

/// Returns the lines of a table; the first row is its head.
pub fn lines(app: &App, rows: &[Vec<Vec<Run>>], room: usize) -> Vec<Line<'static>> {
    let dim = Theme::of(app).dim();
    let widths = columns(rows, room);
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let drawn = match &widths {
            Some(widths) => side_by_side(app, row, widths),
            None => wrapped(app, &row.join(&(BETWEEN.to_owned(), dim)), room.max(NARROWEST)),
        };
        lines.extend(drawn);
        if let Some(widths) = widths.as_ref().filter(|_| at == 0) {
            let parts: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
            lines.push(Line::styled(parts.join("───"), dim));
        }
    }
    lines
}

/// Returns the widths of the columns. The widest ones are narrowed to the room. `None` if the columns do not fit.
fn columns(rows: &[Vec<Vec<Run>>], room: usize) -> Option<Vec<usize>> {
    let count = rows.iter().map(Vec::len).max()?;
    let room = room.checked_sub(display_width(BETWEEN) * count.saturating_sub(1))?;
    let cell = |runs: &Vec<Run>| runs.iter().map(|(text, _)| display_width(text)).sum::<usize>();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(cell).max();
    let mut widths: Vec<usize> =
        (0..count).map(|column| widest(column).unwrap_or(0).clamp(1, room.max(1))).collect();
    while widths.iter().sum::<usize>() > room {
        *widths.iter_mut().max().filter(|columns| **columns > NARROWEST)? -= 1;
    }
    Some(widths)
}

/// Returns the lines of a row, as many as its tallest cell has.
fn side_by_side(app: &App, row: &[Vec<Run>], widths: &[usize]) -> Vec<Line<'static>> {
    let cells: Vec<Vec<Line<'static>>> =
        row.iter().zip(widths).map(|(runs, columns)| wrapped(app, runs, *columns)).collect();
    let tallest = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let mut line = Line::default();
        for (column, (cell, columns)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                line.push_span(Span::styled(BETWEEN, Theme::of(app).dim()));
            }
            let text = cell.get(at).cloned().unwrap_or_default();
            let missing = columns.saturating_sub(text.width());
            line.spans.extend(text.spans);
            line.push_span(Span::raw(" ".repeat(missing)));
        }
        line
    };
    (0..tallest).map(line).collect()
}
