//! Of several stores, the steps that are the next to be turned.

use std::path::Path;
use std::sync::Arc;

use super::undo_redo::StepHistory;
use crate::disk::{Disk, Machine};
use crate::model::Store;
use crate::store::commit::vault::JournalLine;
use crate::store::commit::{CommitError, Vault};
use crate::text::digest::hex;

/// A name for a change of several stores, by which their steps are found again.
pub fn change_id(machine: &dyn Machine) -> String {
    hex(&machine.random()[..8])
}

/// The newest change in force, or the newest that was taken back: its step in each store that
/// it changed, the newest step first. Empty where there is none.
///
/// # Errors
///
/// If our own data of one of them can't be read: its newest change may be the one.
pub fn last_change<'s>(
    disk: &dyn Disk,
    data: &Path,
    stores: &'s [Arc<Store>],
    taken_back: bool,
) -> Result<Vec<(&'s Arc<Store>, u64)>, CommitError> {
    let read = |store: &'s Arc<Store>| {
        let vault = Vault::open_read_only(disk, data, &store.root);
        let journal = vault.journal()?;
        let history = StepHistory::of(&journal);
        let newest = history.newest(&journal, &vault.steps()?);
        let mut steps = if taken_back { history.undone } else { history.done };
        if let (false, Some((step, _))) = (taken_back, newest) {
            // What comes after it can't be taken back.
            let end = steps.iter().position(|(own, _)| *own == step).map_or(0, |at| at + 1);
            steps.truncate(end);
        }
        Ok(ReversibleStore { store, journal, steps })
    };
    let stores: Vec<ReversibleStore<'s>> = stores.iter().map(read).collect::<Result<_, CommitError>>()?;
    let Some(newest) = stores.iter().filter(|own| own.when().is_some()).max_by_key(|own| own.when()) else {
        return Ok(Vec::new());
    };
    let Some(&(step, _)) = newest.steps.last() else { return Ok(Vec::new()) };
    let change = newest.line(step).and_then(|line| line.change.as_ref());
    let others = stores.iter().filter(|own| own.store.root != newest.store.root);
    let with = others.filter_map(|own| Some((own.store, own.part_of(change?)?)));
    Ok(std::iter::once((newest.store, step)).chain(with).collect())
}

/// A store with its steps that can be turned.
struct ReversibleStore<'s> {
    store: &'s Arc<Store>,
    journal: Vec<JournalLine>,
    /// Each with the step that did it last, or took it back.
    steps: Vec<(u64, u64)>,
}

impl ReversibleStore<'_> {
    fn line(&self, step: u64) -> Option<&JournalLine> {
        self.journal.iter().find(|line| line.step == step)
    }

    /// When the last of its steps was done.
    fn when(&self) -> Option<&str> {
        let (_, by) = *self.steps.last()?;
        Some(&self.line(by)?.at)
    }

    /// Its step that is a part of that change.
    fn part_of(&self, change: &str) -> Option<u64> {
        let is_part = |step: u64| self.line(step).and_then(|line| line.change.as_deref()) == Some(change);
        self.steps.iter().rev().map(|(step, _)| *step).find(|step| is_part(*step))
    }
}
