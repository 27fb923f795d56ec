//! What an erasure came to, until it was read.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::confirm::place;
use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::layout;
use crate::tui::theme;

/// The widest that it gets.
const WIDTH: u16 = 96;

/// Its lines as they are on screen, and how many of them have room.
pub fn lines(app: &App) -> (Vec<String>, usize) {
    let body = layout::frame(app).body;
    let room = usize::from(body.width.min(WIDTH).saturating_sub(2));
    let receipt = app.bulk.receipt.iter().flatten();
    let lines = receipt.flat_map(|line| theme::wrap(&theme::safe(app, line), room)).collect();
    (lines, usize::from(body.height.saturating_sub(2)))
}

/// Draws it over the foot of the panes, where there is one.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    if app.bulk.receipt.is_none() {
        return;
    }
    let body = layout::frame(app).body;
    let (lines, rows) = lines(app);
    let width = body.width.min(WIDTH);
    let height = body.height.min((lines.len() as u16).saturating_add(2));
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let top = app.bulk.receipt_top.min(lines.len().saturating_sub(rows));
    let foot = format!("{}Esc closes it; the receipt stays in its file", place(top, rows, lines.len()));
    let inner = framed(app, frame, None, "Receipt", &foot, area);
    let shown: Vec<Line<'static>> = lines.into_iter().skip(top).take(rows).map(Line::raw).collect();
    frame.render_widget(Paragraph::new(shown), inner);
}
