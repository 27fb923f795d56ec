//! What a model gets: opens what is under the cursor, and moves lines out of an index that is too long.

use std::sync::Arc;

use crate::check::{KeyedProblem, findings};
use crate::model::{Code, PathText, Severity};
use crate::ops::repair::{FixChoice, RepairTarget};
use crate::tui::action::Action;
use crate::tui::list_view::loaded::{file_at, line_key};
use crate::tui::list_view::{focused_memory, has_rows};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::update::list_view::change_request::plan;
use crate::tui::update::reference_go_back;
use crate::usecase::Repair;

pub fn act(app: &mut App, action: Action) -> bool {
    match (action, focused_memory(app)) {
        (Action::Open, Some(at)) => reference_go_back::open_memory(app, at),
        (Action::Open, None) if app.list_view.in_details && has_rows(app) => {
            app.say("This line leads to no memory, and is no part of one.");
        }
        (Action::Fix, _) => move_lines(app),
        _ => return false,
    }
    true
}

/// Plans to move the marked lines into a topic file, and as many of the last ones as it takes.
fn move_lines(app: &mut App) {
    let Some(ListRow::Loaded(number, file)) = app.list_view.row() else {
        return app.say("No file of memories is under the cursor.");
    };
    let Some((store, file)) = file_at(app, number, file) else { return };
    let name = file.path.to_text().into_owned();
    let is_limit = |own: &&KeyedProblem<'_>| {
        own.problem.file == file.path
            && own.problem.code == Code::LimitExceeded
            && own.problem.severity != Severity::Note
    };
    let Some(key) = findings(store).iter().find(is_limit).map(|own| own.key.clone()) else {
        return app.say(format!("{name} is not over its limit: no lines are moved."));
    };
    let marks = &app.list_view.details.marks;
    let lines = (0..).zip(&app.list_view.loaded_lines);
    let marked =
        lines.filter(|(at, _)| marks.contains(&line_key(app, *at))).map(|(_, own)| own.number as u32);
    let pick = FixChoice::Lines(marked.collect());
    plan(app, name, Arc::new(Repair(RepairTarget::Chosen(vec![(key, pick)]))));
}
