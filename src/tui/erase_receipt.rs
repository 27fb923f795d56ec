//! Lines of the receipt of an erasure.

use crate::tui::pane_titles::sheet_area;
use crate::tui::state::app::App;
use crate::tui::{layout, theme};

/// Returns its lines, wrapped, and how many of them fit.
pub fn lines(app: &App) -> (Vec<String>, usize) {
    let room = usize::from(layout::frame(app).body.width.saturating_sub(2));
    let receipt = app.changes.receipt.iter().flatten();
    let lines: Vec<String> = receipt.flat_map(|line| theme::wrap(&theme::safe(app, line), room)).collect();
    let rows = usize::from(sheet_area(app, lines.len()).height.saturating_sub(1));
    (lines, rows)
}
