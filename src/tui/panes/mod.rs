//! The parts of the frame, one a file.

pub mod asking;
pub mod back;
pub mod confirm;
pub mod detail;
pub mod editor;
pub mod facets;
pub mod health;
pub mod hints;
pub mod memories;
pub mod menu;
pub mod palette;
pub mod problems;
pub mod query;
pub mod receipt;
pub mod sessions;
pub mod welcome;
pub mod why;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::cursor::Cursor;
use super::theme::Theme;

/// Draws the visible lines of a list, the one under the cursor set off. Lines are made
/// only for what is on screen.
fn draw_lines(
    frame: &mut Frame<'_>,
    theme: &Theme,
    area: Rect,
    cursor: Cursor,
    len: usize,
    has_keys: bool,
    line: impl Fn(usize) -> Line<'static>,
) {
    let shown = cursor.top..len.min(cursor.top + usize::from(area.height));
    for (row, at) in shown.enumerate() {
        let mut line = line(at);
        if at == cursor.at && has_keys {
            line = theme.under_cursor(line);
        }
        let place = Rect { y: area.y + row as u16, height: 1, ..area };
        frame.render_widget(Paragraph::new(line), place);
    }
}
