//! An edit of a file of the bundle.

use std::path::{Path, PathBuf};

/// The new content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFileWrite {
    /// Relative to the store's root. Projections and the entry file are outside it.
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Whether the bytes are appended instead of replacing the file.
    pub append: bool,
}

/// One edit of the bundle. Paths are dotted: `gotchas.2.title`. An item is named by its number from
/// 0, or by its own `id`. Values are JSON. Each edit sees the result of the edits before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleEdit<'a> {
    /// Replaces a value, or adds a member to an object.
    Set { path: &'a str, value: &'a str },
    /// Removes an item or a member.
    Remove { path: &'a str },
    /// Inserts a member, or an item before that number or after the last one. It reverses `Remove`.
    Insert { path: &'a str, value: &'a str },
}

/// Returns the path of a file around the store, relative to the store's root.
pub fn beside_path(path: &Path) -> PathBuf {
    Path::new("..").join(path)
}
