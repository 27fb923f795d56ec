//! The journal: what a step changed, and undoing it.

use super::{ask, plan};
use crate::deed::Wanted;
use crate::store::commit::{Account, Outcome, Turn};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::list_view::journal::step;
use crate::work::{Inspect, StepShown};

/// The steps were read, and what the newest of them changed.
pub fn read(app: &mut App, accounts: Vec<Account>, newest: Vec<StepShown>) {
    app.view.journal.accounts = Some(accounts);
    newest.into_iter().for_each(|own| shown(app, own));
}

/// What a step changed was read.
pub fn shown(app: &mut App, own: StepShown) {
    let known = &mut app.view.journal.shown;
    known.retain(|known| (known.store, known.step) != (own.store, own.step));
    known.push(own);
}

/// Does an action of the view; whether it has one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open if step(app).is_some() => open(app),
        Action::Undo => turn(app, false),
        Action::Redo => turn(app, true),
        _ => return false,
    }
    true
}

fn open(app: &mut App) {
    let Some((store, row)) = step(app) else { return none(app) };
    // What a step changed is with the step that did it last.
    let number = row.line.step;
    let is_known = app.view.journal.shown(store, number).is_some();
    (app.view.inside, app.view.top) = (true, 0);
    if !is_known {
        ask(app, Inspect::Step(store, number))
    }
}

fn none(app: &mut App) {
    app.say("No step is under the cursor: nothing is changed.");
}

/// Shows what undoing the step under the cursor comes to, or redoing it.
fn turn(app: &mut App, is_redo: bool) {
    if app.view.list.marks.len() > 1 {
        return app.say("Steps are undone one at a time: Esc clears the marks.");
    }
    let Some((store, row)) = step(app) else { return none(app) };
    let step = row.line.step;
    let refused = match (row.outcome, is_redo) {
        (_, _) if row.why_not.is_some() => row.why_not.map(|why| format!("Step {step}: {why}.")),
        (Outcome::TakenBack(by), false) => Some(format!("Step {step} was undone by step {by}; U redoes it.")),
        (Outcome::InForce, true) => Some(format!("Step {step} is applied; u undoes it.")),
        (Outcome::Turned(Turn::Redo(of)), true) => {
            Some(format!("Step {step} redid step {of}; u undoes that."))
        }
        (Outcome::Turned(Turn::Undo(of)), false) => {
            Some(format!("Step {step} undid step {of}; U redoes that."))
        }
        _ => None,
    };
    if refused.is_some() {
        app.notice = refused;
        return;
    }
    let wanted = match (row.outcome, is_redo) {
        (Outcome::Turned(Turn::Undo(of)), _) => Turn::Redo(of),
        (Outcome::Turned(Turn::Redo(of)), _) => Turn::Undo(of),
        (_, true) => Turn::Redo(step),
        (_, false) => Turn::Undo(step),
    };
    let (Turn::Undo(of) | Turn::Redo(of)) = wanted;
    let name = match app.snapshot.stores.len() {
        1 => format!("step {of}"),
        _ => format!("step {of} of {}", app.store_name(store)),
    };
    app.view.read_of = Some(std::sync::Arc::clone(&app.snapshot));
    plan(app, name, Wanted::Turn(vec![(store, wanted)]))
}
