//! Undo and redo: the last step of this run first, otherwise the last one in a journal.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::execute::execute_unshown;
use super::failure::{ChangeFailure, Result};
use super::plan_change::plan;
use super::recovery::{RecoveryMode, recover};
use super::request::{ChangeRequest, Requester};
use super::revalidate::current_stores::current_snapshot;
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{Document, JournalLine, Store, UndoRedo};
use crate::ops::command::{Command, CommandRules, CommandScope, StoreInput, StorePlan, WriteWay};
use crate::store::steps::StepHistory;
use crate::store::write::{plan_redo, plan_undo};
use crate::store::{CommitError, Vault};
use crate::usecase::outcome::{ChangeReport, HistoryEffect, SilentObserver};
use crate::usecase::planned_change::PlannedChange;

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
    pub fn push_new(&mut self, root: &Path, number: u64, said: &str) {
        self.done.push(RecentStep::new(root, number, said, self.change));
        self.undone.clear();
        self.is_new = true;
    }

    /// The steps of the change that was made last, or undone last, in open stores, each with the number of its store. The
    /// newest is first.
    fn last(&self, stores: &[Arc<Store>], is_redo: bool) -> Vec<(usize, &RecentStep)> {
        let steps = if is_redo { &self.undone } else { &self.done };
        let place = |step: &RecentStep| stores.iter().position(|store| store.root == step.root);
        let open = steps.iter().rev().filter_map(|step| Some((place(step)?, step)));
        let change = open.clone().next().map(|(_, step)| step.change);
        open.filter(|(_, step)| Some(step.change) == change).collect()
    }

    /// Removes a step of this run, so that it is not undone or redone again.
    fn forget(&mut self, root: &Path, number: u64, is_redo: bool) {
        let steps = if is_redo { &mut self.undone } else { &mut self.done };
        steps.retain(|step| step.root != root || step.number != number);
    }

    /// Adds a step that was undone or redone. It keeps the words of the change that made it. Returns what can follow.
    pub fn push_reversed(&mut self, reversed: UndoRedo, root: &Path, said: &str) -> HistoryEffect {
        let (UndoRedo::Undo(number) | UndoRedo::Redo(number)) = reversed;
        let is_it = |step: &&RecentStep| step.root == root && step.number == number;
        let known = self.done.iter().chain(&self.undone).find(is_it).map(|step| step.said.clone());
        let said = known.as_deref().unwrap_or(said);
        let step = RecentStep::new(root, number, said, self.change);
        self.done.retain(|other| !is_it(&other));
        self.undone.retain(|other| !is_it(&other));
        match reversed {
            UndoRedo::Undo(_) => {
                self.undone.push(step);
                HistoryEffect::Undone
            }
            UndoRedo::Redo(_) => {
                self.done.push(step);
                HistoryEffect::Redone
            }
        }
    }
}

/// A step of this run.
struct RecentStep {
    root: PathBuf,
    number: u64,
    said: String,
    change: u64,
}

impl RecentStep {
    fn new(root: &Path, number: u64, said: &str, change: u64) -> RecentStep {
        RecentStep { root: root.to_owned(), number, said: said.to_owned(), change }
    }
}

/// A change that others write beside is planned again at most this often.
const TRIES: usize = 4;

/// Undoes or redoes steps, each with the number of its store. Step 0 is the last one there.
#[derive(Clone, Debug)]
pub struct ReverseSteps(pub Vec<(usize, UndoRedo)>);

impl ReverseSteps {
    /// The numbers of the stores, each once.
    fn stores(&self) -> Vec<usize> {
        let mut known = HashSet::new();
        self.0.iter().map(|(store, _)| *store).filter(|store| known.insert(*store)).collect()
    }
}

impl Command for ReverseSteps {
    fn rules(&self) -> CommandRules {
        let words = match self.0.first() {
            Some((_, UndoRedo::Redo(_))) => ["redoing", "redo", "redid"],
            _ => ["undoing", "undo", "undid"],
        };
        CommandRules {
            words,
            scope: CommandScope::Stores(self.stores()),
            names_each: true,
            ..CommandRules::default()
        }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let steps = self.0.iter().filter(|(store, _)| *store == input.number);
        steps.map(|(store, step)| reversed(input.host, input.store, *store, *step)).collect()
    }
}

fn reversed(host: Host<'_>, store: &Store, number: usize, step: UndoRedo) -> Result<StorePlan, CommitError> {
    let known = |step: u64| Some(step).filter(|step| *step > 0);
    let (plan, step) = match step {
        UndoRedo::Undo(step) => plan_undo(host, store, known(step))?,
        UndoRedo::Redo(step) => plan_redo(host, store, known(step))?,
    };
    Ok(StorePlan { store: number, plan, way: WriteWay::Reversed(step) })
}

/// Undoes the last change, or redoes the one that was undone last. Which that is, is found when it is carried out.
#[derive(Clone, Debug)]
pub struct ReverseLast {
    pub is_redo: bool,
}

impl Command for ReverseLast {
    fn rules(&self) -> CommandRules {
        let words = match self.is_redo {
            true => ["redoing the last change", "redo", "redid"],
            false => ["undoing the last change", "undo", "undid"],
        };
        CommandRules { words, scope: CommandScope::EachStore, ..CommandRules::default() }
    }
}

/// Undoes the last change, or redoes what was undone last: of this run, otherwise of the journals.
/// If the change is of several stores, this is done in each.
pub fn undo_or_redo(
    request: &ChangeRequest,
    host: Host<'_>,
    recent: &mut RecentSteps,
    is_redo: bool,
) -> Result<ChangeReport> {
    let stores = &request.snapshot.stores;
    let last = recent.last(stores, is_redo);
    // Set for steps of this run.
    let known = last.first().map(|(_, step)| step.said.clone());
    let mut steps: Vec<(usize, u64)> = last.iter().map(|(store, step)| (*store, step.number)).collect();
    if known.is_none() {
        // The last step is known after recovery from a crash.
        stores.iter().try_for_each(|store| recover(host, store, RecoveryMode::Blocking).map(drop))?;
        if !(is_redo && recent.is_new) {
            steps = steps_to_reverse(host, stores, None, is_redo)?;
        }
        if steps.is_empty() {
            let verb = if is_redo { "redo" } else { "undo" };
            return Err(CommitError::NoStep(format!("There is nothing to {verb}.")).into());
        }
    }
    let reversal = |step| if is_redo { UndoRedo::Redo(step) } else { UndoRedo::Undo(step) };
    let command =
        Arc::new(ReverseSteps(steps.iter().map(|(store, step)| (*store, reversal(*step))).collect()));
    let asked = ChangeRequest { command, by: Requester::Ids, ..request.clone() };
    let planned = plan(asked, host).and_then(|planned| execute_retrying(planned, host, recent));
    if planned.as_ref().is_err_and(ChangeFailure::is_gone) {
        steps.iter().for_each(|(store, step)| recent.forget(&stores[*store].root, *step, is_redo));
    }
    let (planned, mut report) = planned?;
    let described = planned.plans.iter().map(|own| own.plan.lines.as_slice());
    let said = match (&known, planned.plans.first()) {
        (Some(said), _) => format!(": {said}"),
        (None, Some(first)) => format!(" {}", first.described()),
        (None, None) => String::new(),
    };
    let [_, _, done] = request.command.words();
    report.said = format!("{done}{said}");
    if known.is_none() && steps.len() > 1 {
        let others = count_with_noun(steps.len() as u64 - 1, "other store");
        report.said.push_str(&format!(", also in {others}"));
    }
    report.notes.extend(described.flat_map(|lines| lines.iter().skip(1).cloned()));
    Ok(report)
}

/// Carries out a plan that was not shown. If other programs wrote meanwhile, it is made again.
fn execute_retrying(
    mut planned: PlannedChange,
    host: Host<'_>,
    recent: &mut RecentSteps,
) -> Result<(PlannedChange, ChangeReport)> {
    for _ in 0..TRIES {
        match execute_unshown(&planned, host, recent, &mut SilentObserver) {
            Err(failed) if failed.is_moved() => {}
            done => return done.map(|report| (planned, report)),
        }
        let snapshot = current_snapshot(&planned.request.snapshot, host);
        planned = plan(ChangeRequest { snapshot, ..planned.request }, host)?;
    }
    let report = execute_unshown(&planned, host, recent, &mut SilentObserver)?;
    Ok((planned, report))
}

/// Returns the number of the store whose journal has a step; of the first one if none has it.
pub fn store_of_step(host: Host<'_>, stores: &[Arc<Store>], step: u64) -> usize {
    let has_step = |store: &Arc<Store>| {
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        vault.journal().unwrap_or_default().iter().any(|line| line.step == step)
    };
    stores.iter().position(has_step).unwrap_or_default()
}

/// Returns the steps to undo or redo, each with the number of its store: the step with a number in each store where it
/// is applied; without a number those of the newest change, or of the newest undone one, the newest first.
/// Fails if palimp's own data of a store can't be read: that store may have the newest change.
pub fn steps_to_reverse(
    host: Host<'_>,
    stores: &[Arc<Store>],
    step: Option<u64>,
    is_redo: bool,
) -> Result<Vec<(usize, u64)>> {
    let (mut numbered, mut all) = (Vec::new(), Vec::new());
    for (number, store) in stores.iter().enumerate() {
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        let journal = vault.journal()?;
        let history = StepHistory::of(&journal);
        if let Some(step) = step {
            numbered.extend(history.has(step).then_some((number, step)));
            continue;
        }
        // Another store may have a step that can be undone.
        let newest = match stores.len() {
            1 => history.newest(&journal, &vault.steps()?),
            _ => history.newest_undoable(&journal, &vault.steps()?),
        };
        let mut steps = if is_redo { history.undone } else { history.done };
        if !is_redo {
            // Steps after the newest undoable one can't be undone.
            let at = newest.and_then(|(step, _)| steps.iter().position(|(done, _)| *done == step));
            steps.truncate(at.map_or(0, |at| at + 1));
        }
        all.push(ReversibleStore { number, journal, steps });
    }
    // Of two of the same second, the one that no later step is on top of.
    let is_on_top = |store: &ReversibleStore| {
        let Some(change) = store.last_change() else { return true };
        all.iter().all(|other| other.part_of(change).is_none_or(|step| other.last() == Some(step)))
    };
    let with_steps = all.iter().filter(|store| store.when().is_some());
    let newest = with_steps.max_by_key(|store| (store.when(), is_on_top(store)));
    let Some((newest, step)) = newest.and_then(|store| Some((store, store.last()?))) else {
        return Ok(numbered);
    };
    let others = all.iter().filter(|store| store.number != newest.number);
    let with = others.filter_map(|store| Some((store.number, store.part_of(newest.last_change()?)?)));
    Ok(std::iter::once((newest.number, step)).chain(with).collect())
}

/// Returns the steps that palimp made in a store.
/// Fails if palimp's own data of it can't be read.
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
struct ReversibleStore {
    number: usize,
    journal: Vec<JournalLine>,
    /// Each with the step that applied or undid it last.
    steps: Vec<(u64, u64)>,
}

impl ReversibleStore {
    fn last(&self) -> Option<u64> {
        self.steps.last().map(|(step, _)| *step)
    }

    /// The change of several stores that its last step is a part of.
    fn last_change(&self) -> Option<&str> {
        self.line(self.last()?)?.change.as_deref()
    }

    fn line(&self, step: u64) -> Option<&JournalLine> {
        self.journal.iter().find(|line| line.step == step)
    }

    fn when(&self) -> Option<&str> {
        let (_, by) = *self.steps.last()?;
        Some(&self.line(by)?.at)
    }

    fn part_of(&self, change: &str) -> Option<u64> {
        let is_part = |step: u64| self.line(step).and_then(|line| line.change.as_deref()) == Some(change);
        self.steps.iter().rev().map(|(step, _)| *step).find(|step| is_part(*step))
    }
}
