//! The parts of the frame, one file each.

pub mod clean_up;
pub mod command_help;
pub mod confirm;
pub mod delete_menu;
pub mod detail;
pub mod difference;
pub mod editor;
pub mod erase_receipt;
pub mod field_prompt;
pub mod filters;
pub mod health;
pub mod hints;
pub mod list_view;
pub mod memories;
pub mod memory_row;
pub mod next_keys;
pub mod search;
pub mod sessions;
pub mod statistics;
pub mod theme_list;
pub mod tutor;
pub mod welcome;
pub mod why;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::theme::Theme;
pub use crate::tui::memory_sign::{secret_beside, sign_of};
use crate::tui::state::list_cursor::ListCursor;

/// Draws the visible lines of a list, after a column for the cursor. Makes only the lines on screen. The line
/// under the cursor is highlighted if the list has the keys.
fn draw_lines(
    frame: &mut Frame<'_>,
    theme: &Theme,
    area: Rect,
    cursor: ListCursor,
    len: usize,
    has_keys: bool,
    line: impl Fn(usize) -> Line<'static>,
) {
    let shown = cursor.top..len.min(cursor.top + usize::from(area.height));
    for (row, at) in shown.enumerate() {
        let place = Rect { y: area.y + row as u16, height: 1, ..area };
        let mut line = line(at);
        if at == cursor.at && has_keys {
            frame.render_widget(Paragraph::new(Line::styled("▶", theme.accent())), place);
            line = theme.under_cursor(line);
        }
        let beside = Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place };
        frame.render_widget(Paragraph::new(line), beside);
    }
}
