//! Every touch of the file system. Nothing else in the program uses `std::fs`.
//!
//! Opening a file to read it changes nothing, not even its access time where the system
//! lets us ask for that, and never blocks: what is not a regular file is not opened.

mod attributes;
#[cfg(feature = "tui")]
mod detached_process;
mod editor;
mod git;
mod lookup;
mod machine;
mod new_files;
mod open_file;
mod open_writers;
mod process;
mod real_disk;
#[cfg(feature = "tui")]
mod stdout_file;
#[cfg(feature = "tui")]
pub mod watch;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "tui")]
pub use detached_process::{leave_session, spawn_detached};
pub use editor::{EditorError, edit_text, end_editor, end_editors, page_text};
pub use git::Git;
pub use lookup::Lookup;
pub use machine::{Machine, ProcessState, ThisMachine};
pub use new_files::{WriteError, new_temporary_folder, remove_temporary_folder, write_new};
pub use process::is_alive;
pub use real_disk::RealDisk;
#[cfg(feature = "tui")]
pub use stdout_file::output_file;

pub use crate::model::attributes::{ExtendedAttributes, Owner};
use crate::model::{Bytes, Generation, RangeReader};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A FIFO, device or socket: never opened.
    Special,
}

/// One thing in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name within the folder.
    pub name: OsString,
    /// What it is; for a link, what it leads to.
    pub kind: ItemKind,
    /// Whether it is a symbolic link, and where it leads if that exists.
    pub link: Option<Option<PathBuf>>,
    /// How many names it has; for a link those of what it leads to.
    pub links: u64,
    /// Permission bits, `0o7777`; for a link those of what it leads to.
    pub mode: u32,
    /// The user and the group that it belongs to; for a link those of what it leads to.
    pub owner: Owner,
    /// Which state it is in.
    pub generation: Generation,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemName {
    /// The name.
    pub name: OsString,
    /// What it is; for a link, what it leads to.
    pub kind: ItemKind,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// The number of its file; of what was made later it is mostly greater.
    pub inode: u64,
}

/// A file that is open to be written.
pub trait WritableFile {
    /// Writes all of the bytes, in one call where the system takes them in one.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until what was written would survive a power cut. After a failure the file is
    /// not to be trusted, and this is not to be called again.
    fn sync(&mut self) -> io::Result<()>;

    /// Which state the file is in.
    fn generation(&self) -> io::Result<Generation>;

    /// Sets its permission bits, whatever the umask.
    fn set_mode(&mut self, mode: u32) -> io::Result<()>;

    /// Gives it to that user and group.
    fn set_owner(&mut self, owner: Owner) -> io::Result<()>;

    /// Gives it those extended attributes and takes all others from it.
    fn set_extended(&mut self, attributes: &ExtendedAttributes) -> io::Result<()>;

    /// Cuts it to that length, or fills it up with zeros.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
}

/// A file or folder that this process has locked (`flock`); dropping it lets go.
pub trait Flock {
    /// Which file it is: the lock holds for this device and inode, whatever the path says.
    fn generation(&self) -> io::Result<Generation>;

    /// Replaces what the file says. Not for folders.
    fn fill(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// The file system. Nothing here follows a link at the end of a path that it changes.
pub trait Disk: Sync {
    /// What a folder holds, sorted by name. Links are looked up, not entered.
    fn list(&self, folder: &Path) -> io::Result<Vec<Item>>;

    /// The names in a folder, sorted: all of them, or of a folder with more just so many, whichever.
    /// They are not looked up one by one where the folder itself says what they are.
    fn names(&self, folder: &Path, most: usize) -> io::Result<Vec<ItemName>> {
        let name = |item: Item| ItemName {
            name: item.name,
            kind: item.kind,
            is_link: item.link.is_some(),
            inode: item.generation.inode,
        };
        Ok(self.list(folder)?.into_iter().take(most).map(name).collect())
    }

    /// What is at a path, links followed.
    fn look(&self, path: &Path) -> io::Result<Item>;

    /// The absolute path without links.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// A regular file's bytes from `from` on, at most `limit` of them, and the state of
    /// the file that they belong to. Its length is no promise: what can't be held is refused
    /// with [`io::ErrorKind::FileTooLarge`].
    fn read(&self, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)>;

    /// Whether nearly nothing was ever written to a file that says that it is long.
    fn is_hollow(&self, _file: &Path) -> io::Result<bool> {
        Ok(false)
    }

    /// What a regular file has behind those bytes, and the state of the file; nothing where it does not
    /// begin with them. Where they are known already they are not held a second time for that.
    fn read_after(&self, file: &Path, known: &Bytes) -> io::Result<(Option<Vec<u8>>, Generation)> {
        let (mut bytes, generation) = self.read(file, 0, None)?;
        let begins = bytes.starts_with(known);
        Ok((begins.then(|| bytes.split_off(known.len())), generation))
    }

    /// A regular file that stays open, so that its bytes can be had later, also when another has its name
    /// by then, and the state that it is in; nothing on a disk that has no such files.
    fn open_ranges(&self, _file: &Path) -> io::Result<Option<(Arc<dyn RangeReader>, Generation)>> {
        Ok(None)
    }

    /// A file's extended attributes; none where the file system knows none.
    fn extended(&self, file: &Path) -> io::Result<ExtendedAttributes>;

    /// A new file, open so that every write lands at its end: others may write to it as soon as
    /// it has its name. Fails where something is already there.
    fn create(&self, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>>;

    /// A regular file that is there, open so that every write lands at its end.
    fn append(&self, file: &Path) -> io::Result<Box<dyn WritableFile + '_>>;

    /// Fills the first so many bytes of a regular file with line ends, in place and durably: what
    /// others added behind them stays.
    fn blank(&self, file: &Path, len: u64) -> io::Result<()>;

    /// Makes one folder; fails where something is already there.
    fn make_folder(&self, folder: &Path, mode: u32) -> io::Result<()>;

    /// A folder that is there, open so that it can be given an owner, a mode and attributes.
    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn WritableFile + '_>>;

    /// Gives a file a second name; fails where something is already there.
    fn link(&self, file: &Path, name: &Path) -> io::Result<()>;

    /// Moves a file or folder, replacing a file that is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves a file; fails where something is already there. Not every file system can: see
    /// [`is_unsupported`].
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Lets two files change names at once. Not every file system can: see [`is_unsupported`].
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// Removes a name of a file.
    fn remove(&self, file: &Path) -> io::Result<()>;

    /// Removes a folder that is empty.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;

    /// Waits until the names in a folder would survive a power cut.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Tries to lock a regular file or folder against other processes (`flock`), making the
    /// file with that mode where it is absent; `None` while another holds it.
    fn flock(&self, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>>;
}

/// Whether a file system says that it has no such call, or not for such files.
pub fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let known = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::PERM, Errno::MLINK];
    error.raw_os_error().is_some_and(|own| known.iter().any(|known| known.raw_os_error() == own))
}

/// Writes a new file; its bytes are durable then, its name is not.
pub fn write_synced(disk: &dyn Disk, file: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut out = disk.create(file, mode)?;
    out.write(bytes).and_then(|()| out.sync())
}

/// Gives a file to a name that nothing has, where something may have taken it meanwhile.
pub fn put_new(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    match disk.link(from, to) {
        Err(error) if is_unsupported(&error) => {}
        // Under its old name it is one name too many, which the next start removes.
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
