//! The steps that this program made last.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Store, UndoRedo};

/// The steps of this run, in order. Undo and redo take these first, no matter which times the
/// journals of several stores have.
#[derive(Default)]
pub struct RecentSteps {
    pub(super) done: Vec<RecentStep>,
    pub(super) undone: Vec<RecentStep>,
    /// True if there was a new step: what was undone before it is not redone.
    pub(super) is_new: bool,
    /// The number of the last change. A change of several stores is a step in each.
    pub(super) change: u64,
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
    pub(super) root: PathBuf,
    pub(super) number: u64,
    pub(super) said: String,
    pub(super) change: u64,
}

impl RecentStep {
    pub(super) fn new(root: &Path, number: u64, said: &str) -> RecentStep {
        RecentStep { root: root.to_owned(), number, said: said.to_owned(), change: 0 }
    }
}

/// A step to undo or redo: its store, its number unless it is the last, and its description.
pub type StepToTurn = (Arc<Store>, Option<u64>, Option<String>);
