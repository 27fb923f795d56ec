//! `palimp demo DIR`: writes the stores of the demo. `--demo` does it in a temporary folder.

use std::path::{Path, PathBuf};

use super::{Context, Exit, Failure, Result};
use crate::demo;
use crate::disk::{self, Disk, RealDisk};
use crate::model::time::DAY;
use crate::model::{Moment, PathText};
use crate::store::{self, Place};

/// The seed of `--demo`.
pub const SEED: u64 = 1;

/// Writes the demo, and lists its stores.
pub fn run(context: &mut Context, folder: &Path, seed: u64) -> Result {
    if context.options.readonly || context.options.dry_run {
        return Err(Failure::refused("the demo would be written; nothing was."));
    }
    write(folder, seed, context.now)?;
    for place in places(folder) {
        let path = place.root.to_text().into_owned();
        context.row(&serde_json::json!({ "path": path, "format": place.format }), || path.clone())?;
    }
    Ok(Exit::Done)
}

/// Writes the demo's files into a folder that is empty or does not exist.
fn write(folder: &Path, seed: u64, now: Moment) -> Result<()> {
    if RealDisk.list(folder).is_ok_and(|items| !items.is_empty()) {
        let message = format!("{} is not empty; the demo is not written over anything.", folder.to_text());
        return Err(Failure::refused(message));
    }
    let files = demo::files(seed, now);
    if files.is_empty() {
        return Err(Failure::refused("The demo can't be written at that time. Nothing was."));
    }
    for (days, (path, bytes)) in (1..).zip(files) {
        let path = folder.join(path);
        disk::write_new(&path, &bytes)?;
        // Memories in Markdown have the times of their files. These are in the last days.
        if path.extension().is_some_and(|end| end == "md") {
            disk::set_modified(&path, now.plus(-DAY * (1 + days % 9)))?;
        }
    }
    Ok(())
}

fn places(folder: &Path) -> Vec<Place> {
    store::look_at(folder, None).found.unwrap_or_default()
}

/// The demo in its own folder, which is removed when this is dropped.
pub struct TemporaryDemo {
    pub folder: PathBuf,
}

impl TemporaryDemo {
    pub fn write(now: Moment) -> Result<(TemporaryDemo, Vec<Place>)> {
        let folder = disk::new_temporary_folder("palimp-demo").map_err(Failure::from)?;
        let temporary = TemporaryDemo { folder };
        write(&temporary.folder, SEED, now)?;
        let places = places(&temporary.folder);
        Ok((temporary, places))
    }

    /// Returns the folder of palimp's own data about it, which is removed with the demo.
    pub fn data(&self) -> PathBuf {
        self.folder.join("palimp-data")
    }
}

impl Drop for TemporaryDemo {
    fn drop(&mut self) {
        disk::remove_temporary_folder(&self.folder);
    }
}
