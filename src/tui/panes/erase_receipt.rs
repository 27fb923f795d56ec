//! The receipt of an erasure, until the user closes it.

use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::confirm::place;
use crate::tui::erase_receipt::lines;
use crate::tui::pane_titles::{margins, sheet, sheet_area};
use crate::tui::state::app::App;

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    if app.changes.receipt.is_none() {
        return;
    }
    let (lines, rows) = lines(app);
    let area = sheet_area(app, lines.len());
    let top = app.changes.receipt_top.min(lines.len().saturating_sub(rows));
    let right = format!("{}Esc closes it; the receipt is kept in its file", place(top, rows, lines.len()));
    let inner = margins(sheet(app, frame, "Receipt", &right, area));
    let shown: Vec<Line<'static>> = lines.into_iter().skip(top).take(rows).map(Line::raw).collect();
    frame.render_widget(Paragraph::new(shown), inner);
}
