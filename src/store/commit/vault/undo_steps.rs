//! Undo data of the steps: numbers, what is kept, what is unfinished.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::undo_step::{UndoStep, digest};
use super::{JournalLine, Vault};
use crate::disk::Lookup;
use crate::model::Bytes;
use crate::store::commit::CommitError;
use crate::store::commit::vault::folder::STEP_SUFFIX;
use crate::store::large_file;

impl Vault<'_> {
    /// The numbers of the steps that can still be taken back, ascending.
    ///
    /// # Errors
    ///
    /// If they can't be listed.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        Ok(self.numbered()?.iter().filter(|own| own.end == STEP_SUFFIX).map(|own| own.number).collect())
    }

    /// A number that no step has had. Who alone may write here reads them once.
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

    /// Whether a change was cut short: a step that the journal does not know, or an erasure.
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

    /// Keeps a step's undo data, durably, before the step is done. Where it is kept anew,
    /// one of the two is there at any moment.
    ///
    /// # Errors
    ///
    /// If our own data can't be written, or has no room for it.
    pub fn keep(&self, number: u64, step: &UndoStep) -> Result<(), CommitError> {
        self.folder("undo")?;
        let parts = step.parts();
        self.make_room(number, parts.iter().map(|own| own.len() as u64).sum())?;
        self.put_parts(&self.step_path(number), &parts)
    }

    /// A step's undo data; `None` where it is gone, or was cut short by a crash.
    ///
    /// # Errors
    ///
    /// If it is there and can't be read.
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

    /// The bytes of a file of the store that a step made with that digest; where it is another
    /// by now, bytes that it does not have. One that can't be read is not another.
    fn made(&self, file: &Path, made: &str) -> io::Result<Bytes> {
        let read = Lookup::from(large_file::read(self.disk, &self.root.join(file))).optional()?;
        let mut bytes = read.map(|(bytes, _)| bytes).unwrap_or_default();
        if digest(&bytes) != made {
            bytes.extend(&[0]);
        }
        Ok(bytes)
    }
}
