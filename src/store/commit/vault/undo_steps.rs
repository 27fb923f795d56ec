//! Undo data of the steps: their numbers, what is kept, and whether a change is unfinished.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::Vault;
use super::undo_step::{UndoStep, digest, path_of};
use crate::disk::Lookup;
use crate::model::{Bytes, JournalLine};
use crate::store::commit::CommitError;
use crate::store::commit::vault::folder::STEP_SUFFIX;

/// The list of derived files that could not be rebuilt yet. It names their sources before the journal says that the
/// change is over.
pub const PENDING: &str = "derive.json";

impl Vault<'_> {
    /// Returns the numbers of the steps with undo data, ascending.
    ///
    /// # Errors
    ///
    /// If they can't be listed.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        Ok(self.numbered()?.iter().filter(|own| own.end == STEP_SUFFIX).map(|own| own.number).collect())
    }

    /// Returns a number that no step has had. If only this process writes here, it reads them once.
    ///
    /// # Errors
    ///
    /// If the folder or the journal can't be read.
    pub fn next_step(&self) -> Result<u64, CommitError> {
        let last = match self.last.get() {
            Some(last) => last,
            None => {
                let numbered = self.numbered()?.last().map_or(0, |own| own.number);
                numbered.max(self.journal()?.last().map_or(0, |line| line.step))
            }
        };
        let next = 1 + last.max(self.erasing()?.map_or(0, |entry| entry.step));
        self.last.set(self.last.get().map(|_| next));
        Ok(next)
    }

    /// True if the journal lacks a step, an erasure was interrupted, or derived files are due.
    ///
    /// # Errors
    ///
    /// If that can't be read: something may be pending then.
    pub fn is_unfinished(&self) -> Result<bool, CommitError> {
        let steps = self.steps()?;
        let known: HashSet<u64> = if steps.is_empty() {
            HashSet::new()
        } else {
            self.journal()?.iter().map(|line| line.step).collect()
        };
        let is_cut = steps.iter().any(|step| !known.contains(step));
        Ok(is_cut || self.erasing()?.is_some() || !self.derive_due_files()?.is_empty())
    }

    /// Returns the files whose derived files are due. An empty path means all: the list is broken.
    ///
    /// # Errors
    ///
    /// If the list exists and can't be read.
    pub fn derive_due_files(&self) -> Result<Vec<PathBuf>, CommitError> {
        let path = self.path(PENDING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(Vec::new()) };
        let Ok(texts) = serde_json::from_slice::<Vec<(String, bool)>>(&bytes) else {
            return Ok(vec![PathBuf::new()]);
        };
        Ok(texts.iter().filter_map(|(text, hex)| path_of(text, *hex)).collect())
    }

    /// Writes a step's undo data, durably, before the step is done. Replaces an older file atomically.
    ///
    /// # Errors
    ///
    /// If our own data can't be written, or has no room for it.
    pub fn keep(&self, number: u64, step: &UndoStep) -> Result<(), CommitError> {
        self.folder("undo")?;
        let bytes = step.to_bytes();
        self.make_room(number, bytes.len() as u64)?;
        self.write_own_file(&self.step_path(number), &bytes)
    }

    /// Reads a step's undo data; `None` if it was removed, or a crash interrupted its writing.
    ///
    /// # Errors
    ///
    /// If it, or a file that the step made, exists and can't be read.
    pub fn step(&self, number: u64) -> Result<Option<UndoStep>, CommitError> {
        let Some(bytes) = self.read_own_file(&self.step_path(number))? else { return Ok(None) };
        let failed = RefCell::new(None);
        let step = UndoStep::read(&bytes, &|file, made| {
            let fail = |error| drop(failed.replace(Some(CommitError::unread(file, error))));
            self.made(file, made).map_err(fail).unwrap_or_default()
        });
        let numbered = step.map(|own| UndoStep { line: JournalLine { step: number, ..own.line }, ..own });
        failed.into_inner().map_or(Ok(numbered), Err)
    }

    /// Returns a file's bytes if their digest is `made`, else other bytes, so that they don't match.
    /// A file that can't be read is an error.
    fn made(&self, file: &Path, made: &str) -> io::Result<Bytes> {
        let read = Lookup::from(self.disk.read(&self.root.join(file), 0, None)).optional()?;
        let mut bytes = Bytes::from(read.map(|(bytes, _)| bytes).unwrap_or_default());
        if digest(&bytes) != made {
            bytes.extend(&[0]);
        }
        Ok(bytes)
    }
}
