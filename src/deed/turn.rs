//! Undo and redo: the last step of this run first, else the last that a journal has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asked::ChangeRequest;
use super::carried::{Changed, Turned};
use super::failed::Failed;
use crate::model::plan::counted;
use crate::model::{Plan, Store};
use crate::store::commit::{CommitError, Host, Turn, Writer, last_change};

/// Steps of this run in their order: undo and redo turn these first, whatever the times in
/// the journals of several stores say.
#[derive(Default)]
pub struct Recent {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether something new was done: what had been undone before is not redone then.
    is_new: bool,
    /// The number of the change that was made last: one of several stores is a step in each.
    change: u64,
}

impl Recent {
    /// A change begins: its steps are turned together.
    pub(crate) fn begin(&mut self) {
        self.change += 1;
    }

    /// Something new was done: what was undone before is not redone.
    pub(crate) fn made(&mut self, step: Step) {
        self.done.push(Step { change: self.change, ..step });
        self.undone.clear();
        self.is_new = true;
    }

    /// A step was turned: it waits to be turned again.
    fn keep(&mut self, step: Step, is_redo: bool) {
        if is_redo { self.done.push(step) } else { self.undone.push(step) }
    }

    /// A step is not to be turned any more.
    fn taken(&mut self, at: usize, is_redo: bool) {
        if is_redo {
            self.undone.remove(at)
        } else {
            self.done.remove(at)
        };
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

/// A step of this run.
pub struct Step {
    root: PathBuf,
    number: u64,
    said: String,
    change: u64,
}

impl Step {
    pub(crate) fn new(root: &Path, number: u64, said: &str) -> Step {
        Step { root: root.to_owned(), number, said: said.to_owned(), change: 0 }
    }
}

/// Undoes the last change, or redoes what was undone last: of this run, else of the
/// journals. Of several stores each step of it is turned.
pub(super) fn turn(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let steps = if is_redo { &recent.undone } else { &recent.done };
    match steps.iter().rposition(|step| is_open(request, step)) {
        Some(last) => of_this_run(request, host, recent, steps[last].change, is_redo),
        None => of_the_journals(request, host, recent, is_redo),
    }
}

fn is_open(request: &ChangeRequest, step: &Step) -> bool {
    request.snapshot.stores.iter().any(|store| store.root == step.root)
}

/// Turns the steps of a change that this run made.
fn of_this_run(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    change: u64,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let mut turned = Turning::new(request, is_redo);
    loop {
        let steps = if is_redo { &recent.undone } else { &recent.done };
        let is_part = |step: &Step| step.change == change && is_open(request, step);
        let Some(at) = steps.iter().rposition(is_part) else { return Ok(turned.changed) };
        let (root, number, said) = (steps[at].root.clone(), steps[at].number, steps[at].said.clone());
        let Some(store) = request.snapshot.stores.iter().find(|store| store.root == root) else {
            return Ok(turned.changed);
        };
        let outcome = turn_in(store, host, Some(number), is_redo);
        if outcome.as_ref().map_or_else(|failed| failed.is_gone, |_| true) {
            recent.taken(at, is_redo);
        }
        let (notes, ..) = outcome.map_err(|failed| turned.cut_short(failed))?;
        turned.add(notes, &format!(": {said}"));
        recent.keep(Step { change, ..Step::new(&store.root, number, &said) }, is_redo);
    }
}

/// Turns the steps of the newest change that the journals have.
fn of_the_journals(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut Recent,
    is_redo: bool,
) -> Result<Changed, Failed> {
    let stores = &request.snapshot.stores;
    let steps = match is_redo && recent.is_new {
        true => Vec::new(),
        false => last_change(host.disk, host.data, stores, is_redo)?,
    };
    if steps.is_empty() {
        let verb = if is_redo { "redo" } else { "undo" };
        return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
    }
    let mut turned = Turning::new(request, is_redo);
    recent.begin();
    // Of one store it is the last that is in force once what a crash cut short is finished.
    let is_of_several = steps.len() > 1;
    for (store, number) in steps {
        let outcome = turn_in(store, host, is_of_several.then_some(number), is_redo);
        let (notes, told, number) = outcome.map_err(|failed| turned.cut_short(failed))?;
        turned.add(notes, &told);
        let step = Step::new(&store.root, number, told.trim_start());
        recent.keep(Step { change: recent.change, ..step }, is_redo);
    }
    if is_of_several {
        let others = counted(turned.stores as u64 - 1, "other store");
        turned.changed.said.push_str(&format!(", and what it did in {others}"));
    }
    Ok(turned.changed)
}

/// Steps that are turned one after the other.
struct Turning {
    changed: Changed,
    stores: usize,
}

impl Turning {
    fn new(request: &ChangeRequest, is_redo: bool) -> Turning {
        let turned = if is_redo { Turned::Redone } else { Turned::Undone };
        let said = request.wanted.done().to_string();
        Turning { changed: Changed { said, notes: Vec::new(), turned, receipt: Vec::new() }, stores: 0 }
    }

    /// One more was turned.
    fn add(&mut self, notes: Vec<String>, told: &str) {
        if self.stores == 0 {
            self.changed.said.push_str(told);
        }
        self.stores += 1;
        self.changed.notes.extend(notes);
    }

    /// Why it ends here, and what was turned before.
    fn cut_short(&self, failed: Failed) -> Failed {
        if self.stores == 0 {
            return failed;
        }
        let message = format!("{} {} before that, in another store.", failed.message, self.changed.said);
        Failed { message, ..failed }
    }
}

/// Turns a step of a store, or its last: notes, what is told of it, and the step.
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
    let notes = receipt.notes.into_iter().chain(plan.lines.into_iter().skip(1));
    Ok((notes.collect(), told, step))
}
