//! Whose a file or folder is, and what is attached to it.

use std::ffi::OsString;

/// A user and a group, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

/// A file's extended attributes, access lists among them, by name.
pub type ExtendedAttributes = Vec<(OsString, Vec<u8>)>;

/// What a file or folder had, besides its mode, when it was removed: it comes back with that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// Whose it was.
    pub owner: Owner,
    /// What was attached to it.
    pub extended: ExtendedAttributes,
}
