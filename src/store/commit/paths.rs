//! Where the files of a store are: in it, or in the folder around it.

use std::path::{Path, PathBuf};

use super::Writer;

impl Writer<'_> {
    /// The whole path of a file.
    pub(super) fn path(&self, relative: &Path) -> PathBuf {
        match relative.strip_prefix("..") {
            Ok(beside) => self.path_beside(beside),
            Err(_) => self.place.root.join(relative),
        }
    }

    /// The opposite of [`Writer::path`]: a file of the store, or of the folder around it.
    pub(super) fn relative(&self, file: &Path) -> Option<PathBuf> {
        let root = &self.place.root;
        let around = root.parent().unwrap_or(root);
        let beside = || file.strip_prefix(around).map(Path::to_owned).ok();
        let really = || Some(file.strip_prefix(self.host.disk.real_path(around).ok()?).ok()?.to_owned());
        let within = file.strip_prefix(root).map(Path::to_owned).ok();
        within.or_else(|| Some(Path::new("..").join(beside().or_else(really)?)))
    }

    /// A file in the folder around the store. A link that stays in that folder is written
    /// through, as it was read; any other is refused when it is written.
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
