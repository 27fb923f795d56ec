//! A change before it is an act: which files, which bytes, what follows from them.
//!
//! A plan binds bytes: every splice names what it replaces, so that nothing that arrived
//! since is ever hit. What is shown as a preview is the plan that is carried out.

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

/// What happens to one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A folder is made.
    MakeFolder,
    /// A file is made where none is.
    Create(Bytes),
    /// Whole lines are added at the end; the file is made if it is absent.
    Append(Vec<u8>),
    /// Stretches of the file are replaced, in ascending order.
    Splice(Vec<Splice>),
    /// The file, which has these bytes, goes.
    Remove(Bytes),
    /// A folder goes, if it is empty.
    RemoveFolder,
    /// A copy of so many bytes that is too old goes. What it held is read when it does.
    Expire(u64),
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the store's root; what is beside the store starts with `..`.
    pub path: PathBuf,
    /// What happens.
    pub act: Act,
    /// The file's bytes as the plan was made of them; absent where there is no such file.
    pub base: Option<Bytes>,
    /// Permission bits for what is made; the mode of what is there stays.
    pub mode: u32,
    /// What comes back had this when it was removed.
    pub attributes: Option<Arc<FileAttributes>>,
}

/// So many bytes of a store are kept for undoing steps.
pub const UNDO_LIMIT: u64 = 256 << 20;
/// The mode of what we create.
pub const PRIVATE_MODE: u32 = 0o600;
/// The mode of what is shared with others in a checkout: it follows the umask.
pub const SHARED_MODE: u32 = 0o666;

impl Change {
    /// Whether old content goes: another name of the file keeps it.
    pub fn replaces(&self) -> bool {
        matches!(self.act, Act::Splice(_) | Act::Remove(_))
    }

    /// A new private file.
    pub fn create(path: impl Into<PathBuf>, bytes: impl Into<Bytes>) -> Change {
        Change {
            path: path.into(),
            act: Act::Create(bytes.into()),
            base: None,
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Lines at the end of a file that has `base`, or of one that is not there.
    pub fn append(path: impl Into<PathBuf>, lines: impl Into<Vec<u8>>, base: Option<Bytes>) -> Change {
        Change {
            path: path.into(),
            act: Act::Append(lines.into()),
            base,
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// Edits of a file that has `base`, each a range of bytes and what it becomes.
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

    /// A file that has `base` and is to have `bytes`.
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

    /// A file that goes.
    pub fn remove(path: impl Into<PathBuf>, base: Bytes) -> Change {
        Change {
            path: path.into(),
            act: Act::Remove(base.clone()),
            base: Some(base),
            mode: PRIVATE_MODE,
            attributes: None,
        }
    }

    /// A folder that is made.
    pub fn make_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::MakeFolder, base: None, mode: 0o700, attributes: None }
    }

    /// A folder that goes, if it is empty.
    pub fn remove_folder(path: impl Into<PathBuf>) -> Change {
        Change { path: path.into(), act: Act::RemoveFolder, base: None, mode: 0o700, attributes: None }
    }

    /// A copy of so many bytes that is too old.
    pub fn expire(path: impl Into<PathBuf>, len: u64) -> Change {
        Change { path: path.into(), act: Act::Expire(len), base: None, mode: PRIVATE_MODE, attributes: None }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        match &self.act {
            Act::Append(bytes) => bytes.is_empty(),
            Act::Splice(splices) => splices.iter().all(|splice| splice.was == splice.becomes),
            _ => false,
        }
    }

    /// The file's bytes afterwards; `None` where there is none.
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

    /// The stretches that are replaced, where that is what it does; lines that are added replace nothing.
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

    /// The file's length before; 0 where there is none.
    pub fn len_before(&self) -> u64 {
        match (&self.base, &self.act) {
            (Some(base), _) => base.len() as u64,
            (None, Act::Expire(len)) => *len,
            (None, _) => 0,
        }
    }

    /// The file's length afterwards.
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

    /// What undoes it.
    pub fn inverse(&self) -> Change {
        Change { base: self.after(), ..self.bare_inverse() }
    }

    /// The same without the bytes that it starts from.
    pub fn bare_inverse(&self) -> Change {
        let act = match &self.act {
            Act::MakeFolder => Act::RemoveFolder,
            Act::RemoveFolder => Act::MakeFolder,
            // Who carries it out reads what comes back; here, lines that are added are none.
            Act::Expire(_) => Act::Append(Vec::new()),
            Act::Create(bytes) => Act::Remove(bytes.clone()),
            Act::Remove(was) => Act::Create(was.clone()),
            Act::Splice(splices) => Act::Splice(inverse(splices)),
            Act::Append(bytes) => match &self.base {
                Some(before) => {
                    // Its last two lines are all of the file that this is about.
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

    /// So many bytes undo it.
    fn kept(&self) -> u64 {
        match &self.act {
            Act::Append(bytes) => bytes.len() as u64,
            Act::Remove(bytes) => bytes.len() as u64,
            Act::Splice(own) => own.iter().map(|own| (own.was.len() + own.becomes.len()) as u64).sum(),
            // Of what is made a digest is enough; what is too old stays away where it is large.
            Act::Create(_) | Act::Expire(_) | Act::MakeFolder | Act::RemoveFolder => 0,
        }
    }

    /// The word in `--json`.
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

/// How the writers of a format keep apart. Paths are relative to the store's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// By nothing.
    None,
    /// `flock` on a file.
    Flock(PathBuf),
    /// A file that is there while a writer is at work, for as long as its lease says.
    Lease(PathBuf),
    /// Files that are there while a writer is at work; all or none are taken.
    Exclusive(Vec<PathBuf>),
}

/// Equal records of a file: the file, a digest of one of them, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqualRecords(pub String, pub u64, pub u64);

/// A change of a store, as it is shown and as it is carried out.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The verb, as on the command line.
    pub verb: &'static str,
    /// The store's root.
    pub root: PathBuf,
    /// Its format.
    pub format: &'static str,
    /// How many records it concerns.
    pub records: usize,
    /// What a person is told: a line each. Untrusted text.
    pub lines: Vec<String>,
    /// The files that hold memories: copies first, removals last.
    pub changes: Vec<Change>,
    /// What is derived from them, as it will be if nobody else writes meanwhile.
    pub derived: Vec<Change>,
    /// The files that it was made of, the changed ones left out, with their lengths.
    pub inputs: Vec<(PathBuf, u64)>,
    /// Whether what is derived has to be worked out when the files are changed.
    pub derive_after: bool,
    /// Whether what is derived may wait: it is written down that it is due.
    pub derive_later: bool,
    /// The change of several stores of which it is a part: the plans of the others have the same.
    pub change: Option<String>,
    /// Whether the user agreed to it as it is: what it replaces has to be as it was shown, and
    /// is not joined with what others made of it meanwhile.
    pub exact: bool,
    /// Where an erasure takes something with the torn record before it, as it may be a part of that:
    /// `file:line`.
    pub with_torn: Vec<String>,
    /// Records that a turn would bring and leaves out, as another program has brought them.
    pub already_restored: Vec<EqualRecords>,
    /// Records that a turn would take and leaves where they are, as another program has brought them.
    pub deferred: Vec<EqualRecords>,
}

impl Plan {
    /// A plan that does nothing yet, for a store that was read whole: what was not seen is not
    /// taken for absent.
    pub fn of(verb: &'static str, seen: WholeStore<'_>) -> Plan {
        Plan::of_unread_store(verb, &seen.store().root, seen.store().format)
    }

    /// The same for what needs nothing of the store to have been read: a store that is made, and
    /// what our own journal finishes or undoes.
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

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.iter().chain(&self.derived).all(Change::is_empty)
    }

    /// Whether there is something to carry out: of a step that others undid already the journal says so.
    pub fn is_due(&self) -> bool {
        !self.is_empty() || matches!(self.verb, "undo" | "redo")
    }

    /// What a person is told of it: its lines, and every file that changes. Untrusted text.
    pub fn preview_lines(&self) -> Vec<String> {
        let file = |own: &Change| format!("{:8} {}", own.word(), self.place(&own.path).to_text());
        let files = self.all().filter(|own| !own.is_empty()).map(file);
        self.lines.iter().cloned().chain(files).collect()
    }

    /// Whether what undoes it is more than is kept: then nothing does.
    pub fn is_too_large_to_undo(&self) -> bool {
        self.changes.iter().map(Change::kept).sum::<u64>() > UNDO_LIMIT
    }

    /// Where a file of it is: in the store, or in the folder around it.
    pub fn place(&self, file: &Path) -> PathBuf {
        match (file.strip_prefix(".."), self.root.parent()) {
            (Ok(beside), Some(around)) => around.join(beside),
            _ => self.root.join(file),
        }
    }

    /// Whether it only adds lines, to logs of which nothing but the end was read.
    pub fn is_tail_append(&self) -> bool {
        let is_new = |own: &Change| own.base.as_ref().is_none_or(|base| base.known_end().is_some());
        self.derive_later && self.all().all(|own| matches!(own.act, Act::Append(_)) && is_new(own))
    }

    /// Every change in order.
    pub fn all(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(&self.derived)
    }

    /// A short digest (FNV-1a) of what it does: equal plans do the same.
    pub fn fingerprint(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut feed = |bytes: &[u8]| {
            for byte in bytes.iter().chain(&[0]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        feed(self.verb.as_bytes());
        feed(self.root.as_os_str().as_encoded_bytes());
        // What is derived follows, and its times differ from moment to moment.
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
