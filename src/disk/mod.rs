//! All access to the file system; nothing else uses `std::fs`. Reading never blocks and changes
//! nothing, if possible not even the access time. It opens only regular files.

mod editor;
pub mod file_holders;
mod git;
pub mod host;
mod known_bytes;
mod machine;
mod new_files;
mod open_writers;
mod real_disk;
#[cfg(feature = "tui")]
pub mod watch;

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use crate::model::owner::Owner;
use crate::model::{Bytes, Generation};
pub use editor::{EditorError, PagerInput, edit_text, end_editor, end_editors, page};
pub use git::Git;
pub use machine::{Machine, ProcessState, ThisMachine, is_alive};
pub use new_files::{WriteError, new_temporary_folder, remove_temporary_folder, set_modified, write_new};
pub use open_writers::is_any_open;
pub use real_disk::RealDisk;

/// True if nothing is at a path. What can't be looked at may be there.
pub fn is_absent(disk: &dyn Disk, path: &Path) -> bool {
    matches!(optional(disk.look(path)), Ok(None))
}

/// Returns `None` instead of the error that there is nothing. What can't be read may be there.
pub fn optional<T>(outcome: io::Result<T>) -> io::Result<Option<T>> {
    match outcome {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        outcome => outcome.map(Some),
    }
}

/// Returns a path without `.` and `..`. It is the same place if no part of it is a link.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            own => plain.push(own),
        }
    }
    plain
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A regular file.
    File,
    Folder,
    /// A FIFO, device or socket. It is never opened.
    Special,
}

/// An item in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name within the folder.
    pub name: OsString,
    /// Its kind; for a link the kind of its target.
    pub kind: ItemKind,
    /// `Some` for a symbolic link, with its target if that exists.
    pub link: Option<Option<PathBuf>>,
    /// The number of its names; for a link of its target.
    pub links: u64,
    /// The permission bits, `0o7777`; for a link of its target.
    pub mode: u32,
    /// The rights of its group and of all others as bits, if it has an access list. The bits of its mode may then give
    /// more to those whom the list names.
    pub bits_without_list: Option<u32>,
    /// Its user and group; for a link of its target.
    pub owner: Owner,
    /// The state of its content.
    pub generation: Generation,
}

impl Item {
    /// Returns its permission bits for a new file, which has no access list: nobody gets more rights by them.
    pub fn mode_without_list(&self) -> u32 {
        self.bits_without_list.map_or(self.mode, |bits| self.mode & (!0o077 | bits))
    }
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemName {
    pub name: OsString,
    /// Its kind; for a link the kind of its target.
    pub kind: ItemKind,
    /// True for a symbolic link.
    pub is_link: bool,
    /// Its inode. A later file mostly has a greater one.
    pub inode: u64,
}

/// A file that is open for writing.
pub trait WritableFile {
    /// Writes all bytes, in one system call if possible.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the written bytes would survive a power cut. After an error the file can't be
    /// trusted, and this must not be called again.
    fn sync(&mut self) -> io::Result<()>;

    /// Returns the state of the file.
    fn generation(&self) -> io::Result<Generation>;

    /// Sets its permission bits, without the umask.
    fn set_mode(&mut self, mode: u32) -> io::Result<()>;

    /// Sets its user and group.
    fn set_owner(&mut self, owner: Owner) -> io::Result<()>;

    /// Cuts it to this length, or extends it with zeros.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
}

/// A lock (`flock`) of this process on a file or folder. Dropping it releases the lock.
pub trait Flock {
    /// Returns the state of the locked file. The lock is on its device and inode, not on its path.
    fn generation(&self) -> io::Result<Generation>;

    /// Replaces the content of the file. Not for folders.
    fn fill(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// The file system. No call follows a link at the end of a path that it changes.
pub trait Disk: Sync {
    /// Returns the items of a folder, sorted by name. A link is an item and is not entered.
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>>;

    /// Returns the sorted names in a folder; some of them if it has more than `most`. Items are not
    /// looked up one by one if the folder tells their kinds.
    fn names(&self, folder: &Path, most: usize) -> io::Result<Vec<ItemName>> {
        let name = |item: Item| ItemName {
            name: item.name,
            kind: item.kind,
            is_link: item.link.is_some(),
            inode: item.generation.inode,
        };
        Ok(self.list(folder)?.into_iter().take(most).map(name).collect())
    }

    /// Returns the item at a path. It follows links.
    fn look(&self, path: &Path) -> io::Result<Item>;

    /// Returns the absolute path without links.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns at most `limit` bytes of a regular file from `from` on, and its state. The length is
    /// only a claim: more bytes than the limit fail with [`io::ErrorKind::FileTooLarge`].
    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)>;

    /// Returns the bytes of a regular file after `known`, and its state; `None` if it does not
    /// begin with `known`. A real disk does not hold `known` a second time.
    fn read_after(&self, file: &Path, known: &Bytes) -> io::Result<(Option<Vec<u8>>, Generation)> {
        let (mut bytes, generation) = self.read(file, 0, None)?;
        let begins = bytes.starts_with(known);
        Ok((begins.then(|| bytes.split_off(known.len())), generation))
    }

    /// Fails if the rights of a folder forbid to add and remove names in it.
    fn check_writable(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Creates a file for appending, as others may write to it at once. Fails if something exists there.
    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>>;

    /// Opens an existing regular file for appending.
    fn append(&self, file: &Path) -> io::Result<Box<dyn WritableFile + '_>>;

    /// Overwrites the first bytes with line ends, in place and durably. Bytes that others appended stay.
    fn blank(&self, file: &Path, len: u64) -> io::Result<()>;

    /// Makes one folder. Fails if something exists there.
    fn make_folder(&self, folder: &Path, mode: u32) -> io::Result<()>;

    /// Opens an existing folder to set its owner and mode.
    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn WritableFile + '_>>;

    /// Gives a file a second name. Fails if something exists there.
    fn link(&self, file: &Path, name: &Path) -> io::Result<()>;

    /// Moves a file or folder. Replaces an existing file.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves a file. Fails if something exists there, or on some file systems: see [`is_unsupported`].
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges the names of two files in one step. Fails on some file systems: see [`is_unsupported`].
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// Removes a name of a file.
    fn remove(&self, file: &Path) -> io::Result<()>;

    /// Removes an empty folder.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;

    /// Waits until the names in a folder would survive a power cut.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Tries to lock a file or folder (`flock`); `None` while another process holds it. A missing
    /// file is made with the mode `create`.
    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>>;
}

/// True if a file system lacks this call, or does not allow it for such files.
pub fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let known = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::PERM, Errno::MLINK];
    error.raw_os_error().is_some_and(|own| known.iter().any(|known| known.raw_os_error() == own))
}

/// Makes what was written to a file durable. One that is gone, or was replaced since, has nothing more to lose.
pub fn sync_file(disk: &dyn Disk, file: &Path) -> io::Result<()> {
    optional(disk.append(file))?.map_or(Ok(()), |mut own| own.sync())
}

/// Writes a new file. Its bytes are then durable, its name is not.
pub fn write_synced(disk: &dyn Disk, file: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut out = disk.create(file, mode)?;
    out.write(bytes).and_then(|()| out.sync())
}

/// Moves a file to a free name. Fails if another program takes the name first.
pub fn put_new(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    match disk.link(from, to) {
        Err(error) if is_unsupported(&error) => {}
        // If the old name can't be removed, the next start removes it.
        outcome => return outcome.map(|()| drop(disk.remove(from))),
    }
    match disk.rename_new(from, to) {
        Err(error) if is_unsupported(&error) => {}
        outcome => return outcome,
    }
    match disk.look(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => disk.rename(from, to),
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Returns the path of standard output, if the system knows it. A pipe or a terminal may have one, too.
#[cfg(all(feature = "tui", target_vendor = "apple"))]
pub fn output_file() -> Option<std::path::PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let path = rustix::fs::getpath(std::io::stdout()).ok()?;
    Some(std::path::PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

/// Returns the path of standard output, if the system knows it. A pipe or a terminal may have one, too.
#[cfg(all(feature = "tui", not(target_vendor = "apple")))]
pub fn output_file() -> Option<std::path::PathBuf> {
    std::fs::read_link("/proc/self/fd/1").ok()
}
