//! Undo and redo: the last step of this run first, else the last that a journal has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{ChangeRequest, Changed, Failed, Turned};
use crate::model::{Plan, Store};
use crate::store::commit::{CommitError, Host, Turn, Writer, latest};

/// Steps of this run in their order: undo and redo turn these first, whatever the times in
/// the journals of several stores say.
#[derive(Default)]
pub struct Recent {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether something new was done: what had been taken back before is not done again then.
    is_new: bool,
    /// The number of the change that was made last: one of several stores is a step in each.
    change: u64,
}

impl Recent {
    /// A change begins: its steps are turned together.
    pub(super) fn begin(&mut self) {
        self.change += 1;
    }

    /// Something new was done: what was taken back before is not done again.
    pub(super) fn made(&mut self, step: Step) {
        self.done.push(Step { change: self.change, ..step });
        self.undone.clear();
        self.is_new = true;
    }

    /// A step was turned round that was chosen from the journal.
    pub(super) fn turned(&mut self, turn: Turn, step: impl Fn(u64) -> Step) {
        let (Turn::Undo(number) | Turn::Redo(number)) = turn;
        self.begin();
        let own = Step { change: self.change, ..step(number) };
        let others = |before: &Step| before.root != own.root || before.number != number;
        self.done.retain(others);
        self.undone.retain(others);
        match turn {
            Turn::Undo(_) => self.undone.push(own),
            Turn::Redo(_) => self.done.push(own),
        }
    }
}

/// The plan that turns a chosen step of a store round. Nothing is written.
pub(super) fn preview(
    request: &ChangeRequest,
    host: Host<'_>,
    store: usize,
    turn: Turn,
) -> Result<(Plan, Turn), Failed> {
    let Some(store) = request.snapshot.stores.get(store) else {
        return Err(CommitError::NoStep("The store is not open any more.".into()).into());
    };
    let writer = Writer::look(host, store)?;
    Ok(match turn {
        Turn::Undo(step) => writer.undo(Some(step))?,
        Turn::Redo(step) => writer.redo(Some(step))?,
    })
}

pub(super) struct Step {
    root: PathBuf,
    number: u64,
    said: String,
    change: u64,
}

impl Step {
    pub(super) fn new(root: &Path, number: u64, said: &str) -> Step {
        Step { root: root.to_owned(), number, said: said.to_owned(), change: 0 }
    }
}

/// Takes the last change back, or does again what was taken back last: the last step, and those of
/// this run that were made together with it.
pub(super) fn turn(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let last = |recent: &Recent| {
        let steps = if is_redo { &recent.undone } else { &recent.done };
        let is_open = |step: &&Step| request.snapshot.stores.iter().any(|store| store.root == step.root);
        steps.iter().rfind(is_open).map(|step| step.change)
    };
    let change = last(recent);
    let mut turned = turn_one(request, host, recent, is_redo)?;
    while change.is_some() && last(recent) == change {
        let next = turn_one(request, host, recent, is_redo);
        let next = next.map_err(|failed| Failed {
            message: format!("{} {} before that, in another store.", failed.message, turned.said),
            ..failed
        })?;
        turned.notes.extend(next.notes);
    }
    Ok(turned)
}

fn turn_one(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let stores = &request.snapshot.stores;
    let steps = if is_redo { &recent.undone } else { &recent.done };
    let is_open = |step: &Step| stores.iter().any(|store| store.root == step.root);
    let own = steps.iter().rposition(is_open);
    let root = own.map(|at| steps[at].root.as_path());
    let store = match root {
        Some(root) => stores.iter().find(|store| store.root == root),
        None if is_redo && recent.is_new => None,
        None => latest(host.disk, host.data, stores, is_redo),
    };
    let Some(store) = store else {
        let verb = if is_redo { "redo" } else { "undo" };
        return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
    };
    let number = own.map(|at| steps[at].number);
    // What was done by another run belongs to no change of this one.
    let own_change = own.map(|at| steps[at].change);
    let turned = turn_in(store, host, number, is_redo);
    let from = if is_redo { &mut recent.undone } else { &mut recent.done };
    let is_over = turned.as_ref().map_or_else(|failed| failed.is_gone, |_| true);
    let step = own.filter(|_| is_over).map(|at| from.remove(at));
    let (notes, told, number) = turned?;
    let told = step.map_or(told, |step| format!(": {}", step.said));
    let said = format!("{}{told}", request.wanted.done());
    let change = own_change.unwrap_or_else(|| {
        recent.begin();
        recent.change
    });
    let step = Step { change, ..Step::new(&store.root, number, told.trim_start_matches([':', ' '])) };
    if is_redo {
        recent.done.push(step)
    } else {
        recent.undone.push(step)
    }
    let turned = if is_redo { Turned::Redone } else { Turned::Undone };
    Ok(Changed { said, notes, turned, receipt: Vec::new() })
}

/// Turns a step of a store: notes, what is told of it, and the step that was turned.
fn turn_in(
    store: &Arc<Store>,
    host: Host<'_>,
    number: Option<u64>,
    is_redo: bool,
) -> Result<(Vec<String>, String, u64), Failed> {
    let writer = Writer::open(host, store)?;
    let (plan, turn) = if is_redo { writer.redo(number)? } else { writer.undo(number)? };
    let (Turn::Undo(step) | Turn::Redo(step)) = turn;
    let receipt = writer.turn(&plan, turn)?;
    let line = plan.lines.first().map_or("", String::as_str);
    let told = line.split_once(' ').map_or(String::new(), |(_, told)| format!(" {told}"));
    Ok((receipt.notes, told, step))
}
