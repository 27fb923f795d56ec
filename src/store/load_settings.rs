//! Reads what files beside a store say about what a program loads of it.

use std::io;
use std::path::Path;

use crate::disk::{Disk, Lookup};
use crate::format::Format;
use crate::model::LoadSettings;

/// The largest file of settings that is read, in bytes.
const MOST: u64 = 1 << 20;

/// Returns the settings of a store; none if its format knows of none.
pub fn of(disk: &dyn Disk, root: &Path, format: &dyn Format) -> LoadSettings {
    format.load_settings(root, &|path| match disk.read(path, 0, Some(MOST + 1)).into() {
        Lookup::Absent => None,
        Lookup::Read((bytes, _)) if bytes.len() as u64 <= MOST => Some(Ok(bytes)),
        Lookup::Read(_) => Some(Err("it is larger than 1 MiB".to_owned())),
        Lookup::Unreadable(error) => Some(Err(io::Error::to_string(&error))),
    })
}
