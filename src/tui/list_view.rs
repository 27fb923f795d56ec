//! The views that are a list: backups, the archive, upkeep, the journal, problems, what is new. They have
//! one way of rows, cursor, marks, filter and order; each has a file for its rows and what is below them.

pub mod archive;
pub mod backups;
pub mod journal;
pub mod new;
pub mod problems;
pub mod row;
pub mod rows;
pub mod sessions;
pub mod upkeep;

use std::sync::Arc;

use ratatui::text::Line;

use super::app::{App, Identity, Screen};
use super::panes::hints::Hint;
use crate::check::groups::tally;
use crate::deed::Visits;
use crate::model::Snapshot;
use crate::text::show::columns;
use crate::work::{Batch, Chore};
pub use row::Row;
pub use rows::Rows;

/// What is known of the one that is open.
#[derive(Default)]
pub struct ListView {
    /// Its list.
    pub list: Rows,
    /// What the row under the cursor is about, where that is a list, too.
    pub within: Rows,
    /// Whether that has the keys, not the list.
    pub inside: bool,
    /// The lines of text that are about the row. Untrusted text.
    pub text: Vec<String>,
    /// The first of them on screen.
    pub top: usize,
    /// The line that the problem under the cursor is in.
    pub fix: Option<problems::Fix>,
    /// The row that all this is about.
    pub about: Option<String>,
    /// Whether that was read afresh since.
    pub is_stale: bool,
    pub backups: backups::Backups,
    pub journal: journal::Journal,
    /// Whether compactions come first: they were asked for.
    pub compacts: bool,
    /// What is due and what is archived, of this snapshot; both views show it.
    pub chores: Vec<Chore>,
    pub batches: Vec<Batch>,
    pub read_of: Option<Arc<Snapshot>>,
    /// Up to when the memories were seen, before each time that some were marked as seen.
    pub seen: Vec<Visits>,
    /// Memories of the two sessions that are side by side.
    pub pair: Option<[Identity; 2]>,
}

impl ListView {
    /// The row under the cursor of the list.
    pub fn row(&self) -> Option<Row> {
        self.list.selected()
    }

    /// What Esc takes away next: one thing at a time, the innermost first.
    pub fn esc(&self) -> Esc {
        let own = self.focused();
        match () {
            () if self.backups.difference => Esc::Difference,
            () if own.range.is_some() => Esc::Range,
            () if own.only => Esc::Only,
            () if !own.filter.is_empty() => Esc::Filter,
            () if self.inside => Esc::Details,
            () if !own.marks.is_empty() => Esc::Marks,
            () => Esc::View,
        }
    }

    /// What has the keys.
    pub fn focused(&self) -> &Rows {
        if self.inside { &self.within } else { &self.list }
    }

    /// The same, to be changed.
    pub fn focused_mut(&mut self) -> &mut Rows {
        if self.inside { &mut self.within } else { &mut self.list }
    }
}

/// What Esc takes away next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Esc {
    Difference,
    Range,
    Only,
    Filter,
    Details,
    Marks,
    View,
}

impl Esc {
    /// The same in a hint.
    pub fn told(self) -> &'static str {
        match self {
            Esc::Difference | Esc::Details => "back to the list",
            Esc::Range => "cancel",
            Esc::Only => "all again",
            Esc::Filter => "drop the filter",
            Esc::Marks => "clear marks",
            Esc::View => "back",
        }
    }
}

/// What is told beside a list or below it, about the row under its cursor.
#[derive(Default)]
pub struct About {
    pub title: String,
    pub right: String,
    /// Text; above the rows, where there are any.
    pub lines: Vec<Line<'static>>,
}

/// What distinguishes one view from the others.
pub struct Kind {
    /// The order of the rows; another one.
    pub orders: [&'static str; 2],
    /// What is told where there are none.
    pub none: &'static str,
    /// Whether what is about a row is beside the list on a wide screen.
    pub is_beside: bool,
    pub rows: fn(&App) -> Vec<Row>,
    pub about: fn(&App, usize) -> About,
    pub hints: fn(&App) -> Vec<Hint>,
    /// Whether what it shows was read.
    pub is_read: fn(&App) -> bool,
}

/// The view that fills the screen, where it is a list.
pub fn open(app: &App) -> Option<&'static Kind> {
    Some(match app.screen {
        Screen::Restore => &backups::KIND,
        Screen::Archive => &archive::KIND,
        Screen::Upkeep => &upkeep::KIND,
        Screen::Journal => &journal::KIND,
        Screen::Problems => &problems::KIND,
        Screen::New => &new::KIND,
        Screen::Sessions => &sessions::KIND,
        Screen::Welcome | Screen::Browse | Screen::Statistics | Screen::Compare | Screen::Edit => {
            return None;
        }
    })
}

/// The title of the view that is open, shorter where it has not so many columns.
pub fn title(app: &App, room: usize) -> String {
    let [errors, warnings, notes] = app.problem_counts();
    let short = app.screen.title().to_owned();
    let long = match (app.screen, new::since(app)) {
        (Screen::Sessions, _) => return sessions::title(app, room),
        (Screen::New, Some(since)) => format!("{short} since {}", since.told_at(app.now)),
        (Screen::Problems, _) => format!("{short}  {}", tally(errors, warnings, notes)),
        _ => return short,
    };
    if columns(&long) <= room { long } else { short }
}

/// What is told where it has no rows.
pub fn none(app: &App, kind: &Kind) -> &'static str {
    match app.screen == Screen::New && new::since(app).is_none() {
        true => "Nothing is new: this is the first visit.",
        false => kind.none,
    }
}

/// Whether what is about the row under the cursor is a list of its own.
pub fn has_rows(app: &App) -> bool {
    let within = &app.view.within;
    let is_list = !within.is_empty() || !within.filter.is_empty();
    is_list && !app.view.backups.difference
}

/// Whether the row with the cursor has a text below the list.
pub fn has_under(app: &App) -> bool {
    matches!(app.view.within.selected(), Some(Row::Item(_)))
}

/// That text, and its title.
pub fn under(app: &App, width: usize) -> (String, Vec<Line<'static>>) {
    match app.view.within.selected() {
        Some(Row::Item(_)) => (backups::DIFFERENCE.to_owned(), backups::difference(app, width)),
        _ => Default::default(),
    }
}

/// The rows that are about the row under the cursor.
pub fn rows_within(app: &App) -> Vec<Row> {
    match app.view.row() {
        Some(Row::Backup(_)) => (0..app.view.backups.items().len()).map(Row::Item).collect(),
        Some(Row::Chore(at)) => {
            let touched = app.view.chores.get(at).map_or(0, |own| own.touched.len());
            (0..touched).map(Row::Touched).collect()
        }
        _ => Vec::new(),
    }
}

/// The text that is about it. Untrusted text.
pub fn text_about(app: &App) -> String {
    let text = match app.view.row() {
        Some(Row::Archived(at)) => archive::text(app, at),
        Some(Row::New(at) | Row::Side(_, at)) => Some(new::text(app, at)),
        _ => None,
    };
    let mut text = text.unwrap_or_default();
    let end = (0..=SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.truncate(end);
    text
}

/// So many bytes of a text are shown.
const SHOWN: usize = 64 << 10;

/// Whether a row can be marked, or why not.
pub fn may_mark(app: &App, row: Row) -> Result<(), String> {
    match row {
        Row::Item(_) => app.view.backups.item(Some(row)).map_or(Ok(()), |item| {
            let whole = app.view.backups.opened.as_ref().and_then(|own| own.compared.whole_only.clone());
            if item.can_come { Ok(()) } else { Err(whole.unwrap_or_else(|| backups::staying(item))) }
        }),
        Row::Chore(at) => match app.view.chores.get(at) {
            Some(chore) if chore.plan.is_none() => Err(upkeep::not_now(chore)),
            _ => Ok(()),
        },
        Row::Touched(_) => Err("The rule is for all of them: one alone can't be marked.".into()),
        _ => Ok(()),
    }
}
