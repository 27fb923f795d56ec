//! The git work tree that a folder is in.

use std::path::{Path, PathBuf};

use crate::disk::{Disk, is_absent};
use crate::model::path_from_text;

/// More of a file that names a folder is not read.
const LONGEST: u64 = 4 << 10;

/// Returns the work tree that a folder is in. If `.git` can't be examined, it may exist: git then reports the error.
pub fn work_tree<'p>(disk: &dyn Disk, folder: &'p Path) -> Option<&'p Path> {
    folder.ancestors().find(|folder| !is_absent(disk, &folder.join(".git")))
}

/// Returns the folders in which git keeps what belongs to a work tree: its own, and the one that it shares with other work
/// trees of the repository. `gitrepository-layout(5)` describes both.
pub fn git_folders(disk: &dyn Disk, tree: &Path) -> Vec<PathBuf> {
    let named = |file: &Path, before: &str| {
        let (bytes, _) = disk.read(file, 0, Some(LONGEST)).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        Some(path_from_text(text.strip_prefix(before)?.trim_end_matches(['\r', '\n']).trim_start()))
    };
    let git = tree.join(".git");
    let own = named(&git, "gitdir:").map_or(git, |own| tree.join(own));
    let shared = named(&own.join("commondir"), "").map(|shared| own.join(shared));
    let is_git = |own: &PathBuf| disk.look(&own.join("HEAD")).is_ok();
    std::iter::once(own).chain(shared).filter(is_git).map(|own| disk.real_path(&own).unwrap_or(own)).collect()
}
