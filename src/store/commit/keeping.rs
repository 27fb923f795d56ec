//! How long our own data keeps content: what takes steps back, and drafts.

use std::collections::HashSet;
use std::io;

use super::{CommitError, Vault};
use crate::disk::Item;
use crate::model::plan::PRIVATE;
use crate::model::{Moment, time};

/// How the name of a file ends that takes a step back.
pub(super) const STEP: &str = "step";
/// Its name while it is written.
pub(super) const NEW: &str = "new";
/// An empty file that says that the number was given.
const GIVEN: &str = "given";

/// So long a step can be taken back, in days; so long a draft is kept.
const DAYS: i64 = 30;
/// So many bytes of a store are kept for taking steps back.
const ROOM: u64 = 256 << 20;

/// So many steps are looked at for the process that took a lock.
const LAST: usize = 4;

/// Until when a step that was done then can be taken back.
pub fn undo_until(done: Moment) -> Moment {
    done.plus(DAYS * time::DAY)
}

/// A file about a step.
pub(super) struct Numbered {
    pub number: u64,
    /// How its name ends.
    pub end: &'static str,
    len: u64,
    modified: i128,
}

impl Vault<'_> {
    /// Every file about a step, by their numbers.
    pub(super) fn numbered(&self) -> Result<Vec<Numbered>, CommitError> {
        let mut found: Vec<Numbered> = self.items("undo")?.iter().filter_map(numbered).collect();
        found.sort_unstable_by_key(|own| own.number);
        Ok(found)
    }

    fn items(&self, folder: &str) -> Result<Vec<Item>, CommitError> {
        let folder = self.path(folder);
        match self.disk().list(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            outcome => outcome.map_err(|error| CommitError::unread(&folder, error)),
        }
    }

    /// Whether one of the last steps, or an erasure that was cut short, was done by a process of
    /// that number.
    pub(super) fn has_step_of(&self, process: i32) -> bool {
        if matches!(self.erasing(), Ok(Some(entry)) if entry.process == Some(process)) {
            return true;
        }
        let steps = self.steps();
        let mut last = steps.iter().rev().take(LAST);
        last.any(|number| self.step(*number).ok().flatten().is_some_and(|own| own.process == Some(process)))
    }

    /// Drops what takes a step back that was not made, durably. Its number is not given again:
    /// a power cut may bring the file back.
    pub fn forget(&self, number: u64) -> Result<(), CommitError> {
        drop(self.disk().create(&self.undo_path(number, GIVEN), PRIVATE));
        self.drop_step(number)?;
        self.sync_undo()
    }

    fn drop_step(&self, number: u64) -> Result<(), CommitError> {
        let path = self.step_path(number);
        let _ = self.disk().remove(&self.undo_path(number, NEW));
        match self.disk().remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CommitError::own_data(&path, error)),
            _ => Ok(()),
        }
    }

    /// Drops what a crash cut short while it was written.
    fn drop_cut(&self, number: u64) -> Result<(), CommitError> {
        let path = self.undo_path(number, NEW);
        match self.disk().remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CommitError::own_data(&path, error)),
            _ => Ok(()),
        }
    }

    fn sync_undo(&self) -> Result<(), CommitError> {
        let folder = self.path("undo");
        match self.disk().sync_folder(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CommitError::own_data(&folder, error))
            }
            _ => Ok(()),
        }
    }

    /// Drops what is older than 30 days or beyond 256 MB, the oldest first, and old drafts. What
    /// takes back a step that is not settled stays, however old. What was cut short while it
    /// was written takes nothing back, and goes.
    pub(super) fn expire(&self, now: Moment, unsettled: &HashSet<u64>) -> Result<(), CommitError> {
        let numbered = self.numbered()?;
        let over = over(&numbered, now, unsettled);
        let last = numbered.last().map_or(0, |own| own.number);
        let given = numbered.iter().filter(|own| own.end == GIVEN && own.number < last);
        given.for_each(|own| drop(self.disk().remove(&self.undo_path(own.number, GIVEN))));
        over.iter().try_for_each(|number| self.drop_step(*number))?;
        // While this process has the store nobody is writing one: a crash left it.
        let cut: Vec<u64> = numbered.iter().filter(|own| own.end == NEW).map(|own| own.number).collect();
        cut.iter().try_for_each(|number| self.drop_cut(*number))?;
        if !over.is_empty() || !cut.is_empty() {
            self.sync_undo()?;
        }
        let folder = self.path("drafts");
        for item in self.items("drafts")?.iter().filter(|item| is_old(item.generation.modified, now)) {
            let path = folder.join(&item.name);
            self.disk().remove(&path).map_err(|error| CommitError::own_data(&path, error))?;
        }
        Ok(())
    }

    /// Whether anything is kept longer than it may be, or was cut short while it was written.
    pub(super) fn has_expired(&self, now: Moment) -> bool {
        let is_over = |numbered: Vec<Numbered>| {
            let is_cut = numbered.iter().any(|own| own.end == NEW);
            is_cut || !over(&numbered, now, &HashSet::new()).is_empty()
        };
        let drafts = self.items("drafts").unwrap_or_default();
        self.numbered().is_ok_and(is_over) || drafts.iter().any(|item| is_old(item.generation.modified, now))
    }
}

fn numbered(item: &Item) -> Option<Numbered> {
    let (number, end) = item.name.to_str()?.split_once('.')?;
    let end = [STEP, NEW, GIVEN].into_iter().find(|own| *own == end)?;
    let generation = item.generation;
    Some(Numbered { number: number.parse().ok()?, end, len: generation.len, modified: generation.modified })
}

/// The steps of which too much is kept, or for too long.
fn over(numbered: &[Numbered], now: Moment, unsettled: &HashSet<u64>) -> Vec<u64> {
    let mut kept = 0;
    let steps = numbered.iter().rev().filter(|own| own.end == STEP);
    let is_over = steps.filter(|own| {
        kept += own.len;
        (kept > ROOM || is_old(own.modified, now)) && !unsettled.contains(&own.number)
    });
    is_over.map(|own| own.number).collect()
}

fn is_old(modified: i128, now: Moment) -> bool {
    i128::from(now.0) * 1000 - modified > i128::from(DAYS) * i128::from(time::DAY) * 1000
}
