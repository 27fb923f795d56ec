//! What a process knows of our own data about a store after its last change. As long as no other
//! process changes that data, palimp need not read it again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::journal::line_of;
use super::{JOURNAL, Vault};
use crate::disk::{Disk, optional};
use crate::model::Generation;
use crate::store::commit::CommitError;
use crate::store::commit::vault::folder::STEP_SUFFIX;
use crate::store::commit::vault::retention::NUMBER_SUFFIX;
use crate::store::commit::vault::undo_steps::PENDING;

/// The number of bytes at the end of the journal in which its last line is looked for.
const LAST: u64 = 64 << 10;

/// Our own data about a store as a change left it.
#[derive(Clone, Debug)]
pub struct VaultState {
    folder: PathBuf,
    /// The generations of the journal, of the undo folder and of the list of due derived files.
    seen: [Option<Generation>; 3],
    last: u64,
    /// The size of the undo data, in bytes.
    kept: u64,
    /// The files whose derived files are noted as due.
    due: HashSet<PathBuf>,
}

impl<'a> Vault<'a> {
    /// Opens our data; `None` if another process changed it after `state` or was interrupted there.
    pub fn open_unchanged(disk: &'a dyn Disk, root: &Path, state: &VaultState) -> Option<Vault<'a>> {
        let vault = Vault {
            disk,
            folder: state.folder.clone(),
            root: root.to_owned(),
            last: Some(state.last).into(),
            kept: Some(state.kept).into(),
            known_due: state.due.clone().into(),
        };
        let is_so = vault.seen() == state.seen && disk.look(&vault.step_path(state.last + 1)).is_err();
        is_so.then_some(vault)
    }

    /// Returns the state in which this process leaves our own data.
    pub fn state(&self) -> Option<VaultState> {
        let kept = || -> Result<u64, CommitError> { Ok(self.numbered()?.iter().map(|own| own.len).sum()) };
        Some(VaultState {
            folder: self.folder.clone(),
            seen: self.seen(),
            last: self.last.get()?,
            kept: self.kept.get().map_or_else(kept, Ok).ok()?,
            due: self.known_due.borrow().clone(),
        })
    }

    /// True if no change was interrupted, by the end of the journal and the names of the undo data.
    /// Derived files may still be due. Also sets the last step number and the size of the undo data.
    pub fn is_settled(&self) -> Result<bool, CommitError> {
        if self.erasing()?.is_some() {
            return Ok(false);
        }
        let Some(last) = self.last_step()? else { return Ok(false) };
        let numbered = self.numbered()?;
        // The number of a refused change is not used again.
        let given = numbered.iter().filter(|own| own.end == NUMBER_SUFFIX).map(|own| own.number).max();
        self.last.set(Some(last.max(given.unwrap_or(0))));
        self.kept.set(Some(numbered.iter().map(|own| own.len).sum()));
        Ok(numbered
            .iter()
            .all(|own| own.end == NUMBER_SUFFIX || own.end == STEP_SUFFIX && own.number <= last))
    }

    /// Returns the last step in the journal, 0 if there is none; `None` if its end doesn't show it.
    fn last_step(&self) -> Result<Option<u64>, CommitError> {
        let path = self.path(JOURNAL);
        let unread = |error| CommitError::unread(&path, error);
        let Some(item) = optional(self.disk.look(&path)).map_err(unread)? else {
            return Ok(Some(0));
        };
        let from = item.generation.len.saturating_sub(LAST);
        let (bytes, _) = self.disk.read(&path, from, None).map_err(unread)?;
        let Some(lines) = bytes.strip_suffix(b"\n") else { return Ok(bytes.is_empty().then_some(0)) };
        let line = &lines[memchr::memrchr(b'\n', lines).map_or(0, |feed| feed + 1)..];
        Ok(line_of(line).map(|own| own.step))
    }

    fn seen(&self) -> [Option<Generation>; 3] {
        [JOURNAL, "undo", PENDING].map(|name| Some(self.disk.look(&self.path(name)).ok()?.generation))
    }
}
