//! The journal: what was done to a store, one step per line, without content.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::Vault;
use super::pending_erasure::json_lines;
use crate::disk::{Disk, optional, sync_file};
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{JournalLine, PathText};
use crate::store::CommitError;
use crate::store::steps::step_segments::StepEntry;

/// The journal's file name.
pub const JOURNAL: &str = "journal.jsonl";

/// A line that is longer, in bytes, is made durable at once. A shorter one becomes durable with the next step.
const SHORT: usize = 4096;
/// The number of bytes at the end of the journal in which its last line is looked for.
const END: u64 = 64 << 10;

impl Vault<'_> {
    /// Returns the lines of the journal, ordered by step. A line that a power cut took, or that is damaged, is in the
    /// undo data of the step after it. A torn last line is left out: the next start finds its step by its undo data.
    /// Fails if it exists and can't be read: it is not empty then.
    pub fn journal(&self) -> Result<Vec<JournalLine>, CommitError> {
        let bytes = self.read_own_file(&self.path(JOURNAL))?.unwrap_or_default();
        let mut lines = lines_of(&bytes);
        lines.extend(self.missing_lines(&bytes)?);
        lines.sort_by_key(|line| line.step);
        lines.dedup_by_key(|line| line.step);
        Ok(lines)
    }

    /// Returns the lines that only undo data has: of the segment that grows, or of all if the journal is damaged. The
    /// last step may have none yet.
    fn missing_lines(&self, journal: &[u8]) -> Result<Vec<JournalLine>, CommitError> {
        let known: HashSet<u64> = lines_of(journal).iter().map(|line| line.step).collect();
        let entries = match damaged_lines(journal).next() {
            None => self.last_entries()?.entries,
            Some(_) => self.entries()?.values().cloned().collect(),
        };
        let begun = entries.iter().filter(|own| !own.header.is_void).map(|own| own.header.step);
        let last = entries.last().map(|own| own.header.step);
        if begun.filter(|step| Some(*step) != last).all(|step| known.contains(&step)) {
            return Ok(Vec::new());
        }
        let line = |own: &StepEntry| {
            let read = own.last_line(self.disk).map_err(|error| CommitError::unread(own.place().0, error));
            read.map(|line| line.filter(|line| !known.contains(&line.step))).transpose()
        };
        entries.iter().filter_map(line).collect()
    }

    /// Adds the lines that only undo data has, durably. They replace damaged ones.
    pub fn complete_journal(&self) -> Result<(), CommitError> {
        let path = self.path(JOURNAL);
        let bytes = self.read_own_file(&path)?.unwrap_or_default();
        let missing = self.missing_lines(&bytes)?;
        let damaged: HashSet<usize> = damaged_lines(&bytes).take(missing.len()).collect();
        if damaged.is_empty() {
            return missing.iter().try_for_each(|line| self.write(line));
        }
        let lines = (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
        let left: Vec<_> = lines.filter(|(at, _)| !damaged.contains(at)).map(|(_, line)| line).collect();
        self.write_own_file(&path, &[json_lines(&missing)?, left.concat()].concat())
    }

    /// Makes the journal durable.
    pub fn sync_journal(&self) -> Result<(), CommitError> {
        self.sync_own(&self.path(JOURNAL))
    }

    /// Makes what was written to a file of our data durable.
    pub fn sync_own(&self, path: &Path) -> Result<(), CommitError> {
        sync_file(self.disk, path).map_err(|error| CommitError::own_data(path, error))
    }

    /// Returns the last line of the journal, which may not be durable. A long line is, or is made durable here.
    pub(super) fn line_not_durable(&self) -> Result<Option<JournalLine>, CommitError> {
        match self.end_of_journal()? {
            Some(line) if line.len() < SHORT => Ok(line_of(&line)),
            _ => self.sync_journal().map(|()| None),
        }
    }

    /// Returns the last line of the journal, which is empty if there is none; `None` if the journal does not end in one.
    pub(super) fn end_of_journal(&self) -> Result<Option<Vec<u8>>, CommitError> {
        let path = self.path(JOURNAL);
        let unread = |error| CommitError::unread(&path, error);
        let Some(item) = optional(self.disk.look(&path)).map_err(unread)? else {
            return Ok(Some(Vec::new()));
        };
        let from = item.generation.len.saturating_sub(END);
        let (bytes, _) = self.disk.read(&path, from, None).map_err(unread)?;
        let Some(lines) = bytes.strip_suffix(b"\n") else { return Ok(bytes.is_empty().then_some(bytes)) };
        Ok(Some(lines[memchr::memrchr(b'\n', lines).map_or(0, |feed| feed + 1)..].to_vec()))
    }

    /// Returns a sentence for each line of the journal that is damaged.
    pub fn damaged(&self) -> Result<Vec<String>, CommitError> {
        let path = self.path(JOURNAL);
        let bytes = self.read_own_file(&path)?.unwrap_or_default();
        let missing = self.missing_lines(&bytes)?;
        let mut steps = missing.iter().map(|line| line.step);
        let path = path.to_text();
        let sentence = |line| match steps.next() {
            Some(step) => {
                format!("line {line} of {path} is damaged: undo data has what it says of step {step}")
            }
            None => format!("line {line} of {path} is damaged: what it said is not known any more"),
        };
        Ok(damaged_lines(&bytes).map(sentence).collect())
    }

    /// Returns the store's format, from the last step that names one.
    pub fn format(&self) -> Result<Option<String>, CommitError> {
        let named = |line: JournalLine| Some(line.format).filter(|format| !format.is_empty());
        Ok(self.journal()?.into_iter().rev().find_map(named))
    }

    /// Adds a line to the journal, durably.
    pub fn write(&self, line: &JournalLine) -> Result<(), CommitError> {
        self.write_line(line, true)
    }

    /// Adds a line to the journal. It becomes durable with the undo data of the next step: until then that of its own
    /// step says as much.
    pub fn write_later(&self, line: &JournalLine) -> Result<(), CommitError> {
        self.write_line(line, false)
    }

    fn write_line(&self, line: &JournalLine, is_durable: bool) -> Result<(), CommitError> {
        let path = self.path(JOURNAL);
        let failed = |source| CommitError::own_data(&path, source);
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        append(self.disk, &path, &bytes, is_durable || bytes.len() > SHORT).map_err(failed)
    }
}

fn lines_of(bytes: &[u8]) -> Vec<JournalLine> {
    bytes.split(|byte| *byte == b'\n').filter_map(line_of).collect()
}

pub(super) fn line_of(line: &[u8]) -> Option<JournalLine> {
    serde_json::from_slice(line).ok().filter(|own: &JournalLine| own.step > 0)
}

/// Returns the numbers of the lines that are no lines of a journal. A last line without an end was being written.
fn damaged_lines(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let whole = &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)];
    let lines = (1..).zip(whole.split(|byte| *byte == b'\n'));
    let damaged = lines.filter(|(_, line)| !line.trim_ascii().is_empty() && line_of(line).is_none());
    damaged.map(|(number, _)| number)
}

/// Appends bytes to a file of our data, durably if it is to be so, or is new. Makes an absent file. Cuts off a torn line.
fn append(disk: &dyn Disk, path: &Path, bytes: &[u8], is_durable: bool) -> io::Result<()> {
    let mut file = match optional(disk.append(path))? {
        Some(file) => file,
        None => disk.create(path, PRIVATE_MODE)?,
    };
    let len = file.generation()?.len;
    let end = disk.read(path, len.saturating_sub(END), None)?.0;
    let torn = &end[memchr::memrchr(b'\n', &end).map_or(0, |feed| feed + 1)..];
    let is_line = line_of(torn).is_some() || torn.len() as u64 == END;
    if !torn.is_empty() && !is_line {
        // A crash cut it: the next start has settled its step since.
        file.set_len(len - torn.len() as u64)?;
    }
    let line = if is_line { [b"\n", bytes].concat() } else { bytes.to_vec() };
    file.write(&line)?;
    if is_durable || len == 0 {
        file.sync()?;
    }
    match path.parent() {
        Some(folder) if len == 0 => disk.sync_folder(folder),
        _ => Ok(()),
    }
}
