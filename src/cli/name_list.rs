//! Reads a list of names, one on each line.

use std::path::Path;

use super::failure::{Exit, Failure, Result};
use crate::disk::{Disk, RealDisk};
use crate::model::PathText;

/// The most bytes of a list that are read.
const LONGEST: u64 = 1 << 20;

/// Returns the text of a list.
pub fn read_names(path: &Path) -> Result<String> {
    let read = RealDisk.read(path, 0, Some(LONGEST));
    let (bytes, _) = read
        .map_err(|error| Failure::new(Exit::Usage, format!("{} can't be read: {error}.", path.to_text())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
