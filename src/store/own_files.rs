//! Finds second names and temporary files that a change leaves for a moment outside a store, next to
//! the files that a format has in the folder around it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, optional};
use crate::format::Format;
use crate::store::hidden_names::{OldFileName, is_temp};

/// Returns the folder around a store that is at its usual place.
pub fn around<'a>(root: &'a Path, format: &dyn Format) -> Option<&'a Path> {
    let place = Path::new(format.about().usual_place());
    root.ancestors().nth(place.iter().count()).filter(|_| root.ends_with(place))
}

/// Returns palimp's own files beside a store, relative to its root: they start with `..`. Second names must be of the
/// format's files: another store may be in the same folder. Fails if a folder can't be listed: there may be such
/// files in it.
pub fn own_files_beside(disk: &dyn Disk, root: &Path, format: &dyn Format) -> io::Result<Vec<PathBuf>> {
    let names = format.about().outside_files;
    let around = around(root, format).filter(|_| !names.is_empty());
    let Some(around) = around else { return Ok(Vec::new()) };
    let Ok(real) = disk.real_path(around) else { return Ok(Vec::new()) };
    // palimp writes through a link within the folder, so its own files are at the link's target.
    let file = |name: &&str| {
        let led = disk.real_path(&real.join(name)).ok().filter(|led| led.starts_with(&real));
        led.unwrap_or_else(|| real.join(name))
    };
    let files: BTreeSet<PathBuf> = names.iter().map(file).collect();
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let is_own = |path: &Path, name: &OsString| {
        let Some(old) = OldFileName::read(name) else { return Ok(is_temp(name)) };
        Ok::<_, io::Error>(old.file_of(disk, path)?.is_some_and(|file| files.contains(&file)))
    };
    let mut found = Vec::new();
    for folder in folders {
        for item in optional(disk.list(folder))?.unwrap_or_default() {
            let path = folder.join(&item.name);
            if is_own(&path, &item.name)?
                && let Ok(relative) = path.strip_prefix(&real)
            {
                found.push(Path::new("..").join(relative));
            }
        }
    }
    Ok(found)
}
