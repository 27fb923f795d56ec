//! How a backup differs from the store.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::format::{Format, Placement};
use crate::model::key::Key;
use crate::model::{Moment, Role, Span};
use crate::ops::effect_lines::named;

/// What happened to a record since the copy was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// Only the copy has it. It is restored.
    #[default]
    Missing,
    /// Both have it, with different content. It is changed back if it is chosen.
    Changed,
    /// It was deleted since. It is restored if it is chosen.
    Deleted,
    /// A tombstone names it.
    Tombstoned,
    /// It was erased on purpose: it can't be restored.
    Erased,
    /// It was written after the copy. It is kept, but replacing the whole file loses it.
    Newer,
    /// The copy lacks it, but its date is before the copy. It is kept, unless the whole file is replaced.
    Absent,
    /// It is in another file of the store.
    Elsewhere,
    /// It can't be read: it is only restored with the whole file.
    Unreadable,
}

impl DifferenceKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [DifferenceKind; 9] = {
        use DifferenceKind::*;
        [Missing, Changed, Deleted, Tombstoned, Erased, Newer, Absent, Elsewhere, Unreadable]
    };

    /// Returns the word in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            DifferenceKind::Missing => "missing",
            DifferenceKind::Changed => "changed",
            DifferenceKind::Deleted => "deleted",
            DifferenceKind::Newer => "newer",
            DifferenceKind::Absent => "absent",
            DifferenceKind::Tombstoned => "tombstoned",
            DifferenceKind::Erased => "erased",
            DifferenceKind::Elsewhere => "elsewhere",
            DifferenceKind::Unreadable => "unreadable",
        }
    }

    /// Returns the sign, which is the same everywhere.
    pub fn sign(self) -> &'static str {
        match self {
            DifferenceKind::Missing => "+",
            DifferenceKind::Changed => "~",
            DifferenceKind::Newer | DifferenceKind::Absent => "−",
            DifferenceKind::Deleted | DifferenceKind::Tombstoned | DifferenceKind::Erased => "⊘",
            DifferenceKind::Elsewhere => "·",
            DifferenceKind::Unreadable => "✖",
        }
    }

    /// True if the file has the record and the copy has no version of it.
    pub fn is_only_here(self) -> bool {
        matches!(self, DifferenceKind::Newer | DifferenceKind::Absent)
    }
}

/// A record that differs between a copy and the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordDifference {
    /// What happened to it.
    pub kind: DifferenceKind,
    pub id: Option<String>,
    /// Its line in the copy; for a newer record, in the file.
    pub line: u32,
    /// Its first byte in the copy; for a newer record, in the file.
    pub at: u64,
    /// Its title; empty if it was erased. Untrusted text.
    pub title: String,
    /// The reason for the kind, in a few words. Untrusted text.
    pub told: String,
    /// When it was written, by its own date.
    pub written: Option<Moment>,
    /// Its bytes in the copy; empty if it was erased or is newer.
    pub was: Vec<u8>,
    /// Its bytes in the file, if it is changed or newer.
    pub is: Vec<u8>,
    /// True if it can be restored or changed back alone.
    pub can_come: bool,
    /// True if the file has the same bytes, even if a tombstone names the record.
    pub is_as_it_was: bool,
    /// True if it was moved to another file of the store: restored, it would be in both.
    pub has_moved: bool,
    /// True if the file has another record with its id.
    pub shares: bool,
    /// Its bytes in the file.
    pub(super) place: Option<Range<usize>>,
}

impl RecordDifference {
    pub(super) fn span(&self) -> Span {
        Span { start: self.at, end: self.at + self.was.len() as u64 }
    }
}

/// The differences between a copy of a file and the file.
#[derive(Clone, Debug)]
pub struct BackupComparison {
    /// The file, relative to the store's root.
    pub file: PathBuf,
    /// The differences by kind, restorable kinds first; within a kind in the copy's order.
    pub items: Vec<RecordDifference>,
    /// The number of records in the file.
    pub records: usize,
    /// Why single records can't be restored. Then the file can only be restored as a whole.
    pub whole_only: Option<String>,
    /// True if the file exists and equals the copy.
    pub is_alike: bool,
    /// True if its records are deletions of other records.
    pub deletes: bool,
    /// True if the copy lacks its end.
    pub ends_early: bool,
    /// What is broken in the copy, as a sentence.
    pub damage: Option<String>,
    /// Sentences about deletions since the copy that are not fully known.
    pub doubts: Vec<String>,
}

impl BackupComparison {
    /// Returns the number of records of a kind.
    pub fn count(&self, kind: DifferenceKind) -> usize {
        self.items.iter().filter(|item| item.kind == kind).count()
    }

    pub fn deleted(&self) -> impl Iterator<Item = &RecordDifference> {
        self.items.iter().filter(|item| item.kind == DifferenceKind::Deleted)
    }

    /// Returns the starts of the records restored by default: missing ones whose id no other record has.
    pub fn by_default(&self) -> HashSet<u64> {
        let missing = self.items.iter().filter(|item| item.kind == DifferenceKind::Missing && item.can_come);
        missing.filter(|item| !item.shares).map(|item| item.at).collect()
    }

    /// Returns the restorable records with an id.
    pub fn of_id(&self, id: &str) -> Vec<&RecordDifference> {
        self.items.iter().filter(|item| item.can_come && item.id.as_deref() == Some(id)).collect()
    }

    /// Returns the record that a key names. A key contains the path of the file, not of the copy.
    pub fn of_key(&self, root: &Path, key: &Key) -> Option<&RecordDifference> {
        let is_named = |item: &&RecordDifference| {
            self.key(root, item).is_some_and(|own| (own.file, own.record) == (key.file, key.record))
        };
        let mut own: Vec<&RecordDifference> = self.items.iter().filter(is_named).collect();
        own.sort_by_key(|item| item.at);
        own.get(key.number as usize - 1).or(own.last()).copied()
    }

    /// True if the file has a record with this id or key, and the copy has no version of it.
    pub fn is_only_here(&self, root: &Path, name: &str) -> bool {
        let key = Key::read(name);
        self.items.iter().filter(|item| item.kind.is_only_here()).any(|item| {
            let own = Key::alone(root, &self.file, &item.is);
            item.id.as_deref() == Some(name)
                || key.as_ref().is_some_and(|key| (own.file, own.record) == (key.file, key.record))
        })
    }

    /// Returns the key of the record in the file; `None` if it was erased (its key is secret), or
    /// is not in the copy.
    pub fn key(&self, root: &Path, item: &RecordDifference) -> Option<Key> {
        (!item.was.is_empty()).then(|| Key::alone(root, &self.file, &item.was))
    }

    /// Returns the chosen records of these kinds that can be restored, in the copy's order.
    pub(super) fn to_come(&self, chosen: &HashSet<u64>, kinds: &[DifferenceKind]) -> Vec<&RecordDifference> {
        let is = |item: &&RecordDifference| {
            item.can_come && kinds.contains(&item.kind) && chosen.contains(&item.at)
        };
        let mut own: Vec<&RecordDifference> = self.items.iter().filter(is).collect();
        own.sort_by_key(|item| item.at);
        own
    }

    /// Says what happens to a record, with its id, or with the key of a deleted one without its own id.
    pub fn named(&self, root: &Path, item: &RecordDifference, fate: &str) -> String {
        let is_unnamed = (item.id.is_none() || item.shares) && item.kind == DifferenceKind::Deleted;
        let key = is_unnamed.then(|| self.key(root, item)).flatten().map(|key| key.to_string());
        let name = key.as_deref().or(item.id.as_deref());
        format!("{} {}", item.kind.sign(), named(&item.title, &[fate, &item.told], name))
    }
}

pub(crate) fn role(format: &dyn Format, file: &Path) -> Role {
    match format.place(file, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    }
}
