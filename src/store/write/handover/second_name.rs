//! The second name of a file that is replaced.

use std::path::{Path, PathBuf};

use crate::disk::host::Host;
use crate::model::Bytes;
use crate::store::hidden_names::OldFileName;

/// A replaced file, by its second name.
pub struct ReplacedFile {
    pub path: PathBuf,
    /// What was taken over of it, if this process still has that.
    pub content: Option<Bytes>,
}

impl From<PathBuf> for ReplacedFile {
    fn from(path: PathBuf) -> ReplacedFile {
        ReplacedFile { path, content: None }
    }
}

/// Renames our file at `path`, which was in the place of `file` for a moment, to a second name, so
/// that it is watched: others may have written after its first `len` bytes, or still do.
pub fn rename_as_old(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, path, file, len)?;
    host.disk.rename(path, &name).ok().map(|()| name)
}

/// Links our `file` to such a second name, before it is removed from its place.
pub fn link_as_old(host: Host<'_>, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, file, file, len)?;
    host.disk.link(file, &name).ok().map(|()| name)
}

pub(super) fn name_of_ours(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let (bytes, _) = host.disk.read(path, 0, Some(len)).ok()?;
    let old = OldFileName::of(file, &bytes.into(), host.machine.now(), host.machine.own_process());
    Some(file.with_file_name(old.name()))
}
