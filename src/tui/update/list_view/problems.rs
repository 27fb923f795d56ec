//! Problems: the keys of their view, the ways into it, and the action `fix`.

use std::sync::Arc;

use crate::model::{EntryRef, Problem};
use crate::ops::repair::FixPreview;
use crate::tui::action::Action;
use crate::tui::list_view::problems;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::row_list::ListRow;
use crate::tui::update::list_view::change_request::plan;
use crate::tui::update::list_view::delete_menu::edit;
use crate::tui::update::list_view::row_refresh::open_view;
use crate::tui::update::reference_go_back;
use crate::usecase::Repair;

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open => {
            let Some((store, problem)) = problems::selected(app) else { return true };
            match problems::entry(&app.snapshot, store, problem) {
                Some(at) => reference_go_back::open_memory(app, at),
                None => app.say("This problem is about the file, not about one memory."),
            }
        }
        Action::Fix => fix(app),
        Action::Down | Action::Up if app.list_view.in_details => {
            return choose(app, action == Action::Down);
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
    open_view(app, Screen::Problems);
    let place =
        app.list_view.list.each().position(|row| matches!(row, ListRow::Problem(own) if Some(own) == number));
    if let Some(place) = place {
        app.list_view.list.cursor.at = place;
    }
}

pub fn fix(app: &mut App) {
    if problems::is_repaired_in_form(app) {
        return edit(app);
    }
    let Some(which) = problems::wanted(app) else {
        return app.say("No problem is under the cursor.");
    };
    let Some((_, problem)) = problems::selected(app) else { return };
    let line = problem.line.map_or(String::new(), |line| format!(" on line {line}"));
    let name = format!("\"{}\"{line}", problem.code.as_str().replace('-', " "));
    plan(app, name, Arc::new(Repair(which)));
}

/// Chooses the next fix, or the one before. False if there is no choice.
pub fn choose(app: &mut App, ahead: bool) -> bool {
    let Some(fix) = app.list_view.fixes.as_mut().filter(|own| own.ways.len() > 1) else { return false };
    let at = fix.chosen.unwrap_or(0);
    let at = if ahead { (at + 1).min(fix.ways.len() - 1) } else { at.saturating_sub(1) };
    // A low screen does not show the fixes.
    let told = format!("{}: {} shows what it does.", fix.ways[at].title, Action::Fix.key());
    fix.chosen = Some(at);
    app.say(told);
    true
}

/// Takes in the fixes of a problem. The cursor may have moved on.
pub fn fixes_found(app: &mut App, (store, of): (usize, &Problem), fixes: Result<FixPreview, String>) {
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
