//! A row of a list view: what it is about, its key and its cells.

use ratatui::text::{Line, Span};

use super::{archive, backups, fading, instructions, journal, loaded, new, problems, secrets, upkeep};
use crate::tui::list_view::list_cell::ListCell;
use crate::tui::state::app::App;
use crate::tui::state::list_row::ListRow;
use crate::tui::theme::{self, column};

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

    /// Returns a key that stays the same when the view is read again.
    pub fn key(self, app: &App) -> String {
        match self {
            ListRow::Backup(_) => backups::key(app, self),
            ListRow::Item(at) => {
                app.list_view.backups.items().get(at).map_or(String::new(), |own| own.at.to_string())
            }
            ListRow::Chore(at) => upkeep::key(app, at),
            ListRow::Archived(at) => archive::key(app, at),
            ListRow::Fading(at) => fading::key(app, at),
            ListRow::New(at) => new::key(app, at),
            ListRow::Step(..) | ListRow::Others(..) | ListRow::Moved(..) | ListRow::Fault(..) => {
                journal::key(app, self)
            }
            ListRow::Problem(at) => problems::key(app, at),
            ListRow::Touched(at) => at.to_string(),
            ListRow::Finding(at) => secrets::key(app, at),
            ListRow::Loaded(number, file) => loaded::key(app, number, file),
            ListRow::LoadedLine(at) => loaded::line_key(app, at),
            ListRow::Instruction(number, file) => instructions::key(app, number, file),
            ListRow::Batch(_)
            | ListRow::UpkeepPart(..)
            | ListRow::Severity(..)
            | ListRow::File(_)
            | ListRow::Store(..)
            | ListRow::FindingKind(..)
            | ListRow::FindingFile(..)
            | ListRow::LoadedStore(_)
            | ListRow::InstructedProject(_)
            | ListRow::FalseAlarms(_) => String::new(),
        }
    }

    pub fn cells(self, app: &App) -> Vec<ListCell> {
        match self {
            ListRow::Backup(_) | ListRow::Item(_) => backups::cells(app, self),
            ListRow::UpkeepPart(..) | ListRow::Chore(_) | ListRow::Touched(_) => upkeep::cells(app, self),
            ListRow::Fading(at) => fading::cells(app, at),
            ListRow::Batch(_) | ListRow::Archived(_) => archive::cells(app, self),
            ListRow::Step(..) | ListRow::Others(..) | ListRow::Moved(..) | ListRow::Fault(..) => {
                journal::cells(app, self)
            }
            ListRow::Severity(..) | ListRow::File(_) | ListRow::Problem(_) => problems::cells(app, self),
            ListRow::Store(..) | ListRow::New(_) => new::cells(app, self),
            ListRow::LoadedStore(_) | ListRow::Loaded(..) | ListRow::LoadedLine(_) => {
                loaded::cells(app, self)
            }
            ListRow::InstructedProject(_) | ListRow::Instruction(..) => instructions::cells(app, self),
            ListRow::FindingKind(..)
            | ListRow::FindingFile(..)
            | ListRow::FalseAlarms(_)
            | ListRow::Finding(_) => secrets::cells(app, self),
        }
    }

    /// Returns all the text of the row, for the filter.
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
