//! A change of one file.

use std::ops::Range;
use std::path::PathBuf;

use crate::model::bytes::LineBounds;
use crate::model::owner::Owner;
use crate::model::plan::splice::{self, Splice, inverse, line_end_for, shared_lines};
use crate::model::time::{self, Moment};
use crate::model::{Bytes, ChangeKind};

/// The action on one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Creates a folder.
    MakeFolder,
    /// Creates a file where none exists.
    Create(Bytes),
    /// Appends whole lines. Creates the file if it is absent.
    Append(Vec<u8>),
    /// Replaces parts of the file, in ascending order.
    Splice(Vec<Splice>),
    /// Removes the file, which has these bytes.
    Remove(Bytes),
    /// Removes a folder, if it is empty.
    RemoveFolder,
    /// Removes a copy that is too old, of that many bytes. Its content is read at that time.
    Expire(u64),
}

/// A part of a plan: the change of one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the store's root. A path beside the store starts with `..`.
    pub path: PathBuf,
    /// The action.
    pub act: Act,
    /// The bytes of the file for which the plan was made; `None` if there is no such file.
    pub base: Option<Bytes>,
    /// The permission bits of a new file. An existing file keeps its mode.
    pub mode: u32,
    /// The owner that a restored file or folder had when it was removed.
    pub owner: Option<Owner>,
}

/// The maximum size of the undo data of a store, in bytes.
pub const UNDO_LIMIT: u64 = 256 << 20;

/// The number of days in which a step can be undone, and in which a draft is kept.
pub const UNDO_DAYS: i64 = 30;

/// Returns the time until which a step that was done at `done` can be undone.
pub fn undo_until(done: Moment) -> Moment {
    done.plus(UNDO_DAYS * time::DAY)
}

/// The mode of new files.
pub const PRIVATE_MODE: u32 = 0o600;

/// The mode of files that a checkout shares with others. The umask limits it.
pub const SHARED_MODE: u32 = 0o666;

impl Change {
    /// True if old content goes. A hard link to the file keeps it.
    pub fn replaces(&self) -> bool {
        matches!(self.act, Act::Splice(_) | Act::Remove(_))
    }

    fn private(path: impl Into<PathBuf>, act: Act, base: Option<Bytes>) -> Change {
        Change { path: path.into(), act, base, mode: PRIVATE_MODE, owner: None }
    }

    /// Creates a private file.
    pub fn create(path: impl Into<PathBuf>, bytes: impl Into<Bytes>) -> Change {
        Change::private(path, Act::Create(bytes.into()), None)
    }

    /// Appends lines to a file that has `base`, or to a new file.
    pub fn append(path: impl Into<PathBuf>, lines: impl Into<Vec<u8>>, base: Option<Bytes>) -> Change {
        Change::private(path, Act::Append(lines.into()), base)
    }

    /// Edits a file that has `base`. Each edit is a range of bytes and its new bytes.
    pub fn edits(path: impl Into<PathBuf>, base: Bytes, edits: Vec<(Range<usize>, Vec<u8>)>) -> Change {
        let splices = shared_lines(&base, edits);
        Change::private(path, Act::Splice(splices), Some(base))
    }

    /// Changes a file from `base` to `bytes`.
    pub fn rewrite(path: impl Into<PathBuf>, base: Bytes, bytes: impl Into<Bytes>) -> Change {
        let splices = splice::diff_lines(&base, &bytes.into());
        Change::private(path, Act::Splice(splices), Some(base))
    }

    /// Removes a file.
    pub fn remove(path: impl Into<PathBuf>, base: Bytes) -> Change {
        Change::private(path, Act::Remove(base.clone()), Some(base))
    }

    /// Creates a folder.
    pub fn make_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::MakeFolder, base: None, mode: 0o700, owner: None }
    }

    /// Removes a folder, if it is empty.
    pub fn remove_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::RemoveFolder, base: None, mode: 0o700, owner: None }
    }

    /// Removes a copy of `len` bytes that is too old.
    pub fn expire(path: impl Into<PathBuf>, len: u64) -> Change {
        Change::private(path, Act::Expire(len), None)
    }

    /// True if it changes nothing.
    pub fn is_empty(&self) -> bool {
        match &self.act {
            Act::Append(bytes) => bytes.is_empty(),
            Act::Splice(splices) => splices.iter().all(|splice| splice.was == splice.becomes),
            _ => false,
        }
    }

    /// Returns the bytes of the file afterwards. `None` if there is no file then.
    pub fn after(&self) -> Option<Bytes> {
        match &self.act {
            Act::Create(bytes) => Some(bytes.clone()),
            Act::MakeFolder | Act::Remove(_) | Act::RemoveFolder | Act::Expire(_) => None,
            Act::Append(_) | Act::Splice(_) => {
                let base = self.base.clone().unwrap_or_default();
                Some(Bytes::spliced(&base, self.splices()?))
            }
        }
    }

    /// Returns the parts that it replaces or appends, if it does that. Appended lines replace nothing.
    pub fn splices(&self) -> Option<Vec<Splice>> {
        match &self.act {
            Act::Splice(splices) => Some(splices.clone()),
            Act::Append(lines) => {
                let base = self.base.clone().unwrap_or_default();
                let (start, end) = (base.len() as u64, line_end_for(&base));
                let becomes = [end, lines].concat().into();
                Some(vec![Splice { start, was: Bytes::default(), becomes, line_before: Bytes::default() }])
            }
            _ => None,
        }
    }

    /// Returns the length of the file before; 0 if there is none.
    pub fn len_before(&self) -> u64 {
        match (&self.base, &self.act) {
            (Some(base), _) => base.len() as u64,
            (None, Act::Expire(len)) => *len,
            (None, _) => 0,
        }
    }

    /// Returns the length of the file afterwards.
    pub fn len_after(&self) -> u64 {
        let len = self.base.as_ref().map_or(0, Bytes::len);
        let len = match &self.act {
            Act::Create(bytes) => bytes.len(),
            Act::Append(bytes) => {
                len + self.base.as_ref().map_or(0, |base| line_end_for(base).len()) + bytes.len()
            }
            Act::Splice(splices) => {
                let gone: usize = splices.iter().map(|splice| splice.was.len()).sum();
                let come: usize = splices.iter().map(|splice| splice.becomes.len()).sum();
                len + come - gone.min(len)
            }
            Act::MakeFolder | Act::Remove(_) | Act::RemoveFolder | Act::Expire(_) => 0,
        };
        len as u64
    }

    /// Returns the change that undoes it.
    pub fn inverse(&self) -> Change {
        Change { base: self.after(), ..self.bare_inverse() }
    }

    /// Like [`Change::inverse`], without the base.
    pub fn bare_inverse(&self) -> Change {
        let act = match &self.act {
            Act::MakeFolder => Act::RemoveFolder,
            Act::RemoveFolder => Act::MakeFolder,
            // The writer that undoes it reads what is restored. Without lines, this one restores nothing.
            Act::Expire(_) => Act::Append(Vec::new()),
            Act::Create(bytes) => Act::Remove(bytes.clone()),
            Act::Remove(was) => Act::Create(was.clone()),
            Act::Splice(splices) => Act::Splice(inverse(splices)),
            Act::Append(bytes) => match &self.base {
                Some(before) => {
                    // Only the last two lines of the file matter here.
                    let from = before.line_before(before.line_before(before.len()));
                    let before = &before[from..];
                    let whole = Bytes::from([before, line_end_for(before), bytes].concat());
                    let mut splices = shared_lines(&whole, vec![(before.len()..whole.len(), Vec::new())]);
                    splices.iter_mut().for_each(|own| own.start += from as u64);
                    Act::Splice(splices)
                }
                None => Act::Remove(bytes.as_slice().into()),
            },
        };
        Change { path: self.path.clone(), act, base: None, mode: self.mode, owner: None }
    }

    /// Joins two changes of the same file, made for the same bytes. `None` if they can't be joined.
    pub fn join(self, other: &Change) -> Option<Change> {
        match (&self.act, &other.act) {
            (Act::Splice(_), Act::Append(lines)) => Some(self.and_append(lines)),
            (Act::Append(lines), Act::Splice(_)) => Some(other.clone().and_append(lines)),
            (Act::Append(own), Act::Append(lines)) => {
                let act = Act::Append([own, line_end_for(own), lines].concat());
                Some(Change { act, ..self })
            }
            (Act::Create(bytes), Act::Append(lines)) => {
                let act = Act::Create([bytes, line_end_for(bytes), lines].concat().into());
                Some(Change { act, ..self })
            }
            _ => None,
        }
    }

    /// Appends lines to a change of the lines of a file.
    pub fn and_append(self, lines: &[u8]) -> Change {
        if lines.is_empty() {
            // Then no line end has to be added.
            return self;
        }
        let (Act::Splice(splices), Some(base)) = (&self.act, &self.base) else { return self };
        let end = base.len();
        let mut edits: Vec<(Range<usize>, Vec<u8>)> =
            splices.iter().map(|own| (own.range(), own.becomes.to_vec())).collect();
        edits.push((end..end, [line_end_for(&Bytes::spliced(base, splices.clone())), lines].concat()));
        Change { mode: self.mode, ..Change::edits(&self.path, base.clone(), edits) }
    }

    /// Returns the size of its undo data, in bytes.
    pub fn kept(&self) -> u64 {
        match &self.act {
            Act::Append(bytes) => bytes.len() as u64,
            Act::Remove(bytes) => bytes.len() as u64,
            Act::Splice(own) => own.iter().map(|own| (own.was.len() + own.becomes.len()) as u64).sum(),
            // For a new file a digest is enough. An expired copy is not restored if it is large.
            Act::Create(_) | Act::Expire(_) | Act::MakeFolder | Act::RemoveFolder => 0,
        }
    }

    /// Returns what it does to its file.
    pub fn kind(&self) -> ChangeKind {
        match &self.act {
            Act::MakeFolder | Act::Create(_) => ChangeKind::Create,
            Act::Append(_) if self.base.is_none() => ChangeKind::Create,
            Act::Append(_) => ChangeKind::Append,
            Act::Splice(_) => ChangeKind::Rewrite,
            Act::Remove(_) | Act::RemoveFolder | Act::Expire(_) => ChangeKind::Remove,
        }
    }
}
