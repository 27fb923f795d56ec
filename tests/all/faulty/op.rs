//! The calls of the disk, the faults, and the lies.

use std::fmt;
use std::path::PathBuf;

pub use rustix::io::Errno;

use super::disk::Owner;
use super::model::PathText;

/// A call that may change the disk: one step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields have the names of what they are")]
pub enum Op {
    /// A new file.
    Create { file: PathBuf, mode: u32 },
    /// Bytes into an open file, by a `WritableFile` or a `Flock`. Files have the paths at which they were opened.
    Write { file: PathBuf, bytes: Vec<u8> },
    /// An open file is made durable.
    Sync { file: PathBuf },
    /// New permission bits of an open file.
    SetMode { file: PathBuf, mode: u32 },
    /// A new length of an open file, by a `WritableFile` or a `Flock`.
    SetLen { file: PathBuf, len: u64 },
    /// A new folder.
    MakeFolder { folder: PathBuf, mode: u32 },
    /// A second name for a file.
    Link { file: PathBuf, name: PathBuf },
    /// A move, perhaps to a name that exists.
    Rename { from: PathBuf, to: PathBuf },
    /// A move to a name that does not exist.
    RenameNew { from: PathBuf, to: PathBuf },
    /// Two names exchange their files.
    Exchange { one: PathBuf, other: PathBuf },
    /// New user and group of an open file.
    SetOwner { file: PathBuf, owner: Owner },
    /// A name is removed.
    Remove { file: PathBuf },
    /// An empty folder is removed.
    RemoveFolder { folder: PathBuf },
    /// The names in a folder are made durable.
    SyncFolder { folder: PathBuf },
    /// A lock is tried. This is a step even if it creates no file: what others do right before it matters. `create` has
    /// the permission bits for a file that does not exist.
    Flock { path: PathBuf, create: Option<u32> },
}

impl Op {
    /// True if it works on a full disk.
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
    /// The process is killed before the call. This and every later call fails with
    /// [`std::io::ErrorKind::Other`], and the process's locks are released.
    Crash,
    /// The process is killed in a write, after this many bytes; any other call is not done at all.
    CrashInWrite(usize),
    /// The call does nothing and fails, once. After a failed sync, bytes written before it never
    /// reach the disk, even if a later sync succeeds.
    Error(Errno),
    /// The call does what it should, but reports an error, once.
    ErrorAfter(Errno),
    /// This call and every later one fails. With `NOSPC` and `DQUOT`, calls without need for space
    /// succeed: removing, truncating to nothing, setting a mode, locking an existing file.
    ErrorFromHere(Errno),
    /// A write writes this many bytes and fails with `NOSPC`; any other call only fails.
    ShortWrite(usize),
}

/// A disk or program that does not do what it says: proves that tests find it. Lies can be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lie {
    /// The sync of a file makes nothing durable.
    SyncDoesNothing,
    /// The sync of a folder makes nothing durable.
    FolderSyncDoesNothing,
    /// A file is synced only right after the next rename.
    RenameBeforeSync,
    /// A rename onto a file truncates that file and rewrites it in place.
    RenameInPlace,
    /// A rename onto a file removes it first, in a separate step.
    UnlinkFirst,
    /// A write has two steps, half of it each.
    WriteInTwo,
    /// The creation of a file may truncate an existing one instead of failing.
    CreateReplaces,
    /// A second name is not created.
    LinkDoesNothing,
    /// No lie, but usual for network file systems: no exchange, and no rename that never replaces.
    NoExchange,
    /// No lie, but usual for some file systems: a file has only one name.
    NoLinks,
    /// An exchange replaces a file, and the old one loses its name.
    ExchangeDropsOld,
    /// A name is not removed.
    RemoveDoesNothing,
    /// A lock is granted while another process holds it.
    FlockExcludesNobody,
    /// No lie, but a coarse clock: every change seems to have the same time.
    ClockStops,
    /// No lie, but usual for some file systems: the next inode gets the number of one that is gone.
    InodeNumbersReused,
}
