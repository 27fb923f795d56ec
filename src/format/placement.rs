//! The meaning of a path within a store for its format.

use crate::model::Role;

/// The meaning of a path within a store for its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// A folder to look into.
    Enter,
    /// A file of this role.
    File(Role),
    /// Any other path.
    Unexpected,
}

/// Splits a relative path into names, to compare them only: non-UTF-8 parts may be replaced.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}
