//! The text about the row under the cursor.

use ratatui::text::Line;

use crate::tui::state::app::App;
use crate::tui::theme;

/// Returns the text about the row under the cursor, wrapped.
pub fn text_lines(app: &App, width: usize) -> Vec<Line<'static>> {
    // Masked as a whole, because a value can continue in the next line.
    let text = theme::masked(app, &app.list_view.text.join("\n")).into_owned();
    text.lines().flat_map(|line| theme::wrap(&theme::safe(app, line), width)).map(Line::raw).collect()
}
