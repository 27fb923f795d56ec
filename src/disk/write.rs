//! Writing files that are not there yet.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Why a new file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be written: {source}. What was written before it stays.", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Writes a new file (0600), making the folders that lead to it (0700). A file that is
/// there already is never replaced.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

/// Makes a private folder (0700) of its own among the system's temporary files.
pub fn new_temporary_folder(name: &str) -> Result<PathBuf, WriteError> {
    let base = std::env::temp_dir();
    let process = std::process::id();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..1000 {
        let path = base.join(format!("{name}-{process}-{number}"));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(source) => return Err(WriteError { path, source }),
        }
    }
    Err(WriteError { path: base, source: last })
}

/// Removes a folder that [`new_temporary_folder`] made, and all in it. What can't be
/// removed is left to the system, which clears its temporary files.
pub fn remove_temporary_folder(path: &Path) {
    let _ = std::fs::remove_dir_all(path);
}
