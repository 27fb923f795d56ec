//! A part of a row of a list view.

use ratatui::style::Style;

use crate::tui::state::app::App;
use crate::tui::theme::{self, Theme};

/// A part of a row. Untrusted text, which is made safe when it is drawn.
pub struct ListCell {
    pub text: String,
    /// What is drawn instead of the text.
    pub shown: Option<String>,
    pub style: Style,
    /// The number of columns; `None` for a share of what the other cells leave.
    pub width: Option<usize>,
    pub is_right: bool,
    /// The cell is shown only in lists of at least this many columns.
    pub from: usize,
    pub gap: usize,
}

impl ListCell {
    /// Makes a cell that gets all the columns that the others leave: a title.
    pub fn rest(text: impl Into<String>) -> ListCell {
        let (text, style) = (text.into(), Style::new());
        ListCell { text, shown: None, style, width: None, is_right: false, from: 0, gap: 2 }
    }

    pub fn left(text: impl Into<String>, width: usize) -> ListCell {
        ListCell { width: Some(width), ..ListCell::rest(text) }
    }

    pub fn right(text: impl Into<String>, width: usize) -> ListCell {
        ListCell { is_right: true, ..ListCell::left(text, width) }
    }

    /// Makes a cell at the right end, as wide as its text up to `most` columns. The title gets the rest.
    pub fn fitting(text: impl Into<String>, most: usize) -> ListCell {
        let text = text.into();
        let width = theme::width(&text).min(most);
        ListCell::right(text, width)
    }

    pub fn styled(self, style: Style) -> ListCell {
        ListCell { style, ..self }
    }

    /// Shows the cell only in lists of at least this many columns.
    pub fn from(self, from: usize) -> ListCell {
        ListCell { from, ..self }
    }

    /// Leaves one space after the cell: a sign or a letter.
    pub fn close(self) -> ListCell {
        ListCell { gap: 1, ..self }
    }

    /// Leaves no space after the cell.
    pub fn tight(self) -> ListCell {
        ListCell { gap: 0, ..self }
    }

    /// Makes a cell with the short name of a store. It is shown only if several stores are open.
    pub fn store(app: &App, store: usize) -> ListCell {
        let shown = app.short_store_names.get(store).cloned();
        let widest = app.short_store_names.iter().map(|name| theme::width(name)).max().unwrap_or(0);
        let is_one = app.snapshot.stores.len() < 2;
        let style = Theme::of(app).dim();
        let cell = ListCell { shown, ..ListCell::left(app.store_name(store), widest) };
        cell.styled(style).from(if is_one { usize::MAX } else { 34 })
    }
}
