//! Gives a file a second name before it is replaced.

use crate::store::commit::Host;
use crate::store::hidden_names::OldFileName;
use std::path::{Path, PathBuf};

/// Gives `len` bytes of ours, which were in the place of `file` for a moment and are at `path` now, the
/// name by which a replaced file is watched: others may have written behind them, or still do.
pub fn rename_as_old(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, path, file, len)?;
    host.disk.rename(path, &name).ok().map(|()| name)
}

/// Gives them that name beside the one of the file, from which they are about to go.
pub fn link_as_old(host: Host<'_>, file: &Path, len: u64) -> Option<PathBuf> {
    let name = name_of_ours(host, file, file, len)?;
    host.disk.link(file, &name).ok().map(|()| name)
}

pub(super) fn name_of_ours(host: Host<'_>, path: &Path, file: &Path, len: u64) -> Option<PathBuf> {
    let (bytes, _) = host.disk.read(path, 0, Some(len)).ok()?;
    let old = OldFileName::of(file, &bytes.into(), host.machine.now(), host.machine.own_process());
    Some(file.with_file_name(old.name()))
}
