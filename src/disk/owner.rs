//! The owner of a file.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

use super::Owner;

/// Changes the user and group of an open file, if they differ.
pub fn set_owner(file: &File, owner: Owner) -> io::Result<()> {
    let metadata = file.metadata()?;
    let other = |now: u32, wanted: u32| (now != wanted).then_some(wanted);
    match (other(metadata.uid(), owner.user), other(metadata.gid(), owner.group)) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

/// If the superuser makes a file in another user's folder, gives it to that user, whose agents must read it.
pub fn give_to_owner_of_folder(made: &File, path: &Path) {
    let is_ours = |user| user == rustix::process::geteuid().as_raw();
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let Some(folder) = folder.and_then(|folder| fs::metadata(folder).ok()) else { return };
    let is_new = made.metadata().is_ok_and(|own| is_ours(own.uid()));
    if rustix::process::geteuid().is_root() && is_new && !is_ours(folder.uid()) {
        // If that fails, the file can still be used.
        let _ = set_owner(made, Owner { user: folder.uid(), group: folder.gid() });
    }
}
