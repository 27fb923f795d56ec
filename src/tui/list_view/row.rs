//! A row of a list view: what it is about, what tells it from others, and its cells.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{archive, backups, journal, new, problems, sessions, upkeep};
use crate::model::{EntryRef, Severity};
use crate::tui::app::App;
use crate::tui::theme::{self, Theme, column};

/// What a row is about, by its place in what its view has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Backup(usize),
    /// A memory of the backup that is open.
    Item(usize),
    /// Something that is due, or will be, or a compaction.
    Chore(usize),
    /// A memory that it concerns.
    Touched(usize),
    /// The place of archived memories: they are below it.
    Batch(usize),
    Archived(EntryRef),
    /// A step: its store and its place there.
    Step(usize, usize),
    /// What others wrote after it.
    Others(usize, usize),
    /// A file that is not as long as the last step left it.
    Moved(usize, usize),
    /// Something of the journal that can't be read.
    Fault(usize, usize),
    /// How many problems there are of a severity.
    Severity(Severity, usize),
    /// The store and file of the problem of that number, and of those below it.
    File(usize),
    Problem(usize),
    /// A store, and how many new memories it has.
    Store(usize, usize),
    New(EntryRef),
    /// A memory of one of two sessions.
    Side(usize, EntryRef),
}

impl Row {
    /// How high a heading is above the rows; none for what the cursor can be on.
    pub fn level(self) -> Option<u8> {
        match self {
            Row::Severity(..) | Row::Store(..) | Row::Batch(_) => Some(0),
            Row::File(_) => Some(1),
            _ => None,
        }
    }

    /// What tells it from others, whatever is read anew.
    pub fn key(self, app: &App) -> String {
        match self {
            Row::Backup(_) => backups::key(app, self),
            Row::Item(at) => app.view.backups.items().get(at).map_or(String::new(), |own| own.at.to_string()),
            Row::Chore(at) => upkeep::key(app, at),
            Row::Archived(at) => archive::key(app, at),
            Row::New(at) | Row::Side(_, at) => new::key(app, at),
            Row::Step(..) | Row::Others(..) | Row::Moved(..) | Row::Fault(..) => journal::key(app, self),
            Row::Problem(at) => problems::key(app, at),
            Row::Touched(at) => at.to_string(),
            Row::Batch(_) | Row::Severity(..) | Row::File(_) | Row::Store(..) => String::new(),
        }
    }

    /// Its cells.
    pub fn cells(self, app: &App) -> Vec<Cell> {
        match self {
            Row::Backup(_) | Row::Item(_) => backups::cells(app, self),
            Row::Chore(_) | Row::Touched(_) => upkeep::cells(app, self),
            Row::Batch(_) | Row::Archived(_) => archive::cells(app, self),
            Row::Step(..) | Row::Others(..) | Row::Moved(..) | Row::Fault(..) => journal::cells(app, self),
            Row::Severity(..) | Row::File(_) | Row::Problem(_) => problems::cells(app, self),
            Row::Store(..) | Row::New(_) => new::cells(app, self),
            Row::Side(side, at) => sessions::cells(app, side, at),
        }
    }

    /// All that it says: what a filter looks in.
    pub fn text(self, app: &App) -> String {
        if let Row::Problem(at) = self {
            return problems::words(app, at);
        }
        let cells = self.cells(app);
        cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// The title of a row, of the cells that have what the others leave. Untrusted text.
pub fn title(app: &App, row: Row) -> String {
    let cells = row.cells(app).into_iter().filter(|cell| cell.width.is_none());
    cells.map(|cell| cell.text.trim().to_owned()).collect::<Vec<_>>().join(" ")
}

/// Headings that count say how many rows are shown below them.
pub fn recount(rows: &mut [Row]) {
    let mut below = 0;
    for row in rows.iter_mut().rev() {
        match row {
            Row::Severity(_, count) | Row::Store(_, count) => *count = std::mem::take(&mut below),
            row if row.level().is_none() => below += 1,
            _ => {}
        }
    }
}

/// A part of a row. Untrusted text, made safe when it is drawn.
pub struct Cell {
    pub text: String,
    pub style: Style,
    /// How many columns it has; none: what the others leave.
    pub width: Option<usize>,
    pub is_right: bool,
    /// It is shown in lists of so many columns and more.
    pub from: usize,
    /// Spaces behind it.
    gap: usize,
}

impl Cell {
    /// What has all columns that the others leave: a title.
    pub fn rest(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style: Style::new(), width: None, is_right: false, from: 0, gap: 2 }
    }

    /// Text of so many columns.
    pub fn left(text: impl Into<String>, width: usize) -> Cell {
        Cell { width: Some(width), ..Cell::rest(text) }
    }

    /// The same, a figure.
    pub fn right(text: impl Into<String>, width: usize) -> Cell {
        Cell { is_right: true, ..Cell::left(text, width) }
    }

    /// Text at the right end as wide as it is, but no wider than so many columns: what it leaves is the title's.
    pub fn fitting(text: impl Into<String>, most: usize) -> Cell {
        let text = text.into();
        let width = theme::width(&text).min(most);
        Cell::right(text, width)
    }

    /// In a style.
    pub fn styled(self, style: Style) -> Cell {
        Cell { style, ..self }
    }

    /// In lists of so many columns alone.
    pub fn from(self, from: usize) -> Cell {
        Cell { from, ..self }
    }

    /// One space behind it: a sign or a letter.
    pub fn close(self) -> Cell {
        Cell { gap: 1, ..self }
    }

    /// Nothing follows the row.
    pub fn tight(self) -> Cell {
        Cell { gap: 0, ..self }
    }

    /// The short name of a store, where several are open.
    pub fn store(app: &App, store: usize) -> Cell {
        let widest = app.store_names.iter().map(|name| theme::width(name)).max().unwrap_or(0).min(8);
        let is_one = app.snapshot.stores.len() < 2;
        let style = Theme::of(app).dim();
        Cell::left(app.store_name(store), widest).styled(style).from(if is_one { usize::MAX } else { 34 })
    }
}

/// Cells side by side in so many columns.
pub fn line(app: &App, cells: Vec<Cell>, width: usize) -> Line<'static> {
    let shown: Vec<Cell> = cells.into_iter().filter(|cell| cell.from <= width).collect();
    let taken: usize = shown.iter().map(|cell| cell.width.unwrap_or(0) + cell.gap).sum();
    let shares = shown.iter().filter(|cell| cell.width.is_none()).count().max(1);
    let rest = (width + 2).saturating_sub(taken).min(width) / shares;
    let mut spans = Vec::new();
    for (number, cell) in shown.iter().enumerate() {
        let (text, columns) = (theme::safe(app, &cell.text), cell.width.unwrap_or(rest));
        let text = match cell.is_right {
            true => format!("{:>columns$}", theme::fit(&text, columns)),
            false => column(&text, columns),
        };
        let gap = if number + 1 < shown.len() { " ".repeat(cell.gap) } else { String::new() };
        spans.extend([Span::styled(text, cell.style), Span::raw(gap)]);
    }
    Line::from(spans)
}
