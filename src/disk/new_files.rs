//! Writes files that do not exist yet.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::is_alive;
use crate::model::{Moment, PathText};

/// The reason why a new file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be written: {source}. What was written before stays.", path.to_text())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// Writes a new file (0600), and makes the folders that lead to it (0700). Never replaces an existing file.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

/// Sets the time of the last change of a file.
pub fn set_modified(path: &Path, at: Moment) -> Result<(), WriteError> {
    let since_1970 = Duration::from_micros(u64::try_from(at.0).unwrap_or_default());
    let opened = OpenOptions::new().write(true).open(path);
    let set = opened.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH + since_1970));
    set.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Makes a private folder (0700) among the system's temporary files.
pub fn new_temporary_folder(name: &str) -> Result<PathBuf, WriteError> {
    let base = std::env::temp_dir();
    remove_left_behind(&base, name);
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

/// Removes the private folders of processes that were ended by force. Their names have the process id.
fn remove_left_behind(base: &Path, name: &str) {
    let own = rustix::process::geteuid().as_raw();
    for item in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let file_name = item.file_name();
        let process = file_name
            .to_str()
            .and_then(|text| text.strip_prefix(name)?.strip_prefix('-')?.split_once('-'))
            .and_then(|(process, number)| number.parse::<u16>().ok().and(process.parse().ok()));
        let Ok(found) = std::fs::symlink_metadata(item.path()) else { continue };
        let private = found.is_dir() && found.uid() == own && found.mode() & 0o077 == 0;
        if private && process.is_some_and(|process| !is_alive(process)) {
            remove_temporary_folder(&item.path());
        }
    }
}

/// Removes a folder that [`new_temporary_folder`] made. If that fails, the system does it later.
pub fn remove_temporary_folder(path: &Path) {
    let _ = std::fs::remove_dir_all(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_behind_is_removed_and_nothing_else() {
        let base = crate::folder::new();
        let make = |name: &str, mode| {
            let path = base.path().join(name);
            DirBuilder::new().mode(mode).create(&path).unwrap();
            std::fs::write(path.join("file"), "x").unwrap();
            path
        };
        // No process has this number: the limit of every system is lower.
        let dead = make("palimp-test-2147483646-0", 0o700);
        let alive = make(&format!("palimp-test-{}-0", std::process::id()), 0o700);
        let open = make("palimp-test-2147483646-1", 0o755);
        let other = make("palimp-test-2147483646-more", 0o700);
        remove_left_behind(base.path(), "palimp-test");
        assert!(!dead.exists());
        assert!([alive, open, other].iter().all(|path| path.join("file").exists()));
    }
}
