//! Finds the project that a store's memories are about.

use std::path::Path;

use super::discovery::DiskProbe;
use crate::disk::{Disk, Lookup};
use crate::format::Format;
use crate::model::Project;

/// Returns the project of a store, if its format knows it.
pub fn of(disk: &dyn Disk, root: &Path, format: &dyn Format) -> Option<Project> {
    let path = format.project(root, &DiskProbe::new(disk))?;
    // What can't be looked at may be there.
    let is_there = !matches!(Lookup::from(disk.look(&path)), Lookup::Absent);
    Some(Project { path, is_there })
}
