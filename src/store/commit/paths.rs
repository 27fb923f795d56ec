//! Paths of a store's files: in it, or in the folder around it.

use std::io;
use std::path::{Path, PathBuf};

use super::CommitContext;
use crate::store::hidden_names::OldFileName;

/// The number of recent steps that are searched for a file's name.
const STEPS: usize = 16;

impl CommitContext<'_> {
    pub(super) fn path(&self, relative: &Path) -> PathBuf {
        match relative.strip_prefix("..") {
            Ok(beside) => self.path_beside(beside),
            Err(_) => self.place.root.join(relative),
        }
    }

    /// Returns the opposite of [`CommitContext::path`], for a file of the store or of the folder around it.
    pub(super) fn relative(&self, file: &Path) -> Option<PathBuf> {
        let root = &self.place.root;
        let around = root.parent().unwrap_or(root);
        let beside = || file.strip_prefix(around).map(Path::to_owned).ok();
        let really = || Some(file.strip_prefix(self.host.disk.real_path(around).ok()?).ok()?.to_owned());
        let within = file.strip_prefix(root).map(Path::to_owned).ok();
        within.or_else(|| Some(Path::new("..").join(beside().or_else(really)?)))
    }

    /// Returns the file that replaced the one with the second name `path`. If its name was too long
    /// to be kept and no file matches, searches the undo data of the last steps. `None` if that has
    /// no match either.
    pub(super) fn file_of(&self, old: &OldFileName, path: &Path) -> io::Result<Option<PathBuf>> {
        let disk = self.host.disk;
        if let Some(file) = old.file_of(disk, path)? {
            return Ok(Some(file));
        }
        for number in self.vault.steps().map_err(io::Error::other)?.into_iter().rev().take(STEPS) {
            let Some(step) = self.vault.step(number).map_err(io::Error::other)? else { continue };
            let mut files = step.changes.iter().map(|change| self.path(&change.path));
            let is_it = |file: &PathBuf| {
                file.parent() == path.parent()
                    && file.file_name().is_some_and(|name| old.is_of(name.as_ref()))
            };
            if let Some(file) = files.find(is_it) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Returns the path of a file in the folder around the store. A link that stays in that folder
    /// is followed, as when it was read; any other is refused when it is written.
    pub(super) fn path_beside(&self, relative: &Path) -> PathBuf {
        let around = self.place.root.parent().unwrap_or(&self.place.root);
        let path = around.join(relative);
        let real = |path: &Path| self.host.disk.real_path(path).ok();
        match (real(around), real(&path)) {
            (Some(around), Some(real)) if real.starts_with(&around) => real,
            _ => path,
        }
    }
}
