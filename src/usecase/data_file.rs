//! Small files of palimp's own data that are read and replaced as a whole.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::disk::{Disk, RealDisk, write_synced};
use crate::store::commit::make_folders;

/// A longer file, in bytes, is not one of palimp's.
const LONGEST: u64 = 4 << 20;

/// Reads a file in the folder of palimp's own data; the default if there is no valid file.
pub(super) fn read<T: DeserializeOwned + Default>(data: &Path, file: &str) -> T {
    let read = RealDisk.read(&data.join(file), 0, Some(LONGEST));
    read.ok().and_then(|(bytes, _)| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

pub(super) fn write(data: &Path, file: &str, text: &[u8]) -> io::Result<()> {
    make_folders(&RealDisk, data)?;
    let temporary = data.join(format!("{file}.{}", std::process::id()));
    let written = write_synced(&RealDisk, &temporary, 0o600, text);
    let moved = written.and_then(|()| RealDisk.rename(&temporary, &data.join(file)));
    if moved.is_err() {
        let _ = RealDisk.remove(&temporary);
    }
    moved
}
