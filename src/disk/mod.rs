//! Every touch of the file system. Nothing else in the program uses `std::fs`.
//!
//! Opening a file to read it changes nothing, not even its access time where the system
//! lets us ask for that, and never blocks: what is not a regular file is not opened.

mod process;
mod real;
#[cfg(feature = "tui")]
pub mod watch;
mod write;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

pub use process::is_alive;
pub use real::Real;
pub use write::{WriteError, new_temporary_folder, remove_temporary_folder, write_new};

use crate::model::snapshot::Generation;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A FIFO, device or socket: never opened.
    Special,
}

/// One thing in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name within the folder.
    pub name: OsString,
    /// What it is; for a link, what it leads to.
    pub kind: ItemKind,
    /// Whether it is a symbolic link, and where it leads if that exists.
    pub link: Option<Option<PathBuf>>,
    /// Permission bits, `0o7777`; for a link those of what it leads to.
    pub mode: u32,
    /// Which state it is in.
    pub generation: Generation,
}

/// The file system, as far as reading goes.
pub trait Disk: Sync {
    /// What a folder holds, sorted by name. Links are looked up, not entered.
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>>;

    /// What stands at a path, links followed.
    fn look(&self, path: &Path) -> io::Result<Item>;

    /// The absolute path without links.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// A regular file's bytes from `from` on, at most `limit` of them, and the state of
    /// the file that they belong to.
    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)>;
}
