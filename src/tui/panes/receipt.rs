//! What an erasure came to, until it was read.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::theme;

/// The widest that it gets.
const WIDTH: u16 = 96;

/// Draws it over the foot of the panes, where there is one.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(receipt) = &app.bulk.receipt else { return };
    let width = body.width.min(WIDTH);
    let room = usize::from(width.saturating_sub(2));
    let lines: Vec<String> =
        receipt.iter().flat_map(|line| theme::wrap(&theme::safe(app, line), room)).collect();
    let height = body.height.min(lines.len() as u16 + 2);
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let inner = framed(app, frame, None, "Receipt", "Esc closes it; the receipt stays in its file", area);
    let lines: Vec<Line<'static>> = lines.into_iter().map(Line::raw).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}
