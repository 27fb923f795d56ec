//! What a path within a store is to its format.

use crate::model::Role;

/// What a path within a store is to its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// A folder that is looked into.
    Enter,
    /// A file of that role.
    File(Role),
    /// Neither: it is not one of the format's.
    Unexpected,
}

/// The names of a path relative to a root. What is no UTF-8 in them has a sign in its place: they
/// are compared, and never opened.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}
