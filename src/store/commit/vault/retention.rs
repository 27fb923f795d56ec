//! How long our own data keeps undo data and drafts.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::disk::{Item, optional};
use crate::model::plan::change::{PRIVATE_MODE, UNDO_DAYS, UNDO_LIMIT};
use crate::model::{JournalLine, Moment, time};
use crate::store::commit::vault::folder::STEP_SUFFIX;
use crate::store::commit::{CommitError, UndoStep, Vault};

/// The extension of a file while it is written.
pub const NEW_SUFFIX: &str = "new";
/// True for a file that a crash kept from being put in place. Its content is in the file that it was to replace.
pub fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == NEW_SUFFIX)
}

/// The extension of an empty file that marks a step number as used.
pub const NUMBER_SUFFIX: &str = "given";

/// The number of last steps that are checked for the process that took a lock.
const LAST: usize = 4;

/// A file about a step.
pub struct NumberedFile {
    pub number: u64,
    pub end: &'static str,
    /// Its length in bytes.
    pub len: u64,
    modified: i128,
}

impl Vault<'_> {
    /// Returns all files about steps, sorted by number.
    pub fn numbered(&self) -> Result<Vec<NumberedFile>, CommitError> {
        let mut found: Vec<NumberedFile> = self.items("undo")?.iter().filter_map(numbered).collect();
        found.sort_unstable_by_key(|own| own.number);
        Ok(found)
    }

    /// Returns the items of a folder of palimp's data. Empty if there is none.
    pub fn items(&self, folder: &str) -> Result<Vec<Item>, CommitError> {
        let folder = self.path(folder);
        let listed = optional(self.disk.list(&folder));
        listed.map(Option::unwrap_or_default).map_err(|error| CommitError::unread(&folder, error))
    }

    /// True if `process` certainly did one of the last steps, or began the interrupted erasure.
    pub fn has_step_of(&self, process: i32) -> bool {
        if matches!(self.erasing(), Ok(Some(entry)) if entry.process == Some(process)) {
            return true;
        }
        let is_it = |own: UndoStep| own.process == Some(process);
        self.last_steps(LAST).is_ok_and(|mut last| last.any(|step| step.is_ok_and(is_it)))
    }

    /// Removes, durably, the undo data of a step that was not done. Its number is not used again:
    /// a power cut may restore the file.
    pub fn forget(&self, number: u64) -> Result<(), CommitError> {
        drop(self.disk.create(&self.undo_path(number, NUMBER_SUFFIX), PRIVATE_MODE));
        self.drop_archived_by(number)?;
        self.drop_step(number)?;
        self.sync_undo()
    }

    fn drop_step(&self, number: u64) -> Result<(), CommitError> {
        let path = self.step_path(number);
        let _ = self.disk.remove(&self.undo_path(number, NEW_SUFFIX));
        self.drop_own(&path)
    }

    /// Removes a file of our data, if it exists.
    pub fn drop_own(&self, path: &Path) -> Result<(), CommitError> {
        let dropped = optional(self.disk.remove(path));
        dropped.map(drop).map_err(|error| CommitError::own_data(path, error))
    }

    /// Makes the names in a folder of our data durable, if the folder exists.
    pub fn sync(&self, folder: &Path) -> Result<(), CommitError> {
        let synced = optional(self.disk.sync_folder(folder));
        synced.map(drop).map_err(|error| CommitError::own_data(folder, error))
    }

    fn sync_undo(&self) -> Result<(), CommitError> {
        self.sync(&self.path("undo"))
    }

    /// Removes undo data and drafts older than 30 days, and files that a crash left unfinished. Keeps undo
    /// data of unsettled steps. `clock` is the machine's: a time that a user gives makes nothing older.
    pub fn expire(
        &self,
        clock: Moment,
        journal: &[JournalLine],
        unsettled: &HashSet<u64>,
    ) -> Result<(), CommitError> {
        let numbered = self.numbered()?;
        let ages = UndoAges::of(&numbered, journal, clock);
        let last = numbered.last().map_or(0, |own| own.number);
        let given = numbered.iter().filter(|own| own.end == NUMBER_SUFFIX && own.number < last);
        given.for_each(|own| drop(self.disk.remove(&self.undo_path(own.number, NUMBER_SUFFIX))));
        let old: Vec<u64> = ages.old(&numbered).filter(|number| !unsettled.contains(number)).collect();
        old.iter().try_for_each(|number| self.drop_step(*number))?;
        // This process holds the store, so no other is writing such a file: a crash left it.
        let cut: Vec<u64> =
            numbered.iter().filter(|own| own.end == NEW_SUFFIX).map(|own| own.number).collect();
        cut.iter().try_for_each(|number| self.drop_own(&self.undo_path(*number, NEW_SUFFIX)))?;
        if !old.is_empty() || !cut.is_empty() {
            self.sync_undo()?;
        }
        self.expire_archive(journal, &self.numbered()?)?;
        let folder = self.path("drafts");
        for item in ages.old_drafts(&self.items("drafts")?) {
            self.drop_own(&folder.join(&item.name))?;
        }
        Ok(())
    }

    /// True if something is kept for too long, or a crash interrupted its writing.
    pub fn has_expired(&self, clock: Moment, journal: &[JournalLine]) -> Result<bool, CommitError> {
        let numbered = self.numbered()?;
        let ages = UndoAges::of(&numbered, journal, clock);
        let is_cut = numbered.iter().any(|own| own.end == NEW_SUFFIX);
        let drafts = self.items("drafts")?;
        Ok(is_cut || ages.old(&numbered).next().is_some() || !ages.old_drafts(&drafts).is_empty())
    }

    /// Removes the oldest settled steps until `bytes` more bytes fit within [`UNDO_LIMIT`]. Never removes
    /// the file of step `number`: if it is replaced, both its old and its new size count.
    pub fn make_room(&self, number: u64, bytes: u64) -> Result<(), CommitError> {
        if let Some(kept) = self.kept.get().filter(|kept| kept + bytes <= UNDO_LIMIT) {
            self.kept.set(Some(kept + bytes));
            return Ok(());
        }
        self.kept.set(None);
        let numbered = self.numbered()?;
        let mut kept: u64 = bytes + numbered.iter().map(|own| own.len).sum::<u64>();
        if kept <= UNDO_LIMIT {
            return Ok(());
        }
        // An unsettled change needs its undo data.
        let settled: HashSet<u64> = self.journal()?.iter().map(|line| line.step).collect();
        let is_settled = |own: &&NumberedFile| own.number != number && settled.contains(&own.number);
        let mut is_dropped = false;
        for own in numbered.iter().filter(|own| own.end == STEP_SUFFIX).filter(is_settled) {
            if kept <= UNDO_LIMIT {
                break;
            }
            self.drop_step(own.number)?;
            (kept, is_dropped) = (kept - own.len, true);
        }
        if is_dropped { self.sync_undo() } else { Ok(()) }
    }

    /// Removes undo data of a step that alone exceeds the limit. Call it after the step is done: before,
    /// an interrupted change needs it.
    pub fn drop_too_large(&self, number: u64) -> Result<(), CommitError> {
        // `make_room` leaves this set only if all undo data is within the limit.
        if self.kept.get().is_some() {
            return Ok(());
        }
        let len = self.numbered()?.iter().find(|own| own.number == number).map_or(0, |own| own.len);
        if len <= UNDO_LIMIT {
            return Ok(());
        }
        self.drop_step(number)?;
        self.sync_undo()
    }
}

/// The age of undo data and drafts. An item is old only if both the machine's clock and the stored
/// times say so: neither a time that a user gives nor a clock that is wrong once removes anything.
struct UndoAges {
    clock: i128,
    /// When each step was done: the later of the journal's time and the file's time.
    done: HashMap<u64, i128>,
    /// The latest time of a step, by the earlier of its two times.
    newest: i128,
}

impl UndoAges {
    fn of(numbered: &[NumberedFile], journal: &[JournalLine], clock: Moment) -> UndoAges {
        let written = journal.iter().filter_map(|line| Some((line.step, Moment::parse(&line.at)?.0)));
        let written: HashMap<u64, i128> = written.map(|(step, at)| (step, nanos(at))).collect();
        let steps = || numbered.iter().filter(|own| own.end == STEP_SUFFIX);
        let at = |own: &NumberedFile| written.get(&own.number).copied().unwrap_or(own.modified);
        UndoAges {
            clock: nanos(clock),
            done: steps().map(|own| (own.number, at(own).max(own.modified))).collect(),
            newest: steps().map(|own| at(own).min(own.modified)).max().unwrap_or(i128::MIN),
        }
    }

    fn is_old(&self, done: i128) -> bool {
        let days = i128::from(UNDO_DAYS) * i128::from(time::DAY) * 1000;
        self.clock - done > days && self.newest.saturating_sub(done) > days
    }

    fn old<'n>(&'n self, numbered: &'n [NumberedFile]) -> impl Iterator<Item = u64> + 'n {
        let steps = numbered.iter().filter(|own| own.end == STEP_SUFFIX);
        steps.map(|own| own.number).filter(|number| self.done.get(number).is_some_and(|at| self.is_old(*at)))
    }

    /// The newest draft proves the time, too, as the newest step does.
    fn old_drafts<'d>(&self, drafts: &'d [Item]) -> Vec<&'d Item> {
        let newest = drafts.iter().map(|item| item.generation.modified).max().unwrap_or(i128::MIN);
        let with = UndoAges { clock: self.clock, done: HashMap::new(), newest: newest.max(self.newest) };
        drafts.iter().filter(|item| with.is_old(item.generation.modified)).collect()
    }
}

fn nanos(at: Moment) -> i128 {
    i128::from(at.0) * 1000
}

fn numbered(item: &Item) -> Option<NumberedFile> {
    let (number, end) = item.name.to_str()?.split_once('.')?;
    let end = [STEP_SUFFIX, NEW_SUFFIX, NUMBER_SUFFIX].into_iter().find(|own| *own == end)?;
    let generation = item.generation;
    Some(NumberedFile {
        number: number.parse().ok()?,
        end,
        len: generation.len,
        modified: generation.modified,
    })
}
