//! Problems: the keys of their view, and the ways into it.

use super::super::reference_go_back;
use crate::model::EntryRef;
use crate::tui::action::Action;
use crate::tui::list_view::problems;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::list_row::ListRow;
use crate::tui::update::list_view::fix;
use crate::tui::update::list_view::open_view::open;

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open => reference_go_back::open_problem(app),
        Action::Fix => fix::fix(app),
        Action::Down | Action::Up if app.list_view.in_details => {
            return fix::choose(app, action == Action::Down);
        }
        _ => return false,
    }
    true
}

/// Moves the cursor to the first problem of a memory of the list, if it has one.
pub fn go_to(app: &mut App, at: EntryRef) {
    let (store, entry) = app.listed_snapshot.get(at);
    let Some(sought) = store.problems_of(entry).next() else { return };
    let is_own = |row| match row {
        ListRow::Problem(own) => problems::problem(app, own).is_some_and(|(of, own)| {
            of == at.store as usize
                && (&own.file, own.line, own.code) == (&sought.file, sought.line, sought.code)
        }),
        _ => false,
    };
    let place = app.list_view.list.each().position(is_own);
    if let Some(place) = place {
        app.list_view.list.cursor.at = place;
    }
}

/// Opens the problems at the memory under the cursor, or else at the first line that can't be read.
pub fn open_at_memory(app: &mut App) {
    let is_own = app.selected().is_some_and(|at| {
        let (store, entry) = app.listed_snapshot.get(at);
        store.problems_of(entry).next().is_some()
    });
    let number = problems::first_broken(app).filter(|_| !is_own);
    open(app, Screen::Problems);
    let place =
        app.list_view.list.each().position(|row| matches!(row, ListRow::Problem(own) if Some(own) == number));
    if let Some(place) = place {
        app.list_view.list.cursor.at = place;
    }
}
