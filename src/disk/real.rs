//! The real file system.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};
use rustix::fs::{Dir, OFlags};

use super::{Disk, Flock, Item, ItemKind, Output};
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
            match item(&path) {
                Ok(item) => items.push(item),
                // A name that vanished since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
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

    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn Output + '_>> {
        let flags = OFlags::NOFOLLOW.bits() as i32;
        let file =
            OpenOptions::new().append(true).create_new(true).mode(mode).custom_flags(flags).open(file)?;
        Ok(Box::new(file))
    }

    fn append(&self, file: &Path) -> io::Result<Box<dyn Output + '_>> {
        let file = open_regular(OpenOptions::new().append(true), file)?;
        Ok(Box::new(file))
    }

    fn make_folder(&self, folder: &Path, mode: u32) -> io::Result<()> {
        fs::DirBuilder::new().mode(mode).create(folder)
    }

    fn link(&self, file: &Path, name: &Path) -> io::Result<()> {
        fs::hard_link(file, name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        fs::remove_file(file)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        fs::remove_dir(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        open_folder(folder)?.sync_all()
    }

    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
        let file = match create {
            Some(mode) => {
                open_regular(OpenOptions::new().read(true).write(true).create(true).mode(mode), path)?
            }
            None => {
                let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
                OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?
            }
        };
        match FileExt::try_lock(&file) {
            Ok(()) => Ok(Some(Box::new(Locked(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open_folder(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(folder)
}

/// Opens what is a regular file and no link, without blocking on a FIFO.
fn open_regular(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = options.custom_flags(flags.bits() as i32).open(file)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(opened)
}

impl Output for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn generation(&self) -> io::Result<Generation> {
        Ok(generation(&self.metadata()?))
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.set_permissions(fs::Permissions::from_mode(mode))
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }
}

/// A file with a `flock`. Dropping it lets go of the lock; the kernel does where the process
/// ends before that.
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing the file does the same: an error here leaves nothing locked.
        let _ = FileExt::unlock(&self.0);
    }
}

impl Flock for Locked {
    fn generation(&self) -> io::Result<Generation> {
        Ok(generation(&self.0.metadata()?))
    }

    fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(bytes)
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
