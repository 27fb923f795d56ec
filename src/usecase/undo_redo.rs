//! Undo and redo: the last step of this run first, otherwise the last one in a journal.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::{ChangeFailure, Result};
use super::request::ChangeRequest;
use crate::disk::host::Host;
use crate::disk::{Disk, Machine, RealDisk};
use crate::model::plan::count_with_noun;
use crate::model::{Document, JournalLine, Plan, Store, UndoRedo};
use crate::store::commit::history::step_history::StepHistory;
use crate::store::commit::{CommitError, Vault, Writer};
use crate::text::digest::hex;
use crate::usecase::outcome::{ChangeReport, HistoryEffect};

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
    pub fn begin(&mut self) {
        self.change += 1;
    }

    /// Adds a new step: what was undone before it is not redone.
    pub fn push_new(&mut self, step: RecentStep) {
        self.done.push(RecentStep { change: self.change, ..step });
        self.undone.clear();
        self.is_new = true;
    }

    /// Returns the steps of the change that was made last, or undone last, in open stores, the newest first.
    pub fn last(&self, stores: &[Arc<Store>], is_redo: bool) -> (Option<u64>, Vec<StepToTurn>) {
        let steps = if is_redo { &self.undone } else { &self.done };
        let open = |step: &RecentStep| stores.iter().find(|store| store.root == step.root).map(Arc::clone);
        let change = steps.iter().rev().find(|step| open(step).is_some()).map(|step| step.change);
        let own = steps.iter().rev().filter(|step| Some(step.change) == change);
        let due = |step: &RecentStep| Some((open(step)?, Some(step.number), Some(step.said.clone())));
        (change, own.filter_map(due).collect())
    }

    /// Removes a step of this run, so that it is not undone or redone again.
    pub fn taken(&mut self, store: &Store, number: Option<u64>, is_redo: bool) {
        let steps = if is_redo { &mut self.undone } else { &mut self.done };
        steps.retain(|step| step.root != store.root || Some(step.number) != number);
    }

    /// Adds a step that was chosen from the journal, and undone or redone.
    pub fn push_undone_or_redone(&mut self, turn: UndoRedo, step: impl Fn(u64) -> RecentStep) {
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

/// A step of this run.
pub struct RecentStep {
    root: PathBuf,
    number: u64,
    said: String,
    change: u64,
}

impl RecentStep {
    pub(super) fn new(root: &Path, number: u64, said: &str) -> RecentStep {
        RecentStep { root: root.to_owned(), number, said: said.to_owned(), change: 0 }
    }
}

/// A step to undo or redo: its store, its number unless it is the last, and its description.
pub type StepToTurn = (Arc<Store>, Option<u64>, Option<String>);

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

/// Returns the undo or redo of one step: of the store that has a step with the asked number, otherwise of
/// the first store. `None` without stores. Nothing is written.
///
/// # Errors
///
/// If there is no such step, it is undone or redone already, or its undo data is gone.
pub fn step_to_turn(host: Host<'_>, stores: &[Arc<Store>], asked: UndoRedo) -> Result<Option<UndoRedo>> {
    let has_step = |own: &&Arc<Store>| {
        let UndoRedo::Undo(step) = asked else { return false };
        let vault = Vault::open_read_only(host.disk, host.data, &own.root);
        vault.journal().unwrap_or_default().iter().any(|line| line.step == step)
    };
    let Some(store) = stores.iter().find(has_step).or(stores.first()) else { return Ok(None) };
    let writer = Writer::open_read_only(host, store)?;
    let (_, turn) = match asked {
        UndoRedo::Undo(step) => writer.undo(Some(step).filter(|step| *step > 0))?,
        UndoRedo::Redo(_) => writer.redo(None)?,
    };
    Ok(Some(turn))
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
    let writer = Writer::open(host, store)?;
    let (plan, turn) = if is_redo { writer.redo(number)? } else { writer.undo(number)? };
    let (UndoRedo::Undo(step) | UndoRedo::Redo(step)) = turn;
    let receipt = writer.commit_undo_redo(&plan, turn)?;
    let line = plan.lines.first().map_or("", String::as_str);
    let told = line.split_once(' ').map_or(String::new(), |(_, told)| format!(" {told}"));
    let notes = receipt.notes.into_iter().chain(plan.lines.into_iter().skip(1));
    Ok((notes.collect(), told, step))
}

/// Returns a random id that connects the steps of a change of several stores.
pub fn change_id(machine: &dyn Machine) -> String {
    hex(&machine.random()[..8])
}

/// Returns the steps of the newest applied change, or of the newest undone one if `taken_back`: one
/// step for each store that it changed, the newest first. Empty if there is none.
///
/// # Errors
///
/// If palimp's own data of a store can't be read: that store may have the newest change.
pub fn last_change<'s>(
    disk: &dyn Disk,
    data: &Path,
    stores: &'s [Arc<Store>],
    taken_back: bool,
) -> Result<Vec<(&'s Arc<Store>, u64)>> {
    let read = |store: &'s Arc<Store>| {
        let vault = Vault::open_read_only(disk, data, &store.root);
        let journal = vault.journal()?;
        let history = StepHistory::of(&journal);
        let newest = history.newest(&journal, &vault.steps()?);
        let mut steps = if taken_back { history.undone } else { history.done };
        if let (false, Some((step, _))) = (taken_back, newest) {
            // Steps after the newest undoable one can't be undone.
            let end = steps.iter().position(|(own, _)| *own == step).map_or(0, |at| at + 1);
            steps.truncate(end);
        }
        Ok(ReversibleStore { store, journal, steps })
    };
    let stores: Vec<ReversibleStore<'s>> = stores.iter().map(read).collect::<Result<_>>()?;
    let Some(newest) = stores.iter().filter(|own| own.when().is_some()).max_by_key(|own| own.when()) else {
        return Ok(Vec::new());
    };
    let Some(&(step, _)) = newest.steps.last() else { return Ok(Vec::new()) };
    let change = newest.line(step).and_then(|line| line.change.as_ref());
    let others = stores.iter().filter(|own| own.store.root != newest.store.root);
    let with = others.filter_map(|own| Some((own.store, own.part_of(change?)?)));
    Ok(std::iter::once((newest.store, step)).chain(with).collect())
}

/// Returns the stores in which a step with this number is applied.
///
/// # Errors
///
/// If palimp's own data of a store can't be read.
pub fn stores_with_step<'s>(
    data: &Path,
    stores: &'s [Arc<Store>],
    number: u64,
) -> Result<Vec<&'s Arc<Store>>> {
    let mut with = Vec::new();
    for store in stores {
        let journal = Vault::open_read_only(&RealDisk, data, &store.root).journal()?;
        with.extend(StepHistory::of(&journal).has(number).then_some(store));
    }
    Ok(with)
}

/// Returns the steps that palimp made in a store.
///
/// # Errors
///
/// If palimp's own data of it can't be read.
pub fn steps_of(data: &Path, store: &Store) -> Result<Vec<JournalLine>> {
    Ok(Vault::open_read_only(&RealDisk, data, &store.root).journal()?)
}

/// Returns the numbers of the files that are as long as palimp's last step left them: no agent added to them since. Empty
/// if the memories have their own times.
pub fn files_as_left(data: &Path, store: &Store) -> Vec<u32> {
    if !store.has_file_times {
        return Vec::new();
    }
    let journal = steps_of(data, store).unwrap_or_default();
    let files = journal.iter().flat_map(|line| &line.files);
    let left: HashMap<&Path, u64> = files.map(|file| (&*file.path, file.bytes_after)).collect();
    let is_as_left = |document: &Document| left.get(&*document.path) == Some(&document.len);
    let documents = (0..).zip(&store.documents).filter(|(_, document)| is_as_left(document));
    documents.map(|(number, _)| number).collect()
}

/// Returns the files that a step of the store at `root` changed, or that the last step did that can be
/// undone or redone. `None` if there is no such step, or palimp's own data can't be read.
pub fn files_of_step(data: &Path, root: &Path, step: Option<u64>, is_redo: bool) -> Option<Vec<PathBuf>> {
    let journal = Vault::open_read_only(&RealDisk, data, root).journal().ok()?;
    let history = StepHistory::of(&journal);
    let last = if is_redo { history.undone.last() } else { history.done.last() };
    let step = step.or(last.map(|(step, _)| *step))?;
    let line = journal.iter().find(|line| line.step == step)?;
    Some(line.files.iter().map(|own| own.path.clone()).collect())
}

/// A store with the steps that can be undone or redone.
struct ReversibleStore<'s> {
    store: &'s Arc<Store>,
    journal: Vec<JournalLine>,
    /// Each with the step that applied or undid it last.
    steps: Vec<(u64, u64)>,
}

impl ReversibleStore<'_> {
    fn line(&self, step: u64) -> Option<&JournalLine> {
        self.journal.iter().find(|line| line.step == step)
    }

    /// Returns the time when its last step was applied or undone.
    fn when(&self) -> Option<&str> {
        let (_, by) = *self.steps.last()?;
        Some(&self.line(by)?.at)
    }

    fn part_of(&self, change: &str) -> Option<u64> {
        let is_part = |step: u64| self.line(step).and_then(|line| line.change.as_deref()) == Some(change);
        self.steps.iter().rev().map(|(step, _)| *step).find(|step| is_part(*step))
    }
}
