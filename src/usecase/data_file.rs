//! Small files of palimp's own data that are read and replaced as a whole.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::disk::{Disk, RealDisk, write_synced};
use crate::model::PathText;
use crate::store::steps::make_folders;

/// A longer file, in bytes, is not one of palimp's.
const LONGEST: u64 = 4 << 20;

/// Reads a file in the folder of palimp's own data; the default if there is no valid file.
pub(super) fn read<T: DeserializeOwned + Default>(data: &Path, file: &str) -> T {
    let read = RealDisk.read(&data.join(file), 0, Some(LONGEST));
    read.ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Reads a file that is replaced later; the default if there is none. An error says why it can't be read.
pub(super) fn read_to_change<T: DeserializeOwned + Default>(data: &Path, file: &str) -> Result<T, String> {
    let file = data.join(file);
    let failed = |why: String| format!("{} can't be read: {why}.", file.to_text());
    match RealDisk.read(&file, 0, None) {
        Ok((bytes, _)) => serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(failed(error.to_string())),
    }
}

pub(super) fn write(data: &Path, file: &str, text: serde_json::Result<Vec<u8>>) -> io::Result<()> {
    let text = text?;
    make_folders(&RealDisk, data)?;
    let temporary = data.join(format!("{file}.{}", std::process::id()));
    let written = write_synced(&RealDisk, &temporary, 0o600, &text);
    let moved = written.and_then(|()| RealDisk.rename(&temporary, &data.join(file)));
    if moved.is_err() {
        let _ = RealDisk.remove(&temporary);
    }
    moved
}
