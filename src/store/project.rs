//! Finds the project that a store's memories are about, and whether its agents load them.

use std::path::Path;

use super::discovery::DiskProbe;
use crate::disk::Disk;
use crate::format::Format;
use crate::model::{Project, Unloaded};

/// Returns the project of a store, if its format knows it.
pub fn of(disk: &dyn Disk, root: &Path, format: &dyn Format) -> Option<Project> {
    format.project(root, &DiskProbe::new(disk))
}

/// Returns why no agent loads a store, if its format knows it.
pub fn unloaded(
    disk: &dyn Disk,
    root: &Path,
    format: &dyn Format,
    project: Option<&Project>,
) -> Option<Unloaded> {
    format.unloaded(root, project, &DiskProbe::new(disk))
}
