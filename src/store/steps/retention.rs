//! How long our own data keeps undo data and drafts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use crate::disk::{Item, optional};
use crate::model::plan::change::{UNDO_DAYS, UNDO_LIMIT};
use crate::model::{JournalLine, Moment, time};
use crate::store::steps::UndoStep;
use crate::store::steps::step_segments::{StepEntry, UNDO};
use crate::store::{CommitError, Vault};

/// The extension of a file while it is written.
pub const NEW_SUFFIX: &str = "new";
/// True for a file that a crash kept from being put in place. Its content is in the file that it was to replace.
pub fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == NEW_SUFFIX)
}

/// The number of last steps that are checked for the process that took a lock.
const LAST: usize = 4;

impl Vault<'_> {
    /// Returns the size of all undo data, in bytes.
    pub fn undo_bytes(&self) -> Result<u64, CommitError> {
        Ok(self.items(UNDO)?.iter().map(|item| item.generation.len).sum())
    }

    /// True if a crash kept a rewritten segment from being put in place.
    pub(super) fn has_unfinished_segment(&self) -> Result<bool, CommitError> {
        Ok(self.items(UNDO)?.iter().any(|item| is_unfinished(Path::new(&item.name))))
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

    /// Removes undo data and drafts older than 30 days, and files that a crash left unfinished. Keeps undo
    /// data of unsettled steps. `clock` is the machine's: a time that a user gives makes nothing older.
    pub fn expire(
        &self,
        clock: Moment,
        journal: &[JournalLine],
        unsettled: &HashSet<u64>,
    ) -> Result<(), CommitError> {
        let entries = self.entries()?;
        let ages = UndoAges::of(&entries, journal, clock);
        let old: HashSet<u64> = ages.old(&entries).filter(|step| !unsettled.contains(step)).collect();
        // This process holds the store, so no other is writing such a file: a crash left it.
        for item in self.items(UNDO)?.iter().filter(|item| is_unfinished(Path::new(&item.name))) {
            self.drop_own(&self.path(UNDO).join(&item.name))?;
            self.sync(&self.path(UNDO))?;
        }
        if !old.is_empty() || self.last_entries()?.is_to_rewrite() {
            self.drop_steps(&old)?;
        }
        self.expire_archive(journal, &self.steps()?.into_iter().collect())?;
        let folder = self.path("drafts");
        for item in ages.old_drafts(&self.items("drafts")?) {
            self.drop_own(&folder.join(&item.name))?;
        }
        Ok(())
    }

    /// True if something is kept for too long, or a crash interrupted its writing.
    pub fn has_expired(&self, clock: Moment, journal: &[JournalLine]) -> Result<bool, CommitError> {
        let entries = self.entries()?;
        let ages = UndoAges::of(&entries, journal, clock);
        let is_cut = self.has_unfinished_segment()? || self.last_entries()?.is_to_rewrite();
        let drafts = self.items("drafts")?;
        Ok(is_cut || ages.old(&entries).next().is_some() || !ages.old_drafts(&drafts).is_empty())
    }

    /// Removes the oldest settled steps until `bytes` more bytes fit within [`UNDO_LIMIT`], but never step `number`.
    pub(super) fn make_room(&self, number: u64, bytes: u64) -> Result<(), CommitError> {
        if self.undo_bytes()? + bytes <= UNDO_LIMIT {
            return Ok(());
        }
        let entries = self.entries()?;
        let mut kept = bytes + entries.values().map(|own| own.len).sum::<u64>();
        // An unsettled change needs its undo data.
        let settled: HashSet<u64> = self.journal()?.iter().map(|line| line.step).collect();
        let mut gone = HashSet::new();
        for (step, entry) in entries.iter() {
            if kept > UNDO_LIMIT && *step != number && settled.contains(step) {
                gone.insert(*step);
                kept -= entry.len;
            }
        }
        if gone.is_empty() { Ok(()) } else { self.drop_steps(&gone) }
    }

    /// Removes undo data of a step that alone exceeds the limit. Call it after the step is done: before,
    /// an interrupted change needs it.
    pub fn drop_too_large(&self, number: u64) -> Result<(), CommitError> {
        if self.undo_bytes()? <= UNDO_LIMIT {
            return Ok(());
        }
        match self.entries()?.get(&number).is_some_and(|own| own.len > UNDO_LIMIT) {
            true => self.drop_steps(&HashSet::from([number])),
            false => Ok(()),
        }
    }
}

/// The age of undo data and drafts. An item is old only if both the machine's clock and the stored
/// times say so: neither a time that a user gives nor a clock that is wrong once removes anything.
struct UndoAges {
    clock: i128,
    /// When each step was done: the later of the journal's time and its entry's time.
    done: HashMap<u64, i128>,
    /// The latest time of a step, by the earlier of its two times.
    newest: i128,
}

impl UndoAges {
    fn of(entries: &BTreeMap<u64, StepEntry>, journal: &[JournalLine], clock: Moment) -> UndoAges {
        let written = journal.iter().filter_map(|line| Some((line.step, Moment::parse(&line.at)?.0)));
        let written: HashMap<u64, i128> = written.map(|(step, at)| (step, nanos(at))).collect();
        let kept = entries.values().map(|own| &own.header).filter(|own| !own.is_void);
        let times = kept.map(|own| {
            let begun = nanos(Moment(own.written));
            (own.step, begun, written.get(&own.step).copied().unwrap_or(begun))
        });
        let times: Vec<(u64, i128, i128)> = times.collect();
        UndoAges {
            clock: nanos(clock),
            done: times.iter().map(|(step, begun, at)| (*step, *at.max(begun))).collect(),
            newest: times.iter().map(|(_, begun, at)| *at.min(begun)).max().unwrap_or(i128::MIN),
        }
    }

    fn is_old(&self, done: i128) -> bool {
        let days = i128::from(UNDO_DAYS) * i128::from(time::DAY) * 1000;
        self.clock - done > days && self.newest.saturating_sub(done) > days
    }

    fn old<'n>(&'n self, entries: &'n BTreeMap<u64, StepEntry>) -> impl Iterator<Item = u64> + 'n {
        entries.keys().copied().filter(|step| self.done.get(step).is_some_and(|at| self.is_old(*at)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;
    use crate::model::Durability;

    /// Writes a segment with one step of 100 MiB.
    fn put_large(vault: &Vault<'_>, step: u64) {
        let field = format!("{{\"step\":{step},\"written\":0,\"deflated\":{}}}", 100 << 20);
        let len = |own: usize| (own as u16).to_le_bytes();
        let fixed = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255];
        let head = [&fixed, &len(field.len() + 4)[..], b"PS", &len(field.len()), field.as_bytes()].concat();
        let path = vault.folder(UNDO).unwrap().join(format!("{step:06}.steps.gz"));
        std::fs::write(&path, &head).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len((head.len() as u64) + (100 << 20) + 8).unwrap();
    }

    #[test]
    fn undo_data_never_exceeds_its_limit_and_the_oldest_goes_first() {
        let (folder, data) = (crate::folder::new(), crate::folder::new());
        let vault = Vault::open(&RealDisk, data.path(), folder.path()).unwrap();
        for step in 1..=3 {
            put_large(&vault, step);
            vault.write(&JournalLine { step, ..JournalLine::default() }).unwrap();
        }
        assert_eq!(vault.steps().unwrap(), [1, 2, 3]);
        vault.keep(4, Moment(0), &UndoStep::default(), Durability::Each).unwrap();
        assert_eq!(vault.steps().unwrap(), [2, 3, 4]);
        assert!(vault.undo_bytes().unwrap() <= UNDO_LIMIT);
    }
}
