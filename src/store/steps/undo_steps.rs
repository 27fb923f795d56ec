//! Undo data of the steps: their numbers, what is kept, and whether a change is unfinished.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Vault;
use super::journal::line_of;
use super::step_segments::{
    LastSegment, SEGMENT_SUFFIX, SegmentEntries, StepEntry, UNDO, entries_of, to_member,
};
use super::undo_step::{UndoStep, digest};
use crate::disk::optional;
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{Bytes, Durability, JournalLine, Moment, path_from_text};
use crate::store::CommitError;

/// The list of derived files that could not be rebuilt yet. It names their sources before the journal says that the
/// change is over.
pub const PENDING: &str = "derive.json";
/// A segment that would be longer than this, in bytes, takes no more steps.
const FULL: u64 = 256 << 10;

/// Returns the member that an entry becomes, which is empty if nothing stays of it; `None` if it stays as it is.
type EntryEdit<'e> = &'e mut dyn FnMut(&StepEntry) -> Result<Option<Vec<u8>>, CommitError>;

impl Vault<'_> {
    /// Returns the numbers of the steps with undo data, ascending.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        let all = self.entries()?;
        Ok(all.values().filter(|own| !own.header.is_void).map(|own| own.header.step).collect())
    }

    /// Returns the last entry of each step, also of those that were not done.
    pub fn entries(&self) -> Result<Rc<BTreeMap<u64, StepEntry>>, CommitError> {
        if let Some(entries) = &*self.entries.borrow() {
            return Ok(Rc::clone(entries));
        }
        let mut all = BTreeMap::new();
        for segment in self.segments()? {
            let found = self.entries_in(&segment)?.entries;
            all.extend(found.into_iter().map(|own| (own.header.step, own)));
        }
        let all = Rc::new(all);
        self.entries.replace(Some(Rc::clone(&all)));
        Ok(all)
    }

    /// Returns the segments, the oldest first.
    pub fn segments(&self) -> Result<Vec<PathBuf>, CommitError> {
        let items = self.items(UNDO)?.into_iter();
        let numbered = items.filter_map(|item| {
            let number: u64 = item.name.to_str()?.strip_suffix(SEGMENT_SUFFIX)?.parse().ok()?;
            Some((number, self.path(UNDO).join(item.name)))
        });
        let mut all: Vec<(u64, PathBuf)> = numbered.collect();
        all.sort();
        Ok(all.into_iter().map(|(_, path)| path).collect())
    }

    pub(super) fn entries_in(&self, segment: &Path) -> Result<SegmentEntries, CommitError> {
        entries_of(self.disk, segment).map_err(|error| CommitError::unread(segment, error))
    }

    /// Returns the entries of the segment that grows: earlier ones have only settled steps.
    pub(super) fn last_entries(&self) -> Result<SegmentEntries, CommitError> {
        match self.segments()?.pop() {
            Some(segment) => self.entries_in(&segment),
            None => Ok(SegmentEntries::default()),
        }
    }

    /// Returns a number that no step has had. If only this process writes here, it reads them once.
    pub fn next_step(&self) -> Result<u64, CommitError> {
        let last = match self.last.get() {
            Some(last) => last,
            None => {
                let kept = self.entries()?.last_key_value().map_or(0, |(step, _)| *step);
                kept.max(self.journal()?.last().map_or(0, |line| line.step))
            }
        };
        let next = 1 + last.max(self.erasing()?.map_or(0, |entry| entry.step));
        self.last.set(self.last.get().map(|_| next));
        Ok(next)
    }

    /// Returns the steps that have begun and are not in the journal.
    pub fn unsettled(&self, journal: &[JournalLine]) -> Result<Vec<u64>, CommitError> {
        let known: HashSet<u64> = journal.iter().map(|line| line.step).collect();
        let found = self.last_entries()?.entries.into_iter();
        let last: BTreeMap<u64, bool> = found.map(|own| (own.header.step, own.header.is_void)).collect();
        let begun = last.into_iter().filter(|(_, is_void)| !is_void).map(|(step, _)| step);
        let mut begun: Vec<u64> = begun.filter(|step| !known.contains(step)).collect();
        if !begun.is_empty() && !self.damaged()?.is_empty() {
            // A line that can't be read may be the one of an earlier step, which was settled then.
            begun.retain(|step| journal.last().is_none_or(|last| *step > last.step));
        }
        Ok(begun)
    }

    /// Cuts off the last entry if a crash did: its step had changed nothing since the entry before it.
    pub fn cut_torn_entry(&self, journal: &[JournalLine]) -> Result<(), CommitError> {
        let entries = self.last_entries()?.entries;
        let Some(last) = entries.last().filter(|own| !own.header.is_void) else { return Ok(()) };
        let (path, start) = last.place();
        let is_known = journal.iter().any(|line| line.step == last.header.step);
        let has_data = || last.data(self.disk).map_err(|error| CommitError::unread(path, error));
        if is_known || has_data()?.is_some() {
            return Ok(());
        }
        self.forget_entries();
        let cut = || {
            let mut file = self.disk.append(path)?;
            file.set_len(start).and_then(|()| file.sync())
        };
        cut().map_err(|error| CommitError::own_data(path, error))
    }

    /// True if no change was interrupted, by the end of the journal and the segment that grows. Derived files may still be
    /// due. Also notes the last step number and the end of the segment.
    pub fn is_settled(&self) -> Result<bool, CommitError> {
        if self.erasing()?.is_some() {
            return Ok(false);
        }
        let step = |line: Vec<u8>| if line.is_empty() { Some(0) } else { line_of(&line).map(|own| own.step) };
        let Some(last) = self.end_of_journal()?.and_then(step) else { return Ok(false) };
        let segment = self.segments()?.pop();
        let found = segment.as_deref().map(|path| self.entries_in(path)).transpose()?.unwrap_or_default();
        self.last_segment.replace(segment.map(|path| LastSegment { path, end: found.end }));
        // The number of a refused change is not used again.
        let void = found.entries.iter().filter(|own| own.header.is_void).map(|own| own.header.step);
        let void: HashSet<u64> = void.collect();
        self.last.set(Some(last.max(void.iter().copied().max().unwrap_or(0))));
        let is_over = |step: u64| step <= last || void.contains(&step);
        let is_whole = !found.is_damaged && !self.has_unfinished_segment()?;
        Ok(is_whole && found.entries.iter().all(|own| is_over(own.header.step)))
    }

    /// True if a step or an erasure was interrupted, or derived files are due. Fails if that can't be read: something may
    /// be pending then.
    pub fn is_unfinished(&self) -> Result<bool, CommitError> {
        Ok(!self.is_settled()? || !self.derive_due_files()?.is_empty())
    }

    /// Returns the files whose derived files are due. An empty path means all: the list is broken. Fails if the list
    /// exists and can't be read.
    pub fn derive_due_files(&self) -> Result<Vec<PathBuf>, CommitError> {
        let path = self.path(PENDING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(Vec::new()) };
        let texts: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_else(|_| vec![String::new()]);
        Ok(texts.iter().map(|text| path_from_text(text)).collect())
    }

    /// Writes a step's undo data, durably, before the step is done. Data that it has already is replaced by it. Fails
    /// if our own data can't be written, or has no room for it: nothing of it is kept then.
    pub fn keep(
        &self,
        number: u64,
        clock: Moment,
        step: &UndoStep,
        durability: Durability,
    ) -> Result<(), CommitError> {
        let is_again = self.begun.replace(number) == number;
        let len = self.add_entry(number, clock, Some(&step.parts()), durability)?;
        match is_again && len > FULL {
            // What it replaces must not fill the disk.
            true => self.rewrite_each(self.segments()?.pop(), &mut |_| Ok(None)),
            false => Ok(()),
        }
    }

    /// Notes, durably, that a step was not done, or not finished and then undone. Its number is not used again.
    pub fn forget(&self, number: u64, clock: Moment) -> Result<(), CommitError> {
        self.drop_archived_by(number)?;
        self.add_entry(number, clock, None, Durability::Each).map(drop)
    }

    fn add_entry(
        &self,
        step: u64,
        clock: Moment,
        data: Option<&[Cow<'_, [u8]>]>,
        durability: Durability,
    ) -> Result<u64, CommitError> {
        let folder = self.folder(UNDO)?;
        let last = self.line_not_durable()?;
        let member = to_member(step, clock.0, data, last.as_ref());
        let member = member.map_err(|error| CommitError::own_data(&folder, error))?;
        self.make_room(step, member.len() as u64)?;
        let LastSegment { path, end } = self.segment_for(step, member.len() as u64)?;
        self.forget_entries();
        self.grow(&path, end, &member, durability).map_err(|error| CommitError::own_data(&path, error))?;
        let len = member.len() as u64;
        self.last_segment.replace(Some(LastSegment { path, end: end + len }));
        Ok(len)
    }

    /// Returns the segment that takes `len` more bytes: the last one, or a new one if it is full. Then all of its
    /// steps are settled, and what the journal says of them is durable.
    fn segment_for(&self, step: u64, len: u64) -> Result<LastSegment, CommitError> {
        let known = self.last_segment.borrow().clone();
        let last = match known {
            Some(last) => Some(last),
            None => match self.segments()?.pop() {
                Some(path) => Some(LastSegment { end: self.entries_in(&path)?.end, path }),
                None => None,
            },
        };
        let is_full = |own: &LastSegment| own.end > 0 && own.end + len > FULL;
        if let Some(last) = last.clone().filter(|own| !is_full(own)) {
            return Ok(last);
        }
        if let Some(last) = last {
            let begun = self.unsettled(&self.journal()?)?;
            if begun.iter().any(|own| *own != step) || self.entries()?.contains_key(&step) {
                return Ok(last);
            }
            self.sync_journal()?;
            // A batch may have left it to the end.
            self.sync_own(&last.path)?;
        }
        Ok(LastSegment { path: self.path(UNDO).join(format!("{step:06}{SEGMENT_SUFFIX}")), end: 0 })
    }

    fn forget_entries(&self) {
        drop((self.entries.replace(None), self.last_segment.replace(None)));
    }

    /// Writes a member at the end of a segment. What a crash cut behind `end` goes. If it fails, nothing of it stays.
    fn grow(&self, segment: &Path, end: u64, member: &[u8], durability: Durability) -> io::Result<()> {
        let disk = self.disk;
        let mut out = match optional(disk.append(segment))? {
            Some(out) => out,
            None => disk.create(segment, PRIVATE_MODE)?,
        };
        // An empty one may be left of a call that made it and failed: its name is not durable.
        let is_new = end == 0;
        if out.generation()?.len != end {
            out.set_len(end)?;
        }
        let mut write = || {
            out.write(member)?;
            if durability == Durability::Each || is_new {
                out.sync()?;
            }
            if is_new { disk.sync_folder(&self.path(UNDO)) } else { Ok(()) }
        };
        write().inspect_err(|_| match is_new {
            true => drop(disk.remove(segment)),
            false => drop(out.set_len(end)),
        })
    }

    /// Returns the path of the segment that grows, once it is known.
    pub fn last_segment_path(&self) -> Option<PathBuf> {
        self.last_segment.borrow().as_ref().map(|own| own.path.clone())
    }

    /// Reads a step's undo data; `None` if it was removed, or a crash interrupted its writing. Fails if it, or a file
    /// that the step made, exists and can't be read.
    pub fn step(&self, number: u64) -> Result<Option<UndoStep>, CommitError> {
        let entries = self.entries()?;
        let Some(entry) = entries.get(&number) else { return Ok(None) };
        let data = entry.data(self.disk).map_err(|error| CommitError::unread(&entry.segment, error))?;
        let Some(bytes) = data else { return Ok(None) };
        let failed = RefCell::new(None);
        let step = UndoStep::read(&bytes, &|file, made| {
            let fail = |error| drop(failed.replace(Some(CommitError::unread(file, error))));
            self.made(file, made).map_err(fail).unwrap_or_default()
        });
        let numbered = step.map(|own| UndoStep { line: JournalLine { step: number, ..own.line }, ..own });
        failed.into_inner().map_or(Ok(numbered), Err)
    }

    /// Returns the undo data of at most `most` last steps, the newest first.
    pub fn last_steps(
        &self,
        most: usize,
    ) -> Result<impl Iterator<Item = Result<UndoStep, CommitError>>, CommitError> {
        Ok(self.steps()?.into_iter().rev().take(most).filter_map(|number| self.step(number).transpose()))
    }

    /// Rewrites segments in which entries go or change, or that are damaged, each atomically, without replaced entries.
    pub fn rewrite(&self, edit: EntryEdit<'_>) -> Result<(), CommitError> {
        // An entry may have the only durable line of the step before it.
        self.complete_journal()?;
        self.sync_journal()?;
        self.rewrite_each(self.segments()?, edit)
    }

    fn rewrite_each(
        &self,
        segments: impl IntoIterator<Item = PathBuf>,
        edit: EntryEdit<'_>,
    ) -> Result<(), CommitError> {
        let current = self.entries()?;
        let is_current =
            |own: &StepEntry| current.get(&own.header.step).is_some_and(|last| last.place() == own.place());
        for segment in segments {
            let found = self.entries_in(&segment)?;
            let (mut is_changed, mut edits) = (found.is_to_rewrite(), Vec::new());
            for entry in found.entries.into_iter().filter(is_current) {
                let becomes = edit(&entry)?;
                is_changed |= becomes.is_some();
                edits.push((entry, becomes));
            }
            if !is_changed {
                continue;
            }
            let mut left = Vec::new();
            for (entry, becomes) in edits {
                left.extend(match becomes {
                    Some(member) => member,
                    None => entry
                        .member(self.disk)
                        .map_err(|error| CommitError::unread(&segment, error))?
                        .unwrap_or_default(),
                });
            }
            match left.is_empty() {
                true => self.drop_own(&segment)?,
                false => self.write_own_file(&segment, &left)?,
            }
            self.sync(&self.path(UNDO))?;
        }
        self.forget_entries();
        Ok(())
    }

    /// Removes the undo data of steps, durably.
    pub fn drop_steps(&self, steps: &HashSet<u64>) -> Result<(), CommitError> {
        self.rewrite(&mut |own| Ok(steps.contains(&own.header.step).then(Vec::new)))
    }

    /// Returns a file's bytes if their digest is `made`, else other bytes, so that they don't match.
    /// A file that can't be read is an error.
    fn made(&self, file: &Path, made: &str) -> io::Result<Bytes> {
        let read = optional(self.disk.read(&self.root.join(file), 0, None))?;
        let mut bytes = Bytes::from(read.map(|(bytes, _)| bytes).unwrap_or_default());
        if digest(&bytes) != made {
            bytes.extend(&[0]);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;
    use crate::model::Verb;

    fn tag(records: u64) -> UndoStep {
        UndoStep {
            line: JournalLine { verb: Verb::Tag, records, ..JournalLine::default() },
            ..UndoStep::default()
        }
    }

    #[test]
    fn what_a_crash_cut_of_a_later_entry_leaves_the_one_before_it_and_a_torn_line_of_the_journal_goes() {
        let (folder, data) = (crate::folder::new(), crate::folder::new());
        let vault = || Vault::open(&RealDisk, data.path(), folder.path()).unwrap();
        let line = |step: u64| JournalLine { step, ..JournalLine::default() };
        let keep = |step: u64, records: u64| {
            vault().keep(step, Moment(0), &tag(records), Durability::Each).unwrap();
        };
        keep(1, 1);
        vault().write_later(&line(1)).unwrap();
        keep(2, 2);
        keep(2, 3);
        let segment = vault().segments().unwrap().remove(0);
        let bytes = std::fs::read(&segment).unwrap();
        let zeros = [&bytes[..bytes.len() - 12], &[0; 12]].concat();
        std::fs::write(&segment, zeros).unwrap();
        let journal = vault().path(super::super::JOURNAL);
        let torn = std::fs::read(&journal).unwrap();
        std::fs::write(&journal, &torn[..torn.len() - 9]).unwrap();
        let vault = vault();
        assert_eq!(
            vault.unsettled(&vault.journal().unwrap()).unwrap(),
            [2],
            "the next entry has the line of step 1"
        );
        vault.cut_torn_entry(&vault.journal().unwrap()).unwrap();
        assert_eq!(vault.step(2).unwrap().unwrap().line.records, 2);
        vault.write(&line(2)).unwrap();
        assert_eq!(vault.damaged().unwrap(), [""; 0]);
        assert_eq!(vault.journal().unwrap().iter().map(|line| line.step).collect::<Vec<_>>(), [1, 2]);
    }
}
