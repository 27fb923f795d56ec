//! Undo and redo: the last step of this run first, otherwise the last one in a journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::execute::{ChangeReport, HistoryEffect};
use super::failure::{ChangeFailure, Result};
use super::request::ChangeRequest;
use super::store_with_bytes;
use crate::model::plan::count_with_noun;
use crate::model::{Plan, Store};
use crate::store::commit::last_change;
use crate::store::commit::{CommitError, Host, UndoRedo, Writer};

/// The steps of this run, in order. Undo and redo take these first, no matter which times the
/// journals of several stores have.
#[derive(Default)]
pub struct RecentSteps {
    done: Vec<RecentStep>,
    undone: Vec<RecentStep>,
    /// True if there was a new step: what was undone before it is not redone.
    is_new: bool,
    /// The number of the last change. A change of several stores is a step in each.
    change: u64,
}

impl RecentSteps {
    /// Begins a change: its steps are undone and redone together.
    pub(crate) fn begin(&mut self) {
        self.change += 1;
    }

    /// Adds a new step: what was undone before it is not redone.
    pub(crate) fn push_new(&mut self, step: RecentStep) {
        self.done.push(RecentStep { change: self.change, ..step });
        self.undone.clear();
        self.is_new = true;
    }

    /// Returns the steps of the change that was made last, or undone last, in open stores, the newest first.
    fn last(&self, stores: &[Arc<Store>], is_redo: bool) -> (Option<u64>, Vec<StepToTurn>) {
        let steps = if is_redo { &self.undone } else { &self.done };
        let open = |step: &RecentStep| stores.iter().find(|store| store.root == step.root).map(Arc::clone);
        let change = steps.iter().rev().find(|step| open(step).is_some()).map(|step| step.change);
        let own = steps.iter().rev().filter(|step| Some(step.change) == change);
        let due = |step: &RecentStep| Some((open(step)?, Some(step.number), Some(step.said.clone())));
        (change, own.filter_map(due).collect())
    }

    /// Removes a step of this run, so that it is not undone or redone again.
    fn taken(&mut self, store: &Store, number: Option<u64>, is_redo: bool) {
        let steps = if is_redo { &mut self.undone } else { &mut self.done };
        steps.retain(|step| step.root != store.root || Some(step.number) != number);
    }

    /// Adds a step that was chosen from the journal, and undone or redone.
    pub(super) fn push_undone_or_redone(&mut self, turn: UndoRedo, step: impl Fn(u64) -> RecentStep) {
        let (UndoRedo::Undo(number) | UndoRedo::Redo(number)) = turn;
        self.begin();
        let own = RecentStep { change: self.change, ..step(number) };
        let others = |before: &RecentStep| before.root != own.root || before.number != number;
        self.done.retain(others);
        self.undone.retain(others);
        match turn {
            UndoRedo::Undo(_) => self.undone.push(own),
            UndoRedo::Redo(_) => self.done.push(own),
        }
    }
}

/// Plans to undo or redo a chosen step of a store. Nothing is written.
pub(super) fn preview(
    request: &ChangeRequest,
    host: Host<'_>,
    store: usize,
    turn: UndoRedo,
) -> Result<(Plan, UndoRedo)> {
    let Some(store) = request.snapshot.stores.get(store) else {
        return Err(CommitError::NoStep("The store is not open any more.".into()).into());
    };
    let writer = Writer::open_read_only(host, store)?;
    Ok(match turn {
        UndoRedo::Undo(step) => writer.undo(Some(step))?,
        UndoRedo::Redo(step) => writer.redo(Some(step))?,
    })
}

/// A step of this run.
pub struct RecentStep {
    root: PathBuf,
    number: u64,
    said: String,
    change: u64,
}

impl RecentStep {
    pub(crate) fn new(root: &Path, number: u64, said: &str) -> RecentStep {
        RecentStep { root: root.to_owned(), number, said: said.to_owned(), change: 0 }
    }
}

/// A step to undo or redo: its store, its number unless it is the last, and its description.
type StepToTurn = (Arc<Store>, Option<u64>, Option<String>);

/// Undoes the last change, or redoes what was undone last: of this run, otherwise of the journals.
/// If the change is of several stores, this is done in each.
pub fn undo_or_redo(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut RecentSteps,
    is_redo: bool,
) -> Result<ChangeReport> {
    let (of_this_run, mut steps) = recent.last(&request.snapshot.stores, is_redo);
    if of_this_run.is_none() {
        steps = of_the_journals(request, host, recent, is_redo)?;
        recent.begin();
    }
    let change = of_this_run.unwrap_or(recent.change);
    let turned = if is_redo { HistoryEffect::Redone } else { HistoryEffect::Undone };
    let said = request.command.done_words().to_owned();
    let mut changed = ChangeReport { said, notes: Vec::new(), effect: turned, receipt: Vec::new() };
    for (at, (store, number, said)) in steps.iter().enumerate() {
        let outcome = turn_in(store, host, *number, is_redo);
        if outcome.as_ref().map_or_else(|failed| failed.is_gone(), |_| true) {
            recent.taken(store, *number, is_redo);
        }
        let (notes, told, number) = outcome.map_err(|failed| match at {
            0 => failed,
            _ => {
                let message = format!("{} {} before that, in another store.", failed.message, changed.said);
                ChangeFailure { message, ..failed }
            }
        })?;
        let told = said.as_ref().map_or(told, |said| format!(": {said}"));
        if at == 0 {
            changed.said.push_str(&told);
        }
        changed.notes.extend(notes);
        let said = said.as_deref().unwrap_or(told.trim_start());
        let waiting = if is_redo { &mut recent.done } else { &mut recent.undone };
        waiting.push(RecentStep { change, ..RecentStep::new(&store.root, number, said) });
    }
    if of_this_run.is_none() && steps.len() > 1 {
        let others = count_with_noun(steps.len() as u64 - 1, "other store");
        changed.said.push_str(&format!(", also in {others}"));
    }
    Ok(changed)
}

fn of_the_journals(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &RecentSteps,
    is_redo: bool,
) -> Result<Vec<StepToTurn>> {
    let steps = match is_redo && recent.is_new {
        true => Vec::new(),
        false => last_change(host.disk, host.data, &request.snapshot.stores, is_redo)?,
    };
    if steps.is_empty() {
        let verb = if is_redo { "redo" } else { "undo" };
        return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
    }
    // In one store, it is the last applied step after recovery from a crash, so its number is not known yet.
    let is_of_several = steps.len() > 1;
    let due =
        |(store, number): (&Arc<Store>, u64)| (Arc::clone(store), is_of_several.then_some(number), None);
    Ok(steps.into_iter().map(due).collect())
}

/// Undoes or redoes a step of a store, or its last step. Returns notes, a description, and the step.
fn turn_in(
    store: &Arc<Store>,
    host: Host<'_>,
    number: Option<u64>,
    is_redo: bool,
) -> Result<(Vec<String>, String, u64)> {
    let store = &store_with_bytes(store, host.now);
    let writer = Writer::open(host, store)?;
    let (plan, turn) = if is_redo { writer.redo(number)? } else { writer.undo(number)? };
    let (UndoRedo::Undo(step) | UndoRedo::Redo(step)) = turn;
    let receipt = writer.commit_undo_redo(&plan, turn)?;
    let line = plan.lines.first().map_or("", String::as_str);
    let told = line.split_once(' ').map_or(String::new(), |(_, told)| format!(" {told}"));
    let notes = receipt.notes.into_iter().chain(plan.lines.into_iter().skip(1));
    Ok((notes.collect(), told, step))
}
