//! A change before it is applied: its files, its bytes, and what follows from them.
//!
//! A plan binds bytes: every splice has the bytes that it replaces, so that it never hits what another
//! program wrote since. The preview shows the plan that is applied.

mod counted;
mod join;
mod splice;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::PathText;
use super::attributes::FileAttributes;
use super::bytes::{Bytes, Ranges};
use super::whole_store::WholeStore;

pub use counted::count_with_noun;
pub use splice::{
    Splice, SplicedPart, apply, difference, inverse, last_line, line_end_for, part_at, pieces, spliced_parts,
    whole_lines,
};

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
    /// The attributes that a restored file had when it was removed.
    pub attributes: Option<Arc<FileAttributes>>,
}

/// The maximum size of the undo data of a store, in bytes.
pub const UNDO_LIMIT: u64 = 256 << 20;
/// The mode of new files.
pub const PRIVATE_MODE: u32 = 0o600;
/// The mode of files that a checkout shares with others. The umask limits it.
pub const SHARED_MODE: u32 = 0o666;

impl Change {
    /// True if old content goes. A hard link to the file keeps it.
    pub fn replaces(&self) -> bool {
        matches!(self.act, Act::Splice(_) | Act::Remove(_))
    }

    /// Creates a private file.
    pub fn create(path: impl Into<PathBuf>, bytes: impl Into<Bytes>) -> Change {
        Change {
            path: path.into(),
            act: Act::Create(bytes.into()),
            base: None,
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Appends lines to a file that has `base`, or to a new file.
    pub fn append(path: impl Into<PathBuf>, lines: impl Into<Vec<u8>>, base: Option<Bytes>) -> Change {
        Change {
            path: path.into(),
            act: Act::Append(lines.into()),
            base,
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Edits a file that has `base`. Each edit is a range of bytes and its new bytes.
    pub fn edits(
        path: impl Into<PathBuf>,
        base: Bytes,
        edits: Vec<(std::ops::Range<usize>, Vec<u8>)>,
    ) -> Change {
        let splices = whole_lines(&base, edits);
        Change {
            path: path.into(),
            act: Act::Splice(splices),
            base: Some(base),
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Changes a file from `base` to `bytes`.
    pub fn rewrite(path: impl Into<PathBuf>, base: Bytes, bytes: impl Into<Bytes>) -> Change {
        let splices = splice::diff_lines(&base, &bytes.into());
        Change {
            path: path.into(),
            act: Act::Splice(splices),
            base: Some(base),
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Removes a file.
    pub fn remove(path: impl Into<PathBuf>, base: Bytes) -> Change {
        Change {
            path: path.into(),
            act: Act::Remove(base.clone()),
            base: Some(base),
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Creates a folder.
    pub fn make_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::MakeFolder, base: None, mode: 0o700, attributes: None }
    }

    /// Removes a folder, if it is empty.
    pub fn remove_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::RemoveFolder, base: None, mode: 0o700, attributes: None }
    }

    /// Removes a copy of `len` bytes that is too old.
    pub fn expire(path: impl Into<PathBuf>, len: u64) -> Change {
        Change { path: path.into(), act: Act::Expire(len), base: None, mode: PRIVATE_MODE, attributes: None }
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
                Some(vec![Splice { start, was: Bytes::default(), becomes, line_before: Vec::new() }])
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
                    let before = &*before.at(from..before.len());
                    let whole = [before, line_end_for(before), bytes].concat();
                    let mut splices = whole_lines(&whole, vec![(before.len()..whole.len(), Vec::new())]);
                    splices.iter_mut().for_each(|own| own.start += from as u64);
                    Act::Splice(splices)
                }
                None => Act::Remove(bytes.as_slice().into()),
            },
        };
        Change { path: self.path.clone(), act, base: None, mode: self.mode, attributes: None }
    }

    /// Returns the size of its undo data, in bytes.
    fn kept(&self) -> u64 {
        match &self.act {
            Act::Append(bytes) => bytes.len() as u64,
            Act::Remove(bytes) => bytes.len() as u64,
            Act::Splice(own) => own.iter().map(|own| (own.was.len() + own.becomes.len()) as u64).sum(),
            // For a new file a digest is enough. An expired copy is not restored if it is large.
            Act::Create(_) | Act::Expire(_) | Act::MakeFolder | Act::RemoveFolder => 0,
        }
    }

    /// Returns the word in `--json`.
    pub fn word(&self) -> &'static str {
        match &self.act {
            Act::MakeFolder | Act::Create(_) => "create",
            Act::Append(_) if self.base.is_none() => "create",
            Act::Append(_) => "append",
            Act::Splice(_) => "rewrite",
            Act::Remove(_) | Act::RemoveFolder | Act::Expire(_) => "remove",
        }
    }
}

/// How the writers of a format exclude each other. Paths are relative to the store's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Not at all.
    None,
    /// `flock` on a file.
    Flock(PathBuf),
    /// A file that exists while a writer works, until its lease ends.
    Lease(PathBuf),
    /// Files that exist while a writer works. A writer takes all of them or none.
    Exclusive(Vec<PathBuf>),
}

/// Equal records of a file: the file, the digest of one of them, and their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqualRecords(pub String, pub u64, pub u64);

/// A change of a store, as it is shown and applied.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The verb, as on the command line.
    pub verb: &'static str,
    /// The store's root.
    pub root: PathBuf,
    /// Its format.
    pub format: &'static str,
    /// The number of records that it concerns.
    pub records: usize,
    /// The lines of its preview. Untrusted text.
    pub lines: Vec<String>,
    /// The changes of files with memories: copies first, removals last.
    pub changes: Vec<Change>,
    /// The changes of derived files, if no other program writes before.
    pub derived: Vec<Change>,
    /// The files that it was made from and does not change, with their lengths.
    pub inputs: Vec<(PathBuf, u64)>,
    /// True if derived files can be computed only after the files are changed.
    pub derive_after: bool,
    /// True if derived files may wait. The writer records that they are due.
    pub derive_later: bool,
    /// The id of a change of several stores. The plans for the other stores have the same.
    pub change: Option<String>,
    /// True if the user agreed to exactly this plan: the replaced bytes must be as shown, and changes of
    /// other programs are not joined.
    pub exact: bool,
    /// The torn records, as `file:line`, that an erasure removes together with what may be a part of them.
    pub with_torn: Vec<String>,
    /// Records that undo or redo would restore but leaves out, because another program has restored them.
    pub already_restored: Vec<EqualRecords>,
    /// Records that undo or redo would remove but leaves in place, because another program has restored them.
    pub deferred: Vec<EqualRecords>,
}

impl Plan {
    /// Returns an empty plan for a completely read store, so that nothing unread is taken for absent.
    pub fn of(verb: &'static str, seen: WholeStore<'_>) -> Plan {
        Plan::of_unread_store(verb, &seen.store().root, seen.store().format)
    }

    /// Returns an empty plan that needs nothing from the store: for a new store, and for what palimp's
    /// journal finishes or undoes.
    pub fn of_unread_store(verb: &'static str, root: &Path, format: &'static str) -> Plan {
        Plan {
            verb,
            root: root.to_owned(),
            format,
            records: 0,
            lines: Vec::new(),
            changes: Vec::new(),
            derived: Vec::new(),
            inputs: Vec::new(),
            derive_after: false,
            derive_later: false,
            change: None,
            exact: false,
            with_torn: Vec::new(),
            already_restored: Vec::new(),
            deferred: Vec::new(),
        }
    }

    /// True if it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.iter().chain(&self.derived).all(Change::is_empty)
    }

    /// True if there is something to do. The journal records an undo even if others did it before.
    pub fn is_due(&self) -> bool {
        !self.is_empty() || matches!(self.verb, "undo" | "redo")
    }

    /// Returns its preview: its lines, and every file that changes. Untrusted text.
    pub fn preview_lines(&self) -> Vec<String> {
        let file = |own: &Change| format!("{:8} {}", own.word(), self.place(&own.path).to_text());
        let files = self.all().filter(|own| !own.is_empty()).map(file);
        self.lines.iter().cloned().chain(files).collect()
    }

    /// True if its undo data is larger than the limit. Then it can't be undone.
    pub fn is_too_large_to_undo(&self) -> bool {
        self.changes.iter().map(Change::kept).sum::<u64>() > UNDO_LIMIT
    }

    /// Returns the path of one of its files, in the store or in the folder around it.
    pub fn place(&self, file: &Path) -> PathBuf {
        match (file.strip_prefix(".."), self.root.parent()) {
            (Ok(beside), Some(around)) => around.join(beside),
            _ => self.root.join(file),
        }
    }

    /// True if it only appends lines to logs of which at most the end was read.
    pub fn is_tail_append(&self) -> bool {
        let is_new = |own: &Change| own.base.as_ref().is_none_or(|base| base.known_end().is_some());
        self.derive_later && self.all().all(|own| matches!(own.act, Act::Append(_)) && is_new(own))
    }

    /// Returns every change in order.
    pub fn all(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(&self.derived)
    }

    /// Returns a short digest (FNV-1a) of what it does. Plans with equal digests do the same.
    pub fn fingerprint(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut feed = |bytes: &[u8]| {
            for byte in bytes.iter().chain(&[0]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        feed(self.verb.as_bytes());
        feed(self.root.as_os_str().as_encoded_bytes());
        // Derived changes follow from these, and their times always differ.
        for change in &self.changes {
            feed(change.path.as_os_str().as_encoded_bytes());
            feed(change.word().as_bytes());
            match &change.act {
                Act::Append(bytes) => feed(bytes),
                Act::Create(bytes) | Act::Remove(bytes) => feed(bytes),
                Act::Splice(splices) => {
                    for splice in splices {
                        feed(&splice.start.to_le_bytes());
                        feed(&splice.was);
                        feed(&splice.becomes);
                    }
                }
                Act::MakeFolder | Act::RemoveFolder | Act::Expire(_) => {}
            }
        }
        format!("{hash:016x}")
    }
}

#[cfg(test)]
mod tests;
