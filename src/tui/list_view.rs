//! Views that are lists: backups, upkeep, journal, loaded, problems, new, secrets. They share rows, cursor, marks,
//! filter and order. Each has a file for its rows and their details.

pub mod archive;
pub mod backups;
pub mod details_area;
pub mod details_text;
pub mod fading;
pub mod instructions;
pub mod journal;
pub mod kind;
pub mod list_cell;
pub mod loaded;
pub mod new;
pub mod problems;
pub mod row;
pub mod secrets;
pub mod upkeep;

pub use kind::{ListViewKind, RowDetails};

use std::sync::Arc;

use ratatui::text::Line;

use crate::check::problem_groups::tally;
use crate::model::{EntryRef, Snapshot};
use crate::text::safe_text::display_width;
use crate::tui::action::Action;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_row::ListRow;

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
    let [errors, warnings, notes] = app.problem_counts();
    let short = app.screen.title().to_owned();
    let long = match (app.screen, new::since(app)) {
        (Screen::New, Some(since)) => format!("{short} since {}", since.long_date_at(app.now)),
        (Screen::Problems, _) => format!("{short}  {}", tally(errors, warnings, notes)),
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

/// True if the row under the cursor of the details has a text below the list.
pub fn has_text_below(app: &App) -> bool {
    matches!(app.list_view.details.selected(), Some(ListRow::Item(_)))
}

/// Returns the title and the lines of the text below the list.
pub fn text_below(app: &App, width: usize) -> (String, Vec<Line<'static>>) {
    match app.list_view.details.selected() {
        Some(ListRow::Item(_)) => (backups::DIFFERENCE.to_owned(), backups::difference(app, width)),
        _ => Default::default(),
    }
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
        ListRow::Fading(at) => fading::memory(app, at),
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

/// Returns the memory of the row under the cursor, in the list or in a list of its details.
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

/// Returns the text about the row under the cursor. Untrusted text.
pub fn detail_text(app: &App) -> String {
    let text = match app.list_view.row() {
        Some(ListRow::Archived(at)) => archive::text(app, at),
        Some(ListRow::Fading(at)) => fading::memory(app, at).and_then(|at| archive::text(app, at)),
        Some(ListRow::New(at)) => Some(new::text(app, at)),
        Some(ListRow::Finding(at)) => secrets::text(app, at),
        Some(ListRow::Loaded(number, file)) => loaded::text(app, number, file),
        Some(ListRow::Instruction(number, file)) => instructions::text(app, number, file),
        _ => None,
    };
    let mut text = text.unwrap_or_default();
    let end = (0..=SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.truncate(end);
    text
}

/// The maximum number of bytes of the text about a row.
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
