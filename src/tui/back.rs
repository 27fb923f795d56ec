//! What the views know that bring things back: backups, the archive, upkeep, the journal.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::cursor::Cursor;
use crate::model::Snapshot;
use crate::ops::restore::Item;
use crate::store::commit::{Account, Row};
use crate::work::{Backup, Batch, Chore, Opened, StepShown, Task};

/// What the one that is open knows.
#[derive(Default)]
pub struct Back {
    /// The cursor of its list.
    pub at: Cursor,
    /// The cursor within what the line under that one is about.
    pub within: Cursor,
    /// Whether what is within has the keys, not the list.
    pub inside: bool,
    pub restore: Restore,
    pub journal: Journal,
    /// The chores that were chosen.
    pub chosen: HashSet<ChoreName>,
    /// Archived memories that were chosen: their store's number and key.
    pub memories: HashSet<(usize, String)>,
    /// Whether compactions come first: they were asked for.
    pub compacts: bool,
    /// What is due and what is archived, of this snapshot; both views show it.
    pub chores: Vec<Chore>,
    pub batches: Vec<Batch>,
    pub read_of: Option<Arc<Snapshot>>,
}

/// The view of backups.
#[derive(Default)]
pub struct Restore {
    /// `None` until they are read.
    pub list: Option<Vec<Backup>>,
    /// The one that was opened.
    pub opened: Option<Opened>,
    /// Where the records start in it that are to come back.
    pub chosen: HashSet<u64>,
    /// The one that is being opened.
    pub opening: Option<(usize, PathBuf)>,
    /// Whether the difference fills the view, and its first line on screen.
    pub difference: Option<usize>,
    /// Whether every backup is being looked at, one after the other.
    pub verifying: bool,
    /// Why the last one could not be opened.
    pub failed: Option<String>,
}

impl Restore {
    /// What differs, of the one that is open.
    pub fn items(&self) -> &[Item] {
        self.opened.as_ref().map_or(&[], |opened| &opened.compared.items)
    }
}

/// A line of the archive's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Something that is due, or will be: its place among the chores.
    Chore(usize),
    /// Something archived: its place among the batches.
    Batch(usize),
}

/// What tells a chore across states of its store.
pub type ChoreName = (usize, Task, String);

/// The name of a chore.
pub fn name_of(chore: &Chore) -> ChoreName {
    (chore.store, chore.task, chore.what.clone())
}

impl Back {
    /// The backup under the cursor.
    pub fn backup(&self) -> Option<&Backup> {
        self.restore.list.as_ref()?.get(self.at.at)
    }

    /// The record under the cursor, of the backup that is open.
    pub fn item(&self) -> Option<&Item> {
        self.restore.items().get(self.within.at)
    }

    /// The step under the journal's cursor: its store's number, and its row.
    pub fn row(&self) -> Option<(usize, &Row)> {
        match *self.journal.lines.get(self.at.at)? {
            Line::Step(store, row) | Line::Others(store, row) => {
                Some((store, self.journal.row_at(store, row)?))
            }
            _ => None,
        }
    }

    /// The lines of the archive: what is due, what will be, what is archived.
    pub fn shelves(&self) -> Vec<Shelf> {
        let chores = self.chores.iter().enumerate();
        let due = chores.filter(|(_, chore)| chore.task != Task::Compact).map(|(at, _)| Shelf::Chore(at));
        due.chain((0..self.batches.len()).map(Shelf::Batch)).collect()
    }

    /// The line under the archive's cursor.
    pub fn shelf(&self) -> Option<Shelf> {
        self.shelves().get(self.at.at).copied()
    }

    /// The lines of the upkeep view, as places among the chores.
    pub fn tasks(&self) -> Vec<usize> {
        let is_shown = |task| !matches!(task, Task::Soon(_));
        let mut own: Vec<usize> =
            (0..self.chores.len()).filter(|&at| is_shown(self.chores[at].task)).collect();
        if self.compacts {
            own.sort_by_key(|&at| self.chores[at].task != Task::Compact);
        }
        own
    }

    /// The chore under the upkeep view's cursor.
    pub fn task(&self) -> Option<&Chore> {
        self.chores.get(*self.tasks().get(self.at.at)?)
    }
}

/// A line of the journal's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A step: the store's number, its place among the steps.
    Step(usize, usize),
    /// What others wrote after that step.
    Others(usize, usize),
    /// A file that is not as long as the last step left it: its place.
    Moved(usize, usize),
    /// Something of the journal that can't be read.
    Fault(usize, usize),
}

/// The view of every step.
#[derive(Default)]
pub struct Journal {
    /// A store each; `None` until they are read.
    pub accounts: Option<Vec<Account>>,
    /// The newest first.
    pub lines: Vec<Line>,
    /// What the step changed that was opened.
    pub shown: Option<StepShown>,
    /// Its first line on screen.
    pub top: usize,
}

impl Journal {
    /// A step at its place.
    pub fn row_at(&self, store: usize, row: usize) -> Option<&Row> {
        self.accounts.as_ref()?.get(store)?.rows.get(row)
    }

    /// Takes the steps in, and puts them in order.
    pub fn take(&mut self, accounts: Vec<Account>) {
        let mut lines = Vec::new();
        let mut steps: Vec<(usize, usize)> = Vec::new();
        for (store, account) in accounts.iter().enumerate() {
            lines.extend((0..account.faults.len()).map(|at| Line::Fault(store, at)));
            lines.extend((0..account.moved.len()).map(|at| Line::Moved(store, at)));
            steps.extend((0..account.rows.len()).map(|row| (store, row)));
        }
        let when = |&(store, row): &(usize, usize)| {
            let row = &accounts[store].rows[row];
            std::cmp::Reverse((row.at, store, row.line.step))
        };
        steps.sort_by_key(when);
        for (store, row) in steps {
            if !accounts[store].rows[row].others.is_none() {
                lines.push(Line::Others(store, row));
            }
            lines.push(Line::Step(store, row));
        }
        (self.accounts, self.lines) = (Some(accounts), lines);
    }
}
