//! What can be asked of the disk, what can go wrong with it, and how it can lie.

use std::fmt;
use std::path::PathBuf;

pub use rustix::io::Errno;

use super::disk::Owner;
use super::model::PathText;

/// A call that may change the disk: one step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// A new file.
    Create {
        /// Its path.
        file: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Bytes into an open file, by an `WritableFile` or a `Flock`.
    Write {
        /// The path that it was opened by.
        file: PathBuf,
        /// What is written.
        bytes: Vec<u8>,
    },
    /// An open file made durable.
    Sync {
        /// The path that it was opened by.
        file: PathBuf,
    },
    /// The permission bits of an open file.
    SetMode {
        /// The path that it was opened by.
        file: PathBuf,
        /// The new ones.
        mode: u32,
    },
    /// The length of an open file, by an `WritableFile` or a `Flock`.
    SetLen {
        /// The path that it was opened by.
        file: PathBuf,
        /// The new one.
        len: u64,
    },
    /// A new folder.
    MakeFolder {
        /// Its path.
        folder: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A second name.
    Link {
        /// A name that the file has.
        file: PathBuf,
        /// The name that it gets.
        name: PathBuf,
    },
    /// A move.
    Rename {
        /// The name that goes.
        from: PathBuf,
        /// The name that comes, or is replaced.
        to: PathBuf,
    },
    /// A move to a name that nothing has.
    RenameNew {
        /// The name that goes.
        from: PathBuf,
        /// The name that comes.
        to: PathBuf,
    },
    /// Two names that lead to each other's files from now on.
    Exchange {
        /// The one.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// The user and group of an open file.
    SetOwner {
        /// The path that it was opened by.
        file: PathBuf,
        /// The new ones.
        owner: Owner,
    },
    /// The extended attributes of an open file.
    SetExtended {
        /// The path that it was opened by.
        file: PathBuf,
    },
    /// A name removed.
    Remove {
        /// The name.
        file: PathBuf,
    },
    /// An empty folder removed.
    RemoveFolder {
        /// Its path.
        folder: PathBuf,
    },
    /// The names in a folder made durable.
    SyncFolder {
        /// Its path.
        folder: PathBuf,
    },
    /// A lock tried. It is a step even where it makes no file: what others do right before
    /// it matters.
    Flock {
        /// What is locked.
        path: PathBuf,
        /// The permission bits for a file that is absent, if it is to be made.
        create: Option<u32>,
    },
}

impl Op {
    /// Whether it can be done on a disk that is full.
    pub(super) fn needs_no_room(&self) -> bool {
        match self {
            Self::Remove { .. }
            | Self::RemoveFolder { .. }
            | Self::SetMode { .. }
            | Self::Exchange { .. } => true,
            Self::SetLen { len, .. } => *len == 0,
            Self::Flock { create, .. } => create.is_none(),
            _ => false,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create { file, mode } => write!(f, "create {} {mode:o}", file.to_text()),
            Self::Write { file, bytes } => write!(f, "write {} bytes to {}", bytes.len(), file.to_text()),
            Self::Sync { file } => write!(f, "sync {}", file.to_text()),
            Self::SetMode { file, mode } => write!(f, "set the mode of {} to {mode:o}", file.to_text()),
            Self::SetLen { file, len } => write!(f, "set the length of {} to {len}", file.to_text()),
            Self::MakeFolder { folder, mode } => write!(f, "make the folder {} {mode:o}", folder.to_text()),
            Self::Link { file, name } => write!(f, "link {} as {}", file.to_text(), name.to_text()),
            Self::Rename { from, to } => write!(f, "rename {} to {}", from.to_text(), to.to_text()),
            Self::RenameNew { from, to } => {
                write!(f, "rename {} to the new {}", from.to_text(), to.to_text())
            }
            Self::Exchange { one, other } => write!(f, "exchange {} and {}", one.to_text(), other.to_text()),
            Self::SetOwner { file, owner } => {
                write!(f, "give {} to {}:{}", file.to_text(), owner.user, owner.group)
            }
            Self::SetExtended { file } => write!(f, "set the attributes of {}", file.to_text()),
            Self::Remove { file } => write!(f, "remove {}", file.to_text()),
            Self::RemoveFolder { folder } => write!(f, "remove the folder {}", folder.to_text()),
            Self::SyncFolder { folder } => write!(f, "sync the folder {}", folder.to_text()),
            Self::Flock { path, .. } => write!(f, "lock {}", path.to_text()),
        }
    }
}

/// What goes wrong at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed before the call: it and every later one, of any kind, fails
    /// with [`std::io::ErrorKind::Other`], and the process's locks are let go of.
    Crash,
    /// A write that the process is killed in, after that many bytes; any other call is not
    /// done at all.
    CrashInWrite(usize),
    /// The call does nothing and fails, once. After a sync that failed so, what was written
    /// before it never reaches the disk, even if a later sync succeeds.
    Error(Errno),
    /// The call does what it should and yet fails, once.
    ErrorAfter(Errno),
    /// This call and every later one fails. With `NOSPC` and `DQUOT` those still succeed
    /// that need no room: removing, cutting to nothing, setting a mode, locking what is there.
    ErrorFromHere(Errno),
    /// A write that writes that many bytes and fails with `NOSPC`; any other call only fails.
    ShortWrite(usize),
}

/// A disk, or a program, that does not do what it says: planted to prove that tests would
/// find it. Several can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lie {
    /// Syncing a file makes nothing durable.
    SyncDoesNothing,
    /// Syncing a folder makes nothing durable.
    FolderSyncDoesNothing,
    /// A file is synced only right after the next rename.
    RenameBeforeSync,
    /// A rename onto a file cuts that file and rewrites it in place.
    RenameInPlace,
    /// A rename onto a file removes that one first, as a step of its own.
    UnlinkFirst,
    /// A write is two: one half, then the other.
    WriteInTwo,
    /// A new file may cut one that is there instead of failing.
    CreateReplaces,
    /// A second name is not given.
    LinkDoesNothing,
    /// A second name is given to a copy instead of to the file itself.
    LinkCopies,
    /// No lie but a habit of network file systems: names can't be exchanged, nor moved only where
    /// nothing is there.
    NoExchange,
    /// No lie but a habit of some file systems: a file has one name and can't get another.
    NoLinks,
    /// An exchange replaces, and what was there has no name any more.
    ExchangeDropsOld,
    /// A name is not removed.
    RemoveDoesNothing,
    /// A lock is granted while another holds it.
    FlockExcludesNobody,
    /// No lie but a coarse clock: every change seems to have been made at the same time.
    ClockStops,
    /// No lie but a habit of some file systems: the number of an inode that is gone is
    /// given to the next.
    InodeNumbersReused,
}
