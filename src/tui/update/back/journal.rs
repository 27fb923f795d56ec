//! The journal: what a step changed, and turning it round.

use super::{ask, plan};
use crate::deed::Wanted;
use crate::model::Tell;
use crate::store::commit::{Account, Outcome, Turn};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::back::Line;
use crate::work::Inspect;

/// The steps were read: the cursor stays on its own.
pub fn read(app: &mut App, accounts: Vec<Account>) {
    let own = app.back.row().map(|(store, row)| (store, row.line.step));
    let journal = &mut app.back.journal;
    let first = journal.accounts.is_none();
    journal.take(accounts);
    let same = |line: &Line| match *line {
        Line::Step(store, row) => {
            journal.row_at(store, row).map(|row| (store, row.line.step)) == own && own.is_some()
        }
        _ => false,
    };
    let current = journal.lines.iter().position(same);
    let newest = || journal.lines.iter().position(|line| matches!(line, Line::Step(..)));
    app.back.at.at = match current {
        Some(at) => at,
        None if first => newest().unwrap_or_default(),
        None => app.back.at.at,
    };
}

/// Does an action of the view; whether it has one of the kind.
pub fn act(app: &mut App, action: Action) -> bool {
    match action {
        Action::Open | Action::Toggle => open(app),
        Action::Undo => turn(app, false),
        Action::Redo => turn(app, true),
        _ => return false,
    }
    true
}

fn open(app: &mut App) {
    let Some((store, row)) = app.back.row() else { return none(app) };
    // What a step changed is with the step that did it last.
    let step = row.line.step;
    app.back.inside = true;
    let journal = &mut app.back.journal;
    journal.top = 0;
    if journal.shown.as_ref().is_some_and(|own| (own.store, own.step) == (store, step)) {
        return;
    }
    journal.shown = None;
    ask(app, Inspect::Step(store, step))
}

fn none(app: &mut App) {
    app.say("no step is under the cursor: nothing is changed");
}

/// Shows what undoing the step under the cursor comes to, or redoing it.
fn turn(app: &mut App, is_redo: bool) {
    let Some((store, row)) = app.back.row() else { return none(app) };
    let step = row.line.step;
    let refused = match (row.outcome, is_redo) {
        (_, _) if row.why_not.is_some() => row.why_not.map(|why| format!("step {step}: {why}")),
        (Outcome::TakenBack(by), false) => Some(format!("step {step} was undone by step {by}; U redoes it")),
        (Outcome::InForce, true) => Some(format!("step {step} is applied; u undoes it")),
        (Outcome::Turned(Turn::Redo(of)), true) => {
            Some(format!("step {step} redid step {of}; u undoes that"))
        }
        (Outcome::Turned(Turn::Undo(of)), false) => {
            Some(format!("step {step} undid step {of}; U redoes that"))
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
        _ => format!("step {of} of {}", app.snapshot.stores[store].root.told()),
    };
    app.back.read_of = Some(std::sync::Arc::clone(&app.snapshot));
    plan(app, name, Wanted::Turn(vec![(store, wanted)]))
}
