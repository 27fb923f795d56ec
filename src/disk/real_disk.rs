//! The real file system.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fs4::{FileExt, TryLockError};
use rustix::fs::{
    Access, AtFlags, CWD, Dir, DirEntry, FileType, OFlags, RenameFlags, accessat, fremovexattr, getxattr,
    renameat_with,
};
use rustix::io::Errno;

use super::known_bytes::begins_with;
use super::{Disk, Flock, Item, ItemKind, ItemName, Owner, WritableFile, optional};
use crate::model::{Bytes, Generation, Moment};

/// A file that was changed within this many nanoseconds may change again within one tick of its clock.
const SETTLED: i128 = 2_000_000_000;
/// The assumed memory of a machine that does not report it, in bytes.
const MEMORY: u64 = 8 << 30;
/// A longer file with hardly any data on the disk is not read.
const HOLLOW: u64 = 64 << 20;

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>> {
        let mut items = Vec::new();
        for entry in entries(folder)? {
            // A name may have vanished in the meantime.
            items.extend(optional(item(&folder.join(name_of(&entry?))))?);
        }
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    fn names(&self, folder: &Path, most: usize) -> io::Result<Vec<ItemName>> {
        let mut names: Vec<ItemName> = Vec::new();
        for entry in entries(folder)? {
            if names.len() == most {
                break;
            }
            let entry = entry?;
            let name = name_of(&entry);
            let told = |kind| ItemName { name: name.to_owned(), kind, is_link: false, inode: entry.ino() };
            names.push(match entry.file_type() {
                // The first name is always looked up. That fails if this user may not look into the folder.
                FileType::RegularFile if !names.is_empty() => told(ItemKind::File),
                FileType::Directory if !names.is_empty() => told(ItemKind::Folder),
                _ => match optional(item(&folder.join(name)))? {
                    Some(item) => ItemName { is_link: item.link.is_some(), ..told(item.kind) },
                    None => continue,
                },
            });
        }
        names.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(names)
    }

    fn look(&self, path: &Path) -> io::Result<Item> {
        item(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        real_path(path)
    }

    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
        let (mut opened, metadata) = open_to_read(file)?;
        if from > 0 {
            opened.seek(SeekFrom::Start(from))?;
        }
        let limit = limit.unwrap_or(u64::MAX);
        Ok((held(opened, &metadata, from, limit)?, generation(&metadata)))
    }

    fn read_after(&self, file: &Path, known: &Bytes) -> io::Result<(Option<Vec<u8>>, Generation)> {
        let (mut opened, metadata) = open_to_read(file)?;
        let behind = match metadata.len() >= known.len() as u64 && begins_with(&mut opened, known)? {
            true => Some(held(opened, &metadata, known.len() as u64, u64::MAX)?),
            false => None,
        };
        Ok((behind, generation(&metadata)))
    }

    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>> {
        let flags = OFlags::NOFOLLOW.bits() as i32;
        let made =
            OpenOptions::new().append(true).create_new(true).mode(mode).custom_flags(flags).open(file)?;
        if mode & 0o077 == 0 {
            remove_list(&made);
        }
        give_to_owner_of_folder(&made, file);
        Ok(Box::new(made))
    }

    fn append(&self, file: &Path) -> io::Result<Box<dyn WritableFile + '_>> {
        let file = open_regular(OpenOptions::new().append(true), file)?;
        Ok(Box::new(file))
    }

    fn check_writable(&self, folder: &Path) -> io::Result<()> {
        Ok(accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
    }

    fn blank(&self, file: &Path, len: u64) -> io::Result<()> {
        let mut file = open_to_blank(file)?;
        io::copy(&mut io::repeat(b'\n').take(len), &mut file)?;
        file.sync_all()
    }

    fn make_folder(&self, folder: &Path, mode: u32) -> io::Result<()> {
        fs::DirBuilder::new().mode(mode).create(folder)?;
        if let Ok(made) = open_with(OFlags::NOFOLLOW | OFlags::DIRECTORY, folder) {
            give_to_owner_of_folder(&made, folder);
        }
        Ok(())
    }

    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn WritableFile + '_>> {
        Ok(Box::new(open_with(OFlags::NOFOLLOW | OFlags::DIRECTORY, folder)?))
    }

    fn link(&self, file: &Path, name: &Path) -> io::Result<()> {
        fs::hard_link(file, name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        fs::remove_file(file)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        fs::remove_dir(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        open_with(OFlags::NONBLOCK, folder)?.sync_all()
    }

    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
        let file = match create {
            Some(mode) => {
                let mut options = OpenOptions::new();
                let file = open_regular(options.read(true).write(true).create(true).mode(mode), path)?;
                // Agents must be able to open it later.
                if file.metadata().is_ok_and(|made| made.len() == 0 && made.nlink() == 1) {
                    give_to_owner_of_folder(&file, path);
                }
                file
            }
            None => open_with(OFlags::NOFOLLOW | OFlags::NONBLOCK, path)?,
        };
        match FileExt::try_lock(&file) {
            Ok(()) => Ok(Some(Box::new(RealFlock(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn entries(folder: &Path) -> io::Result<impl Iterator<Item = rustix::io::Result<DirEntry>>> {
    let is_item = |own: &DirEntry| name_of(own) != "." && name_of(own) != "..";
    Ok(Dir::new(open(folder)?)?.filter(move |own| own.as_ref().map_or(true, is_item)))
}

fn name_of(entry: &DirEntry) -> &OsStr {
    OsStr::from_bytes(entry.file_name().to_bytes())
}

fn open_to_read(file: &Path) -> io::Result<(File, Metadata)> {
    let opened = open(file)?;
    let metadata = regular(&opened)?;
    Ok((opened, metadata))
}

fn regular(opened: &File) -> io::Result<Metadata> {
    let irregular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    Some(opened.metadata()?).filter(Metadata::is_file).ok_or_else(irregular)
}

/// Reads at most `limit` bytes of an open file from its current place on.
fn held(opened: File, metadata: &Metadata, from: u64, limit: u64) -> io::Result<Vec<u8>> {
    let expected = metadata.len().saturating_sub(from).min(limit);
    // A small limit needs no check of the memory.
    let most = if limit <= HOLLOW { HOLLOW } else { most() };
    // It may claim to be long, but have hardly any data.
    let is_hollow = expected > HOLLOW && metadata.blocks().saturating_mul(512) < metadata.len() / 1000;
    if expected > most || is_hollow {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // The length is only a claim: the file may be shorter, or grow during the read.
    let room = bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX));
    room.map_err(|_| too_large(metadata.len()))?;
    opened.take(limit.min(most)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == most && most < limit { Err(too_large(most)) } else { Ok(bytes) }
}

/// The kernel knows the path of what is open. `canonicalize` makes a call for each part of the path.
#[cfg(target_os = "linux")]
fn real_path(path: &Path) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;

    let opened = open_with(OFlags::PATH, path)?;
    match fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd())) {
        Ok(real) if real.is_absolute() && real.exists() => Ok(real),
        _ => fs::canonicalize(path),
    }
}

#[cfg(not(target_os = "linux"))]
fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

fn open_with(flags: OFlags, path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// Opens a file to overwrite it, also if its owner made it read-only.
fn open_to_blank(file: &Path) -> io::Result<File> {
    let open = || open_regular(OpenOptions::new().write(true), file);
    let error = match open() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => error,
        outcome => return outcome,
    };
    let read = open_regular(OpenOptions::new().read(true), file)?;
    let mode = read.metadata()?.permissions().mode();
    read.set_permissions(fs::Permissions::from_mode(mode | 0o200)).map_err(|_| error)?;
    open()
}

/// Opens a regular file. Does not follow a link or block on a FIFO.
fn open_regular(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = options.custom_flags(flags.bits() as i32).open(file)?;
    regular(&opened).map(|_| opened)
}

impl WritableFile for File {
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

    fn set_owner(&mut self, owner: Owner) -> io::Result<()> {
        change_owner(self, owner)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }
}

/// A file with a `flock`. Dropping it releases the lock, or the kernel does at the end of the process.
struct RealFlock(File);

impl Drop for RealFlock {
    fn drop(&mut self) {
        // Closing the file releases the lock, too, so an error here does not matter.
        let _ = FileExt::unlock(&self.0);
    }
}

impl Flock for RealFlock {
    fn generation(&self) -> io::Result<Generation> {
        Ok(generation(&self.0.metadata()?))
    }

    fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(bytes)
    }
}

/// Opens a file or folder without blocking on a FIFO and, if possible, without a new access time.
fn open(file: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    match open_with(OFlags::NONBLOCK | OFlags::NOATIME, file) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        outcome => return outcome,
    }
    open_with(OFlags::NONBLOCK, file)
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
    // If the mode gives nobody but the owner anything, neither does a list.
    let may_be_listed = kind != ItemKind::Special && metadata.mode() & 0o077 != 0;
    Ok(Item {
        name: path.file_name().unwrap_or_default().to_owned(),
        kind,
        link,
        links: metadata.nlink(),
        mode: metadata.mode() & 0o7777,
        bits_without_list: may_be_listed.then(|| bits_without_list(path)).flatten(),
        owner: Owner { user: metadata.uid(), group: metadata.gid() },
        generation: generation(&metadata),
    })
}

fn generation(metadata: &Metadata) -> Generation {
    let modified = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    let now = i128::from(Moment::of_the_clock().0) * 1000;
    Generation {
        device: metadata.dev(),
        inode: metadata.ino(),
        len: metadata.len(),
        modified,
        is_settled: now - modified > SETTLED,
    }
}

/// Returns the most bytes that are read into memory at once: half of the machine's memory.
fn most() -> u64 {
    static MOST: OnceLock<u64> = OnceLock::new();
    *MOST.get_or_init(|| memory().unwrap_or(MEMORY) / 2)
}

/// Returns the machine's memory in bytes, if the system reports it. Linux does.
fn memory() -> Option<u64> {
    let told = fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn too_large(len: u64) -> io::Error {
    let what = format!("it claims to be {len} bytes long, which is more than fits into memory");
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

/// The extended attribute in which Linux keeps a list: a version of 4 bytes, then the entries.
const ACCESS_LIST: &str = "system.posix_acl_access";
/// An entry has its tag, its rights and an id, in the order of the lower byte first.
const ENTRY: usize = 8;
/// The tags of entries: of a named user, the owning group, a named group, the most that these get, and all others.
const USER: u8 = 2;
const GROUP: u8 = 4;
const NAMED_GROUP: u8 = 8;
const MASK: u8 = 16;
const OTHER: u8 = 32;

/// Returns the rights of the group and of all others as bits of a mode, if a file or folder has a list. They are so few that
/// nobody whom the list names gets more by them.
fn bits_without_list(path: &Path) -> Option<u32> {
    let mut list = [0; 4096];
    let len = match getxattr(path, ACCESS_LIST, &mut list) {
        Ok(len) => len,
        // The list is longer than that. Nobody but the owner gets anything.
        Err(Errno::RANGE) => return Some(0),
        Err(_) => return None,
    };
    let entries = || list.get(4..len).into_iter().flat_map(|own| own.chunks_exact(ENTRY));
    let rights = |tag: u8| entries().filter(move |own| own[..2] == [tag, 0]).map(|own| own[2] & 7);
    let mask = rights(MASK).next().unwrap_or(7);
    let named = rights(USER).chain(rights(NAMED_GROUP)).fold(7, |least, own| least & own & mask);
    let group = rights(GROUP).next().unwrap_or(0) & mask & named;
    let other = rights(OTHER).next().unwrap_or(0) & named;
    Some(u32::from(group) << 3 | u32::from(other))
}

/// Removes the list that a new file got from its folder. There may be none, and no lists on the file system.
fn remove_list(file: &File) {
    let _ = fremovexattr(file, ACCESS_LIST);
}

/// Changes the user and group of an open file, if they differ.
fn change_owner(file: &File, owner: Owner) -> io::Result<()> {
    let metadata = file.metadata()?;
    let other = |now: u32, wanted: u32| (now != wanted).then_some(wanted);
    match (other(metadata.uid(), owner.user), other(metadata.gid(), owner.group)) {
        (None, None) => Ok(()),
        (user, group) => fchown(file, user, group),
    }
}

/// If the superuser makes a file in another user's folder, gives it to that user, whose agents must read it.
fn give_to_owner_of_folder(made: &File, path: &Path) {
    let is_ours = |user| user == rustix::process::geteuid().as_raw();
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let Some(folder) = folder.and_then(|folder| fs::metadata(folder).ok()) else { return };
    let is_new = made.metadata().is_ok_and(|own| is_ours(own.uid()));
    if rustix::process::geteuid().is_root() && is_new && !is_ours(folder.uid()) {
        // If that fails, the file can still be used.
        let _ = change_owner(made, Owner { user: folder.uid(), group: folder.gid() });
    }
}
