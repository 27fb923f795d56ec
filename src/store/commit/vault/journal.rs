//! The journal: what was done to a store, a step a line, without content.

use std::io;
use std::path::Path;

use super::Vault;
pub use super::journal_line::JournalLine;
use crate::disk::Disk;
use crate::model::PathText;
use crate::model::plan::change::PRIVATE_MODE;
use crate::store::commit::CommitError;

/// What was done to the store, a step a line.
pub const JOURNAL: &str = "journal.jsonl";

impl Vault<'_> {
    /// The lines of the journal, in order. A torn last line is one that a crash cut: its step is
    /// found by its own file.
    ///
    /// # Errors
    ///
    /// If it is there and can't be read: it is not empty then.
    pub fn journal(&self) -> Result<Vec<JournalLine>, CommitError> {
        let bytes = self.read_own_file(&self.path(JOURNAL))?.unwrap_or_default();
        let mut lines = lines_of(&bytes);
        let lost: Vec<JournalLine> = self.lost(&bytes, &lines)?.into_iter().map(|(_, line)| line).collect();
        lines.extend(lost);
        lines.sort_by_key(|line| line.step);
        lines.dedup_by_key(|line| line.step);
        Ok(lines)
    }

    /// When the journal last told of a step, in nanoseconds since 1970.
    pub fn written_at(&self) -> Option<i128> {
        self.disk.look(&self.path(JOURNAL)).ok().map(|item| item.generation.modified)
    }

    /// What to say of lines of the journal that are damaged: a sentence each.
    pub fn damaged(&self) -> Result<Vec<String>, CommitError> {
        let path = self.path(JOURNAL);
        let bytes = self.read_own_file(&path)?.unwrap_or_default();
        let sentence = |(number, line): (usize, JournalLine)| {
            let (path, step) = (path.to_text(), line.step);
            format!(
                "line {number} of {path} is damaged: step {step} is known only from its undo data, and is not touched"
            )
        };
        Ok(self.lost(&bytes, &lines_of(&bytes))?.into_iter().map(sentence).collect())
    }

    /// What lines said that are damaged, as far as their steps' undo data says it, with the
    /// lines' numbers. The last line, where it has no end, is one that a crash cut: its step is
    /// settled. A step before it that no line names was settled, and is left alone.
    fn lost(&self, bytes: &[u8], lines: &[JournalLine]) -> Result<Vec<(usize, JournalLine)>, CommitError> {
        let whole = &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)];
        let is_damaged =
            |(_, line): &(usize, &[u8])| !line.trim_ascii().is_empty() && line_of(line).is_none();
        let named = |line: &[u8]| lines.iter().any(|own| line.starts_with(&start_of(own.step)));
        let damaged = (1..).zip(whole.split(|byte| *byte == b'\n')).filter(is_damaged);
        // One that a crash had cut, and whose step was settled after it, says nothing more.
        let damaged: Vec<(usize, &[u8])> = damaged.filter(|(_, line)| !named(line)).collect();
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let steps = self.steps()?.into_iter().filter(|step| lines.iter().all(|line| line.step != *step));
        let lost = steps.filter_map(|step| {
            let last = lines.last().map_or(0, |line| line.step);
            let by_name = damaged.iter().find(|(_, line)| line.starts_with(&start_of(step)));
            let (number, _) = by_name.or(damaged.first().filter(|_| step < last))?;
            Some((*number, step))
        });
        let named = |(number, step): (usize, u64)| Ok(self.step(step)?.map(|own| (number, own.line)));
        let lost = lost.map(named).filter_map(Result::transpose);
        lost.collect()
    }

    /// The format of the store, as the last step that names it does; `None` where none does.
    ///
    /// # Errors
    ///
    /// If the journal can't be read.
    pub fn format(&self) -> Result<Option<String>, CommitError> {
        let named = |line: JournalLine| Some(line.format).filter(|format| !format.is_empty());
        Ok(self.journal()?.into_iter().rev().find_map(named))
    }

    /// Adds a line to the journal, durably.
    ///
    /// # Errors
    ///
    /// If the journal can't be written.
    pub fn write(&self, line: &JournalLine) -> Result<(), CommitError> {
        let path = self.path(JOURNAL);
        let failed = |source| CommitError::own_data(&path, source);
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        append(self.disk, &path, &bytes).map_err(failed)
    }
}

fn lines_of(bytes: &[u8]) -> Vec<JournalLine> {
    bytes.split(|byte| *byte == b'\n').filter_map(line_of).collect()
}

pub(super) fn line_of(line: &[u8]) -> Option<JournalLine> {
    serde_json::from_slice(line).ok().filter(|own: &JournalLine| own.step > 0)
}

/// How the line of a step begins.
fn start_of(step: u64) -> Vec<u8> {
    format!("{{\"step\":{step},").into_bytes()
}

/// Adds bytes to a file of our own, durably; makes it if it is absent.
fn append(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, made) = match disk.append(path) {
        Ok(file) => (file, false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (disk.create(path, PRIVATE_MODE)?, true),
        Err(error) => return Err(error),
    };
    let len = file.generation()?.len;
    let glued = len > 0 && disk.read(path, len - 1, Some(1))?.0 != b"\n";
    let line = if glued { [b"\n", bytes].concat() } else { bytes.to_vec() };
    file.write(&line)?;
    file.sync()?;
    match path.parent() {
        Some(folder) if made => disk.sync_folder(folder),
        _ => Ok(()),
    }
}
