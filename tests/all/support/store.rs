//! Stores on disk for one test each: healthy by default, with methods that break things.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::files::NOW;
use super::memory_server::MemoryServerBuilder;
use super::session_log::SessionLogBuilder;
use super::terminal::Terminal;
use super::verb::{Output, Verb};

/// The start of the formats' builders.
pub struct StoreBuilder;

impl StoreBuilder {
    pub fn session_log() -> SessionLogBuilder {
        SessionLogBuilder::new()
    }

    pub fn memory_server() -> MemoryServerBuilder {
        MemoryServerBuilder::new()
    }
}

/// A store in a folder that is removed when this is dropped.
pub struct TempStore {
    pub path: PathBuf,
    folder: tempfile::TempDir,
}

impl TempStore {
    /// Writes `files` below `root`, a path in a new temporary folder.
    pub fn of_files(root: &str, files: &[(PathBuf, Vec<u8>)]) -> TempStore {
        let folder = super::folder::new();
        let path = folder.path().join(root);
        make_folders(folder.path(), &path);
        let store = TempStore { path, folder };
        for (file, bytes) in files {
            store.write(file, bytes);
            // The clock of most tests is `NOW`. Memories in Markdown have the times of their files.
            if file.extension().is_some_and(|end| end == "md") {
                store.set_time(file, "2026-01-31T12:00:00Z");
            }
        }
        store
    }

    /// Sets the time of a file's last change.
    pub fn set_time(&self, name: impl AsRef<Path>, at: &str) {
        palimp::disk::set_modified(&self.file(name), palimp::model::Moment::of(at).unwrap()).unwrap();
    }

    /// The folder around the store, like a repository or a home folder.
    pub fn around(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.file(name)).unwrap()
    }

    pub fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The folder of palimp's own data, beside the store.
    pub fn data(&self) -> PathBuf {
        self.around().join("data")
    }

    /// A verb on this store, with palimp's own data beside it.
    pub fn verb(&self, words: &[&str]) -> Verb {
        let (store, data) = (self.path.to_str().unwrap(), self.data());
        Verb::new([words, &["--store", store, "--data-dir", data.to_str().unwrap()]].concat())
    }

    /// Runs a verb on this store at [`NOW`].
    pub fn at_now(&self, words: &[&str]) -> Output {
        self.verb(&[words, &["--now", NOW]].concat()).run()
    }

    /// Runs a verb on this store at [`NOW`] on a terminal of some rows and columns.
    pub fn on_terminal(&self, words: &[&str], (rows, columns): (u16, u16)) -> Terminal {
        let (store, data) = (self.path.to_str().unwrap(), self.data());
        let own = ["--store", store, "--data-dir", data.to_str().unwrap(), "--now", NOW];
        Terminal::palimp([words, &own].concat(), rows, columns)
    }

    /// Replaces a file, with the modes that the formats require (0600 in 0700).
    pub fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) {
        let file = self.file(name);
        make_folders(&self.path, file.parent().unwrap());
        let mut open =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file).unwrap();
        open.write_all(bytes).unwrap();
    }

    /// Appends to a file, as an agent does.
    pub fn append(&self, name: impl AsRef<Path>, bytes: &[u8]) {
        let mut open = OpenOptions::new().append(true).open(self.file(name)).unwrap();
        open.write_all(bytes).unwrap();
    }

    pub fn chmod(&self, name: impl AsRef<Path>, mode: u32) {
        fs::set_permissions(self.file(name), Permissions::from_mode(mode)).unwrap();
    }

    pub fn remove(&self, name: impl AsRef<Path>) {
        fs::remove_file(self.file(name)).unwrap();
    }
}

fn make_folders(from: &Path, folder: &Path) {
    let mut missing: Vec<&Path> =
        folder.ancestors().take_while(|path| *path != from && !path.exists()).collect();
    missing.reverse();
    for path in missing {
        DirBuilder::new().mode(0o700).create(path).unwrap();
    }
}
