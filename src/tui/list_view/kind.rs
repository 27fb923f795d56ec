//! What distinguishes a list view from the others.

use ratatui::text::Line;

use crate::tui::hint::Hint;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;

/// Title and text about the row under the cursor, beside the list or below it.
#[derive(Default)]
pub struct RowDetails {
    pub title: String,
    pub right: String,
    /// Text above the rows, if there are rows.
    pub lines: Vec<Line<'static>>,
}

pub struct ListViewKind {
    pub orders: [&'static str; 2],
    /// The text if there are no rows.
    pub none: &'static str,
    /// True if the details are beside the list on a wide screen.
    pub is_beside: bool,
    pub rows: fn(&App) -> Vec<ListRow>,
    pub about: fn(&App, usize) -> RowDetails,
    pub hints: fn(&App) -> Vec<Hint>,
    /// True if the content of the view has been read.
    pub is_read: fn(&App) -> bool,
}
