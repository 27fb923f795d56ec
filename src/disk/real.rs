//! The real file system.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Dir;

use super::{Disk, Item, ItemKind};
use crate::model::snapshot::Generation;

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Disk for Real {
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>> {
        let mut items = Vec::new();
        for entry in Dir::new(open(folder)?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let path = folder.join(name);
            // A name that vanished since, or a link to nowhere, is told by lstat alone.
            if let Ok(item) = item(&path) {
                items.push(item);
            }
        }
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    fn look(&self, path: &Path) -> io::Result<Item> {
        item(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        let mut opened = open(file)?;
        let metadata = opened.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        if from > 0 {
            opened.seek(SeekFrom::Start(from))?;
        }
        let expected = metadata.len().saturating_sub(from).min(limit.unwrap_or(u64::MAX));
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
        opened.take(limit.unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
        Ok((bytes, generation(&metadata)))
    }
}

/// Opens a file or a folder, without blocking on a FIFO, and without touching the access
/// time where it is ours to say so.
fn open(file: &Path) -> io::Result<File> {
    let nonblock = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    #[cfg(target_os = "linux")]
    {
        let quiet = nonblock | rustix::fs::OFlags::NOATIME.bits() as i32;
        match OpenOptions::new().read(true).custom_flags(quiet).open(file) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            outcome => return outcome,
        }
    }
    OpenOptions::new().read(true).custom_flags(nonblock).open(file)
}

fn item(path: &Path) -> io::Result<Item> {
    let own = fs::symlink_metadata(path)?;
    let link = own.is_symlink().then(|| fs::canonicalize(path).ok());
    let metadata = if link.is_some() { fs::metadata(path).unwrap_or(own) } else { own };
    let kind = match metadata.file_type() {
        kind if kind.is_file() => ItemKind::File,
        kind if kind.is_dir() => ItemKind::Folder,
        _ => ItemKind::Special,
    };
    Ok(Item {
        name: path.file_name().unwrap_or_default().to_owned(),
        kind,
        link,
        mode: metadata.mode() & 0o7777,
        generation: generation(&metadata),
    })
}

fn generation(metadata: &Metadata) -> Generation {
    Generation {
        device: metadata.dev(),
        inode: metadata.ino(),
        len: metadata.len(),
        modified: i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
    }
}
