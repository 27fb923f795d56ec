//! Undo data of the steps: their numbers, what is kept, and whether a change is unfinished.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::Vault;
use super::undo_step::{UndoStep, digest};
use crate::disk::optional;
use crate::model::{Bytes, JournalLine, path_from_text};
use crate::store::commit::CommitError;
use crate::store::commit::vault::folder::STEP_SUFFIX;

/// The list of derived files that could not be rebuilt yet. It names their sources before the journal says that the
/// change is over.
pub const PENDING: &str = "derive.json";

impl Vault<'_> {
    /// Returns the numbers of the steps with undo data, ascending.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        Ok(self.numbered()?.iter().filter(|own| own.end == STEP_SUFFIX).map(|own| own.number).collect())
    }

    /// Returns a number that no step has had. If only this process writes here, it reads them once.
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

    /// True if the journal lacks a step, an erasure was interrupted, or derived files are due. Fails if that can't be
    /// read: something may be pending then.
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

    /// Returns the files whose derived files are due. An empty path means all: the list is broken. Fails if the list
    /// exists and can't be read.
    pub fn derive_due_files(&self) -> Result<Vec<PathBuf>, CommitError> {
        let path = self.path(PENDING);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(Vec::new()) };
        let texts: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_else(|_| vec![String::new()]);
        Ok(texts.iter().map(|text| path_from_text(text)).collect())
    }

    /// Writes a step's undo data, durably, before the step is done. Replaces an older file atomically. Fails if our
    /// own data can't be written, or has no room for it.
    pub fn keep(&self, number: u64, step: &UndoStep) -> Result<(), CommitError> {
        self.folder("undo")?;
        let bytes = step.to_bytes();
        self.make_room(number, bytes.len() as u64)?;
        self.write_own_file(&self.step_path(number), &bytes)
    }

    /// Reads a step's undo data; `None` if it was removed, or a crash interrupted its writing. Fails if it, or a file
    /// that the step made, exists and can't be read.
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

    /// Returns the undo data of at most `most` last steps, the newest first.
    pub fn last_steps(
        &self,
        most: usize,
    ) -> Result<impl Iterator<Item = Result<UndoStep, CommitError>>, CommitError> {
        Ok(self.steps()?.into_iter().rev().take(most).filter_map(|number| self.step(number).transpose()))
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
