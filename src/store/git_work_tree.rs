//! The git work tree that a folder is in.

use std::path::Path;

use crate::disk::{Disk, Lookup};

/// Returns the work tree that a folder is in. If `.git` can't be examined, it may exist: git then reports the error.
pub fn work_tree<'p>(disk: &dyn Disk, folder: &'p Path) -> Option<&'p Path> {
    let has_git = |own: &&Path| !matches!(Lookup::from(disk.look(&own.join(".git"))), Lookup::Absent);
    folder.ancestors().find(has_git)
}
