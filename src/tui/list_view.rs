//! Views that are lists: backups, upkeep, journal, loaded, problems, new, secrets. They share rows, cursor, marks,
//! filter and order, and the areas of the details of a row. Each has a file for its rows and their details.

pub mod backups;
pub mod journal;
pub mod loaded;
pub mod new;
pub mod problems;
pub mod row;
pub mod secrets;
pub mod upkeep;

use std::sync::Arc;

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::check::problem_groups::tally;
use crate::model::{EntryRef, Snapshot};
use crate::text::safe_text::display_width;
use crate::tui::action::{Action, Hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::row_list::{ListRow, RowList};
use crate::tui::theme;

pub fn current_kind(app: &App) -> Option<&'static ListViewKind> {
    Some(match app.screen {
        Screen::Backups => &backups::KIND,
        Screen::Upkeep => &upkeep::KIND,
        Screen::Journal => &journal::KIND,
        Screen::Problems => &problems::KIND,
        Screen::New => &new::KIND,
        Screen::Loaded => &loaded::KIND,
        Screen::Secrets => &secrets::KIND,
        Screen::Memories | Screen::CleanUp | Screen::Statistics | Screen::Difference | Screen::Editor => {
            return None;
        }
    })
}

/// Returns the title of the open view: the short one if the long one needs more than `room` columns.
pub fn title(app: &App, room: usize) -> String {
    let short = app.screen.title().to_owned();
    let long = match (app.screen, new::since(app)) {
        (Screen::New, Some(since)) => format!("{short} since {}", since.long_date_at(app.now)),
        (Screen::Problems, _) => format!("{short}  {}", tally(app.problem_counts())),
        (Screen::Secrets, _) => format!("{short}  {}", secrets::tally(app)),
        _ => return short,
    };
    if display_width(&long) <= room { long } else { short }
}

/// Says why the view has no rows, and where to go instead.
pub fn empty_text(app: &App, kind: &ListViewKind) -> String {
    let is_first = app.screen == Screen::New && new::since(app).is_none();
    let none = if is_first { "Nothing is new: this is the first visit." } else { kind.none };
    let (next, what) = match app.screen {
        Screen::New | Screen::Backups => (Action::Journal, "what was changed with palimp"),
        Screen::Problems => (Action::Secrets, "what looks sensitive"),
        Screen::Secrets => (Action::CleanUp, "forget a value, a topic or a person that you name"),
        _ => (Action::Problems, "what is wrong in these stores"),
    };
    format!("{none} {}: {what}. {}: back to the memories.", next.call(), Action::Back.call())
}

/// True if the details of the row under the cursor are a list.
pub fn has_rows(app: &App) -> bool {
    let within = &app.list_view.details;
    let is_list = !within.is_empty() || !within.filter.is_empty();
    is_list && !app.list_view.backups.difference
}

pub fn detail_rows(app: &App) -> Vec<ListRow> {
    match app.list_view.row() {
        Some(ListRow::Backup(_)) => (0..app.list_view.backups.items().len()).map(ListRow::Item).collect(),
        Some(ListRow::Chore(at)) => {
            let touched = app.list_view.chores.get(at).map_or(0, |own| own.touched.len());
            (0..touched).map(ListRow::Touched).collect()
        }
        Some(ListRow::Loaded(..)) => (0..app.list_view.loaded_lines.len()).map(ListRow::LoadedLine).collect(),
        _ => Vec::new(),
    }
}

/// Returns the memory of a row, if it is one or is in one.
pub fn memory_of(app: &App, row: ListRow) -> Option<EntryRef> {
    match row {
        ListRow::New(at) | ListRow::Archived(at) => Some(at),
        ListRow::Fading(at) => upkeep::fading_memory(app, at),
        ListRow::Finding(number) => secrets::finding(app, number).map(|own| own.at),
        ListRow::Problem(number) => {
            let (store, problem) = problems::problem(app, number)?;
            problems::entry(&app.snapshot, store, problem)
        }
        ListRow::Loaded(number, file) => loaded::memory(app, number, file),
        ListRow::LoadedLine(at) => loaded::memory_of_line(app, at),
        _ => None,
    }
}

pub fn focused_memory(app: &App) -> Option<EntryRef> {
    let is_list = app.list_view.in_details && has_rows(app);
    let row = if is_list { app.list_view.details.selected() } else { app.list_view.row() };
    memory_of(app, row?)
}

/// Returns the stores as the rows of the view are of.
pub fn snapshot_of_rows(app: &App) -> &Arc<Snapshot> {
    let own = match app.screen {
        Screen::Secrets => app.list_view.findings.list.as_ref().map(|own| &own.snapshot),
        Screen::Upkeep => app.list_view.read_snapshot.as_ref(),
        _ => None,
    };
    own.unwrap_or(&app.snapshot)
}

/// Untrusted text.
pub fn detail_text(app: &App) -> String {
    let text = match app.list_view.row() {
        Some(ListRow::Archived(at)) => upkeep::archived_text(app, at),
        Some(ListRow::Fading(at)) => {
            upkeep::fading_memory(app, at).and_then(|at| upkeep::archived_text(app, at))
        }
        Some(ListRow::New(at)) => Some(new::text(app, at)),
        Some(ListRow::Finding(at)) => secrets::text(app, at),
        Some(ListRow::Loaded(number, file)) => loaded::text(app, number, file),
        Some(ListRow::Instruction(number, file)) => loaded::instruction_details(app, number, file),
        _ => None,
    };
    let mut text = text.unwrap_or_default();
    let end = (0..=SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.truncate(end);
    text
}

const SHOWN: usize = 64 << 10;

/// Checks if a row can be marked. The error says why not.
pub fn may_mark(app: &App, row: ListRow) -> Result<(), String> {
    match row {
        ListRow::Item(_) => app.list_view.backups.item(Some(row)).map_or(Ok(()), |item| {
            let whole = app.list_view.backups.opened.as_ref().and_then(|own| own.compared.whole_only.clone());
            if item.can_come {
                Ok(())
            } else {
                Err(whole.unwrap_or_else(|| backups::why_not_restorable(item)))
            }
        }),
        ListRow::Chore(at) => match app.list_view.chores.get(at) {
            Some(chore) if chore.plan.is_none() => Err(upkeep::not_now(chore)),
            _ => Ok(()),
        },
        ListRow::Touched(_) => Err("The rule is for all of them: one alone can't be marked.".into()),
        _ => Ok(()),
    }
}

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
    pub is_beside: bool,
    pub rows: fn(&App) -> Vec<ListRow>,
    pub key: fn(&App, ListRow) -> String,
    pub cells: fn(&App, ListRow) -> Vec<ListCell>,
    pub about: fn(&App, usize) -> RowDetails,
    pub hints: fn(&App) -> Vec<Hint>,
    pub is_read: fn(&App) -> bool,
}

/// Returns the details of a row, with the number of marked ones. The right text goes below the title if it
/// does not fit beside it.
pub fn about(app: &App, kind: &ListViewKind, width: u16) -> RowDetails {
    let width = usize::from(width.saturating_sub(2));
    let mut about = (kind.about)(app, width);
    let is_list = app.list_view.in_details && has_rows(app);
    let marks = if is_list { told(&app.list_view.details) } else { String::new() };
    let both =
        [&*marks, &*about.right].into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>().join(" · ");
    let has_room = display_width(&about.title) + display_width(&both) + 2 <= width;
    if !has_room && !marks.is_empty() && !about.right.is_empty() {
        let figures = theme::wrap(&theme::safe(app, &about.right), width);
        about.lines.splice(..0, figures.into_iter().map(Line::from));
        about.right = marks;
    } else {
        about.right = both;
    }
    about
}

/// Returns the areas of the rows, which are below the heading text, and of the text of the row with the
/// cursor, which is below the rows. That text gets the rest of the room, and at least a third of it.
pub fn parts_below(app: &App, kind: &ListViewKind, area: Rect) -> (Rect, Rect) {
    let about = about(app, kind, area.width);
    let inner = area.height.saturating_sub(1);
    let lines = u16::try_from(about.lines.len()).unwrap_or(u16::MAX).min(inner / 2);
    let room = inner - lines;
    let len = u16::try_from(app.list_view.details.all.len()).unwrap_or(u16::MAX);
    let has_text = matches!(app.list_view.details.selected(), Some(ListRow::Item(_)));
    let rows = if room < UNDER || !has_text { room } else { len.max(3).min(room - room / 3) };
    let rest = Rect { y: area.bottom() - room, height: rows, ..area };
    (rest, Rect { y: rest.bottom(), height: room - rows, ..area })
}

/// With less room, the rows get all of it.
const UNDER: u16 = 16;

/// Returns the number of marked rows, and the place of the cursor.
pub fn told(rows: &RowList) -> String {
    let range = rows.open_range().map(|range| format!("range of {}", range.count()));
    let marked = (!rows.marks.is_empty()).then(|| format!("{} marked", rows.marks.len()));
    let place = (!rows.is_empty()).then(|| format!("{} of {}", rows.cursor.at + 1, rows.len()));
    [marked, range, place].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Returns the text about the row under the cursor, wrapped.
pub fn text_lines(app: &App, width: usize) -> Vec<Line<'static>> {
    // Masked as a whole, because a value can continue in the next line.
    let text = theme::masked(app, &app.list_view.text.join("\n")).into_owned();
    text.lines().flat_map(|line| theme::wrap(&theme::safe(app, line), width)).map(Line::raw).collect()
}
