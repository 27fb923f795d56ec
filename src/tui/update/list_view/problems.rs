//! Problems: the user chooses a fix, sees it as a plan, and carries it out.

use super::super::reference_go_back;
use crate::model::{EntryRef, Problem};
use crate::ops::repair::FixPreview;
use crate::tui::action::Action;
use crate::tui::list_view::{ListRow, problems};
use crate::tui::state::app::{App, Screen};
use crate::tui::update::list_view::change_request::plan;
use crate::tui::update::list_view::open_view::open;
use crate::tui::update::list_view::row_refresh::ask;
use crate::usecase::ChangeCommand;
use crate::work::Inspect;

/// In this view, the keys of the panes choose a fix by its number.
const NUMBERS: [Action; 5] =
    [Action::SessionsPane, Action::FiltersPane, Action::HealthPane, Action::MemoriesPane, Action::DetailPane];

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, NUMBERS.iter().position(|own| *own == action)) {
        (Action::Open, _) => reference_go_back::open_problem(app),
        (Action::Fix, _) => fix(app),
        (_, Some(at)) => return choose(app, at),
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

/// Chooses a fix by its index. False if there is none.
fn choose(app: &mut App, at: usize) -> bool {
    let Some(fix) = app.list_view.fixes.as_mut() else { return false };
    let Some(way) = fix.ways.get(at) else { return false };
    // A low screen does not show the fixes.
    let told = format!("{} {}: {} shows what it does.", at + 1, way.title, Action::Fix.key());
    fix.chosen = Some(at);
    app.say(told);
    true
}

fn fix(app: &mut App) {
    let Some(which) = problems::wanted(app) else {
        return app.say("No problem is under the cursor.");
    };
    let Some((_, problem)) = problems::selected(app) else { return };
    let line = problem.line.map_or(String::new(), |line| format!(" on line {line}"));
    let name = format!("\"{}\"{line}", problem.code.as_str().replace('-', " "));
    plan(app, name, ChangeCommand::Repair(which));
}

/// Starts to look for fixes of the problem under the cursor.
pub fn ask_fixes(app: &mut App) {
    let own = problems::selected(app).map(|(store, own)| (store, Box::new(own.clone())));
    if let (Screen::Problems, Some((store, own)), true) = (app.screen, own, app.data.is_some()) {
        ask(app, Inspect::Fixes(store, own));
    }
}

/// Takes in the fixes of a problem. The cursor may have moved on.
pub fn found(app: &mut App, (store, of): (usize, &Problem), fixes: Result<FixPreview, String>) {
    if problems::selected(app).is_none_or(|(other, own)| (other, own) != (store, of)) {
        return;
    }
    let mut shown = match fixes {
        Ok(fixes) => problems::to_fixes(fixes),
        Err(why) => {
            app.say(why);
            None
        }
    };
    let was = app.list_view.fixes.take().and_then(|own| Some(own.ways.get(own.chosen?)?.title.clone()));
    if let Some(own) = &mut shown {
        own.chosen = own.ways.iter().position(|way| Some(&way.title) == was.as_ref());
    }
    app.list_view.fixes = shown;
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
