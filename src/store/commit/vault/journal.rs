//! The journal: what was done to a store, one step per line, without content.

use std::io;
use std::path::Path;

use super::Vault;
use crate::disk::Disk;
use crate::model::plan::change::PRIVATE_MODE;
use crate::model::{JournalLine, PathText};
use crate::store::commit::CommitError;

/// The journal's file name.
pub const JOURNAL: &str = "journal.jsonl";

impl Vault<'_> {
    /// Returns the lines of the journal, ordered by step. Broken lines come from undo data. A torn last line is left
    /// out: the next start finds its step by its undo data. Fails if it exists and can't be read: it is not empty
    /// then.
    pub fn journal(&self) -> Result<Vec<JournalLine>, CommitError> {
        let bytes = self.read_own_file(&self.path(JOURNAL))?.unwrap_or_default();
        let mut lines = lines_of(&bytes);
        let lost: Vec<JournalLine> = self.lost(&bytes, &lines)?.into_iter().map(|(_, line)| line).collect();
        lines.extend(lost);
        lines.sort_by_key(|line| line.step);
        lines.dedup_by_key(|line| line.step);
        Ok(lines)
    }

    /// Returns when the journal was last written, in nanoseconds since 1970.
    pub fn written_at(&self) -> Option<i128> {
        self.disk.look(&self.path(JOURNAL)).ok().map(|item| item.generation.modified)
    }

    /// Returns a sentence for each step whose line in the journal is damaged.
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

    /// Rebuilds broken lines from their steps' undo data, with their line numbers. Leaves out a last line
    /// without an end: recovery settles its step. A step that no line names, before the last good line,
    /// was settled: the first broken line counts as its line.
    fn lost(&self, bytes: &[u8], lines: &[JournalLine]) -> Result<Vec<(usize, JournalLine)>, CommitError> {
        let whole = &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)];
        let is_damaged =
            |(_, line): &(usize, &[u8])| !line.trim_ascii().is_empty() && line_of(line).is_none();
        let named = |line: &[u8]| lines.iter().any(|own| line.starts_with(&start_of(own.step)));
        let damaged = (1..).zip(whole.split(|byte| *byte == b'\n')).filter(is_damaged);
        // A crash interrupted the line, and recovery wrote another one for its step.
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

    /// Returns the store's format, from the last step that names one.
    pub fn format(&self) -> Result<Option<String>, CommitError> {
        let named = |line: JournalLine| Some(line.format).filter(|format| !format.is_empty());
        Ok(self.journal()?.into_iter().rev().find_map(named))
    }

    /// Adds a line to the journal, durably.
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

fn start_of(step: u64) -> Vec<u8> {
    format!("{{\"step\":{step},").into_bytes()
}

/// Appends bytes to a file of our data, durably. Makes an absent file. Ends a torn line first.
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
