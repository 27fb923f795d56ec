//! The owner and the extended attributes of a file or folder.

use std::ffi::OsString;

/// A user and a group, by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The user id.
    pub user: u32,
    /// The group id.
    pub group: u32,
}

/// The extended attributes of a file by name, including access lists.
pub type ExtendedAttributes = Vec<(OsString, Vec<u8>)>;

/// What a removed file or folder had besides its mode. It is restored with that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// Its owner.
    pub owner: Owner,
    /// Its extended attributes.
    pub extended: ExtendedAttributes,
}
