//! Finds the next steps to undo or redo in several stores.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Result;
use crate::disk::{Disk, Machine, RealDisk};
use crate::model::{Document, JournalLine, Store};
use crate::store::commit::Vault;
use crate::store::commit::history::step_history::StepHistory;
use crate::text::digest::hex;

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
