//! A row of a list view: what it is about, its key and its cells.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::list_view::{current_kind, problems};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::theme::{self, column};
use crate::tui::type_letters;

impl ListRow {
    /// Returns the level of a heading, 0 for the highest; `None` for rows that the cursor can be on.
    pub fn level(self) -> Option<u8> {
        match self {
            ListRow::Severity(..)
            | ListRow::Store(..)
            | ListRow::UpkeepPart(..)
            | ListRow::FindingKind(..)
            | ListRow::FindingFile(..)
            | ListRow::LoadedStore(_)
            | ListRow::InstructedProject(_)
            | ListRow::FalseAlarms(_) => Some(0),
            ListRow::File(_) | ListRow::Batch(_) => Some(1),
            _ => None,
        }
    }

    /// Returns a key that stays the same when the view is read again; empty for a heading.
    pub fn key(self, app: &App) -> String {
        current_kind(app).map_or(String::new(), |kind| (kind.key)(app, self))
    }

    pub fn cells(self, app: &App) -> Vec<ListCell> {
        current_kind(app).map_or(Vec::new(), |kind| (kind.cells)(app, self))
    }

    pub fn text(self, app: &App) -> String {
        if let ListRow::Problem(at) = self {
            return problems::words(app, at);
        }
        let cells = self.cells(app);
        cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the title of a row: the cells that share the remaining columns. Untrusted text.
pub fn title(app: &App, row: ListRow) -> String {
    let cells = row.cells(app).into_iter().filter(|cell| cell.width.is_none());
    cells.map(|cell| cell.text.trim().to_owned()).collect::<Vec<_>>().join(" ")
}

/// Sets the counts in headings to the number of rows below them.
pub fn recount(rows: &mut [ListRow]) {
    let mut below = 0;
    for row in rows.iter_mut().rev() {
        match row {
            ListRow::Severity(_, count)
            | ListRow::Store(_, count)
            | ListRow::UpkeepPart(_, count)
            | ListRow::FindingKind(_, count)
            | ListRow::FindingFile(_, count)
            | ListRow::FalseAlarms(count) => *count = std::mem::take(&mut below),
            row if row.level().is_none() => below += 1,
            _ => {}
        }
    }
}

pub fn line(app: &App, cells: Vec<ListCell>, width: usize) -> Line<'static> {
    let shown: Vec<ListCell> = cells.into_iter().filter(|cell| cell.from <= width).collect();
    let taken: usize = shown.iter().map(|cell| cell.width.unwrap_or(0) + cell.gap).sum();
    let shares = shown.iter().filter(|cell| cell.width.is_none()).count().max(1);
    let rest = (width + 2).saturating_sub(taken).min(width) / shares;
    let mut spans = Vec::new();
    for (number, cell) in shown.iter().enumerate() {
        let text = theme::safe(app, cell.shown.as_ref().unwrap_or(&cell.text));
        let columns = cell.width.unwrap_or(rest);
        let text = match cell.is_right {
            true => format!("{:>columns$}", theme::fit(&text, columns)),
            false => column(&text, columns),
        };
        let gap = if number + 1 < shown.len() { " ".repeat(cell.gap) } else { String::new() };
        spans.extend([Span::styled(text, cell.style), Span::raw(gap)]);
    }
    Line::from(spans)
}

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

    pub fn from(self, from: usize) -> ListCell {
        ListCell { from, ..self }
    }

    /// Leaves one space after the cell: a sign or a letter.
    pub fn close(self) -> ListCell {
        ListCell { gap: 1, ..self }
    }

    pub fn tight(self) -> ListCell {
        ListCell { gap: 0, ..self }
    }

    pub fn kind(app: &App, kind: &str) -> ListCell {
        let letter = ListCell::left(type_letters::letter(app, kind), 1);
        letter.styled(app.palette.kind(kind)).from(30).close()
    }

    /// Makes a cell with the short name of a store. It is shown only if several stores are open.
    pub fn store(app: &App, store: usize) -> ListCell {
        let shown = app.short_store_names.get(store).cloned();
        let widest = app.short_store_names.iter().map(|name| theme::width(name)).max().unwrap_or(0);
        let is_one = app.snapshot.stores.len() < 2;
        let style = app.palette.dim();
        let cell = ListCell { shown, ..ListCell::left(app.store_name(store), widest) };
        cell.styled(style).from(if is_one { usize::MAX } else { 34 })
    }
}
