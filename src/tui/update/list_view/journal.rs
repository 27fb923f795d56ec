//! The journal: shows what a step changed, and undoes or redoes it.

use std::sync::Arc;

use crate::model::UndoRedo;
use crate::tui::action::Action;
use crate::tui::list_view::journal::step;
use crate::tui::state::app::App;
use crate::tui::update::list_view::backups;
use crate::tui::update::list_view::change_request::plan;
use crate::tui::update::list_view::row_refresh::ask;
use crate::usecase::{JournalView, ReverseSteps, StepOutcome};
use crate::work::{Inspect, StepDetail};

pub fn read(app: &mut App, accounts: Vec<JournalView>, newest: Vec<StepDetail>) {
    app.list_view.journal.accounts = Some(accounts);
    newest.into_iter().for_each(|own| shown(app, own));
}

pub fn shown(app: &mut App, own: StepDetail) {
    let known = &mut app.list_view.journal.shown;
    known.retain(|known| (known.store, known.step) != (own.store, own.step));
    known.push(own);
}

pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        // Once its receipt is open, the same key searches again for what a step erased.
        Action::Open
            if app.list_view.in_details && step(app).is_some_and(|(_, row)| row.line.verb.is_erasure()) =>
        {
            backups::verify_erased(app)
        }
        Action::Open if step(app).is_some() => open(app),
        Action::Verify => backups::verify_erased(app),
        Action::Undo => turn(app, false),
        Action::Redo => turn(app, true),
        _ => return false,
    }
    true
}

fn open(app: &mut App) {
    let Some((store, row)) = step(app) else { return none(app) };
    let number = row.line.step;
    let is_known = app.list_view.journal.shown(store, number).is_some();
    (app.list_view.in_details, app.list_view.top) = (true, 0);
    if !is_known {
        ask(app, Inspect::Step(store, number))
    }
}

fn none(app: &mut App) {
    app.say("No step is under the cursor: nothing is changed.");
}

fn turn(app: &mut App, is_redo: bool) {
    if app.list_view.list.marks.len() > 1 {
        return app.say("Steps are undone one at a time: Esc clears the marks.");
    }
    let Some((store, row)) = step(app) else { return none(app) };
    let step = row.line.step;
    let refused = match (row.outcome, is_redo) {
        (_, _) if row.why_not.is_some() => row.why_not.map(|why| format!("Step {step}: {why}.")),
        (StepOutcome::UndoneBy(by), false) => {
            Some(format!("Step {step} was undone by step {by}; U redoes it."))
        }
        (StepOutcome::Applied, true) => Some(format!("Step {step} is applied; u undoes it.")),
        (StepOutcome::Reverses(UndoRedo::Redo(of)), true) => {
            Some(format!("Step {step} redid step {of}; u undoes that."))
        }
        (StepOutcome::Reverses(UndoRedo::Undo(of)), false) => {
            Some(format!("Step {step} undid step {of}; U redoes that."))
        }
        _ => None,
    };
    if refused.is_some() {
        app.notice = refused;
        return;
    }
    let wanted = match (row.outcome, is_redo) {
        (StepOutcome::Reverses(UndoRedo::Undo(of)), _) => UndoRedo::Redo(of),
        (StepOutcome::Reverses(UndoRedo::Redo(of)), _) => UndoRedo::Undo(of),
        (_, true) => UndoRedo::Redo(step),
        (_, false) => UndoRedo::Undo(step),
    };
    let (UndoRedo::Undo(of) | UndoRedo::Redo(of)) = wanted;
    let name = match app.snapshot.stores.len() {
        1 => format!("step {of}"),
        _ => format!("step {of} of {}", app.store_name(store)),
    };
    app.list_view.read_snapshot = Some(std::sync::Arc::clone(&app.snapshot));
    plan(app, name, Arc::new(ReverseSteps(vec![(store, wanted)])))
}
