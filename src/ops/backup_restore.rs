//! `backup diff` and `backup restore`: compare a copy of a file with the file, and restore records.
//! What a comparison says about a record is what the plan does with it.

mod backup_damage;
mod compare;
mod copy_facts;
mod replace_file;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use compare::compare;
pub use copy_facts::CopyFacts;
use replace_file::replace;

use super::effect::named;
use super::{Refusal, Result, WriteContext, backups, base, check, plan_and_after, writes};
use crate::format::writing::document;
use crate::format::{Format, Placement};
use crate::model::key::{Key, ParsedKey};
use crate::model::{Change, Moment, Plan, Role, Span, plan::count_with_noun};

/// What happened to a record since the copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// Only the copy has it. It is restored.
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
    pub const ALL: [DifferenceKind; 9] = [
        DifferenceKind::Missing,
        DifferenceKind::Changed,
        DifferenceKind::Deleted,
        DifferenceKind::Tombstoned,
        DifferenceKind::Erased,
        DifferenceKind::Newer,
        DifferenceKind::Absent,
        DifferenceKind::Elsewhere,
        DifferenceKind::Unreadable,
    ];

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDifference {
    /// What happened to it.
    pub kind: DifferenceKind,
    /// Its id.
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
    /// Its first byte in the file, and one past its last.
    place: Option<(usize, usize)>,
}

impl RecordDifference {
    fn span(&self) -> Span {
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

    /// Returns the deleted records.
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
        let mut own: Vec<&RecordDifference> =
            self.items.iter().filter(|item| self.has_key(root, item, key)).collect();
        own.sort_by_key(|item| item.at);
        own.get(key.number as usize - 1).or(own.last()).copied()
    }

    /// True if the file has a record with this id or key, and the copy has no version of it.
    pub fn is_only_here(&self, root: &Path, name: &str) -> bool {
        let key = match Key::read(name) {
            Some(ParsedKey::Key(key)) => Some(key),
            _ => None,
        };
        self.items.iter().filter(|item| item.kind.is_only_here()).any(|item| {
            let own = Key::alone(root, &self.file, &item.is);
            item.id.as_deref() == Some(name)
                || key.as_ref().is_some_and(|key| (own.file, own.record) == (key.file, key.record))
        })
    }

    fn has_key(&self, root: &Path, item: &RecordDifference, key: &Key) -> bool {
        self.key(root, item).is_some_and(|own| (own.file, own.record) == (key.file, key.record))
    }

    /// Returns the key of the record in the file; `None` if it was erased (its key is secret), or
    /// is not in the copy.
    pub fn key(&self, root: &Path, item: &RecordDifference) -> Option<Key> {
        (!item.was.is_empty()).then(|| Key::alone(root, &self.file, &item.was))
    }

    /// Returns the chosen records of a kind that can be restored, in the copy's order.
    fn to_come(&self, chosen: &HashSet<u64>, kind: DifferenceKind) -> Vec<&RecordDifference> {
        let is = |item: &&RecordDifference| item.can_come && item.kind == kind && chosen.contains(&item.at);
        let mut own: Vec<&RecordDifference> = self.items.iter().filter(is).collect();
        own.sort_by_key(|item| item.at);
        own
    }
}

fn role(format: &dyn Format, file: &Path) -> Role {
    match format.place(file, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    }
}

/// Joins the lines of a record into one line.
fn one_line(raw: &[u8]) -> Vec<u8> {
    raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

/// Plans to restore the chosen records of a copy, or the whole file. A missing file that can only
/// be restored as a whole is restored as a whole, since this replaces nothing. The whole file
/// contains deleted records only if they were chosen.
pub fn bring_back(
    scene: &WriteContext<'_>,
    comparison: &BackupComparison,
    (chosen, whole): (&HashSet<u64>, bool),
    copy: &[u8],
    facts: &CopyFacts,
) -> Result<Plan> {
    let is_gone = document(&scene.store.documents, &comparison.file).is_none();
    match whole || comparison.whole_only.is_some() && is_gone {
        true => replace(scene, comparison, chosen, (copy, facts)),
        false => restore(scene, comparison, chosen),
    }
}

/// Plans to restore the records that start at these places in the copy. Missing and deleted ones go
/// to the end of the file, changed ones to their present place.
pub fn restore(
    scene: &WriteContext<'_>,
    comparison: &BackupComparison,
    chosen: &HashSet<u64>,
) -> Result<Plan> {
    let (_, writes) = writes(scene.store)?;
    if let Some(why) = &comparison.whole_only {
        return Err(Refusal::unfit(format!("{why}.")));
    }
    let mut missing = comparison.to_come(chosen, DifferenceKind::Missing);
    missing.extend(comparison.to_come(chosen, DifferenceKind::Deleted));
    missing.sort_by_key(|item| item.at);
    let changed = comparison.to_come(chosen, DifferenceKind::Changed);
    let lines: Vec<u8> =
        missing.iter().flat_map(|item| [one_line(&item.was), b"\n".to_vec()].concat()).collect();
    let edits = changed.iter().filter_map(|item| {
        let (start, end) = item.place?;
        Some((start..end, one_line(&item.was)))
    });
    let there = document(&scene.store.documents, &comparison.file).map(base);
    let change = match (&there, changed.is_empty()) {
        (Some(there), false) => {
            Change::edits(&comparison.file, there.clone(), edits.collect()).and_append(&lines)
        }
        _ => Change::append(&comparison.file, lines, there),
    };
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    let (mut plan, after) = plan_and_after("backup restore", scene, missing.len() + changed.len(), all)?;
    plan.lines.push(told(missing.len(), changed.len(), comparison, chosen));
    plan.lines.extend(comparison.damage.clone());
    plan.lines.extend(left_out(scene, comparison, chosen));
    plan.lines.extend(comparison.doubts.iter().cloned());
    check(scene, &plan, &after)?;
    Ok(plan)
}

/// Names the records that are not restored, because they were deleted or share an id.
fn left_out(scene: &WriteContext<'_>, comparison: &BackupComparison, chosen: &HashSet<u64>) -> Vec<String> {
    let deleted = comparison.deleted().filter(|item| !chosen.contains(&item.at));
    let tombstoned =
        comparison.items.iter().filter(|item| item.kind == DifferenceKind::Tombstoned && !item.is_as_it_was);
    let mut lines: Vec<String> = deleted
        .chain(tombstoned)
        .map(|item| comparison.named(&scene.store.root, item, "is left out"))
        .collect();
    let shares = comparison.items.iter().filter(|item| item.can_come && item.shares);
    let line = |item: &RecordDifference| {
        let key = comparison.key(&scene.store.root, item)?;
        let id = item.id.as_deref().unwrap_or_default();
        Some(format!("left out: {id}, as {}: {key}", item.told))
    };
    if *chosen == comparison.by_default() {
        lines.extend(shares.filter(|item| item.kind != DifferenceKind::Deleted).filter_map(line));
    }
    lines
}

impl BackupComparison {
    /// Says what happens to a record, with its id, or with the key of a deleted one without its own id.
    fn named(&self, root: &Path, item: &RecordDifference, fate: &str) -> String {
        let is_unnamed = (item.id.is_none() || item.shares) && item.kind == DifferenceKind::Deleted;
        let key = is_unnamed.then(|| self.key(root, item)).flatten().map(|key| key.to_string());
        let name = key.as_deref().or(item.id.as_deref());
        format!("{} {}", item.kind.sign(), named(&item.title, &[fate, &item.told], name))
    }
}

fn told(missing: usize, changed: usize, comparison: &BackupComparison, chosen: &HashSet<u64>) -> String {
    let now = comparison.records;
    let (newer, absent) = (comparison.count(DifferenceKind::Newer), comparison.count(DifferenceKind::Absent));
    let left = comparison.deleted().filter(|item| !chosen.contains(&item.at)).count();
    let mut parts = vec![format!("+{missing} to restore")];
    parts.extend((changed > 0).then(|| format!("~{changed} to change back")));
    parts.extend((left > 0).then(|| format!("⊘{left} deleted since are left out")));
    parts.extend((newer > 0).then(|| format!("−{newer} newer are kept")));
    parts.extend((absent > 0).then(|| format!("−{absent} that the backup lacks are kept")));
    format!("{}: {now} → {}", parts.join(", "), count_with_noun((now + missing) as u64, "memory"))
}
