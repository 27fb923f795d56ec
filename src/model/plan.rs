//! A change before it is applied: its files, its bytes, and what follows from them.
//!
//! A plan binds bytes: every splice has the bytes that it replaces, so that it never hits what another
//! program wrote since. The preview shows the plan that is applied.

pub mod effect;
pub mod splice;

use std::path::{Path, PathBuf};

use super::{Act, ArchivedItem, Change, PathText, Verb, WholeStore};
use crate::model::plan::change::UNDO_LIMIT;
use crate::model::plan::effect::{EffectKind, MemoryEffect};

pub use splice::{
    Splice, SplicedPart, apply, difference, inverse, last_line, line_end_for, part_at, pieces, shared_lines,
    spliced_parts, whole_lines,
};

/// Returns a count with its noun: "1 memory", "2 memories".
pub fn count_with_noun(count: u64, what: &str) -> String {
    let several = match what.strip_suffix("ry") {
        Some(stem) => format!("{stem}ries"),
        None if what.ends_with('x') => format!("{what}es"),
        None => format!("{what}s"),
    };
    if count == 1 { format!("1 {what}") } else { format!("{count} {several}") }
}

/// How the writers of a format exclude each other. Paths are relative to the store's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Not at all.
    None,
    /// `flock` on a file that stays. Never broken by force: it ends with its process.
    Flock(PathBuf),
    /// A file that exists while a writer works, until its lease ends: five seconds after it was taken.
    Lease(PathBuf),
    /// Files that exist while a writer works, without a time-out. A writer takes all of them or none.
    Exclusive(Vec<PathBuf>),
}

impl Lock {
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Lock::Flock(path) | Lock::Lease(path) => std::slice::from_ref(path),
            Lock::Exclusive(paths) => paths,
            Lock::None => &[],
        }
    }

    /// Returns the same lock with other paths.
    pub fn with_paths(self, path: impl Fn(&Path) -> PathBuf) -> Lock {
        match self {
            Lock::None => Lock::None,
            Lock::Flock(file) => Lock::Flock(path(&file)),
            Lock::Lease(file) => Lock::Lease(path(&file)),
            Lock::Exclusive(files) => Lock::Exclusive(files.iter().map(|file| path(file)).collect()),
        }
    }
}

/// A change of a store, as it is shown and applied.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The verb, as on the command line.
    pub verb: Verb,
    /// The store's root.
    pub root: PathBuf,
    pub format: &'static str,
    /// A digest of what was asked for.
    pub asked: u64,
    /// The number of records that it concerns.
    pub records: usize,
    /// The lines of its preview. Untrusted text.
    pub lines: Vec<String>,
    /// What it does to which memories: those of the store in their order, then what it adds.
    pub effects: Vec<MemoryEffect>,
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
    /// Records that undo or redo leaves out, because another program has restored them: file, digest and number.
    pub already_restored: Vec<(String, u64, u64)>,
    /// The memories that it puts into palimp's own archive.
    pub archived: Vec<ArchivedItem>,
    /// The names of those that it brings back from there.
    pub brought_back: Vec<String>,
}

/// The outcome of a change, with notes for the user.
#[derive(Clone, Debug)]
pub struct CommitReceipt {
    /// The step's number, which `undo` takes.
    pub step: u64,
    /// Differences from what was shown, such as lines that others added.
    pub notes: Vec<String>,
    /// True if the journal has the step. If not, a note says so, and the next start adds it.
    pub is_journalled: bool,
    /// True if indexes and counts are still to be rebuilt.
    pub waits: bool,
    /// The plan that was carried out. It differs from the shown one if that was made again.
    pub plan: Plan,
}

impl Plan {
    /// Returns an empty plan for a completely read store, so that nothing unread is taken for absent.
    pub fn of(verb: Verb, seen: WholeStore<'_>) -> Plan {
        Plan::of_unread_store(verb, &seen.store().root, seen.store().format)
    }

    /// Returns an empty plan that needs nothing from the store: for a new store, and for what palimp's
    /// journal finishes or undoes.
    pub fn of_unread_store(verb: Verb, root: &Path, format: &'static str) -> Plan {
        Plan { verb, root: root.to_owned(), format, ..Plan::default() }
    }

    /// True if both do the same to the same memories: then a yes to one holds for the other.
    pub fn has_same_effects(&self, other: &Plan) -> bool {
        let outlines = |plan: &Plan| {
            let mut outlines: Vec<String> = plan.effects.iter().map(MemoryEffect::outline).collect();
            outlines.sort();
            outlines
        };
        (&self.verb, self.records) == (&other.verb, other.records) && outlines(self) == outlines(other)
    }

    /// Returns a line for each memory that it adds. Untrusted text.
    pub fn additions(&self) -> Vec<String> {
        let added = self.effects.iter().filter(|effect| effect.kind == EffectKind::Add);
        added.map(|effect| format!("adds {}", effect.name())).collect()
    }

    /// True if it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.iter().chain(&self.derived).all(Change::is_empty)
    }

    /// True if there is something to do. The journal records an undo even if others did it before.
    pub fn is_due(&self) -> bool {
        !self.is_empty() || matches!(self.verb, Verb::Undo | Verb::Redo)
    }

    /// Returns its preview: its lines, and every file that changes. Untrusted text.
    pub fn preview_lines(&self) -> Vec<String> {
        let file = |own: &Change| format!("{:8} {}", own.kind(), self.place(&own.path).to_text());
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

    /// Returns the entries whose bytes it takes from where they are, in the store's order.
    pub fn touched_entries(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter(|own| own.kind.takes_bytes()).filter_map(|own| own.entry)
    }

    /// Returns every change in order.
    pub fn all(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(&self.derived)
    }

    /// Returns a short digest of what was asked for and of what it replaces. Plans with equal digests do the same; the
    /// times that they write, and the random part of a new name, may differ.
    pub fn fingerprint(&self) -> String {
        let mut parts = vec![self.verb.as_str().as_bytes(), self.root.as_os_str().as_encoded_bytes()];
        let asked = self.asked.to_le_bytes();
        // Derived files follow from the others.
        let derived = if self.changes.is_empty() { &self.derived } else { &self.changes };
        let replaced: Vec<&Change> = derived.iter().collect();
        parts.push(&asked);
        let places: Vec<u8> = replaced.iter().copied().flat_map(replaced_place).collect();
        parts.push(&places);
        for change in replaced {
            // The path of a new file may have a random part, or a time.
            let is_new = matches!(change.act, Act::Create(_) | Act::MakeFolder);
            let path = if is_new { Path::new("") } else { &*change.path };
            parts.push(path.as_os_str().as_encoded_bytes());
            match &change.act {
                Act::Remove(bytes) => parts.push(bytes),
                Act::Splice(splices) => parts.extend(splices.iter().map(|splice| &*splice.was)),
                _ => {}
            }
        }
        format!("{:016x}", digest(parts))
    }
}

/// The kind of a change, and the places that it replaces, in bytes.
fn replaced_place(change: &Change) -> Vec<u8> {
    let kind = change.kind().as_str().as_bytes().to_vec();
    let places = match &change.act {
        Act::Splice(splices) => splices.iter().flat_map(|splice| splice.start.to_le_bytes()).collect(),
        Act::Append(_) => change.len_before().to_le_bytes().to_vec(),
        _ => Vec::new(),
    };
    [kind, places].concat()
}

/// A digest (FNV-1a) that tells things apart, and protects nothing.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let bytes = parts.into_iter().flat_map(|part| part.iter().chain(&[0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

pub mod change;
#[cfg(test)]
mod tests;
