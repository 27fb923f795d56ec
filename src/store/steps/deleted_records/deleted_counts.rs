//! Counts how often deletions removed the same bytes without a restore since. Equal records without
//! an id may still exist.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::format::Format;
use crate::model::{Act, Change, Moment, Role, UndoRedo, Verb, is_log};
use crate::store::steps::UndoStep;
use crate::text::digest::digest;

/// The verbs that remove records. After other verbs a record exists in another form.
pub(super) const DELETING_VERBS: [Verb; 3] = [Verb::Delete, Verb::SessionDelete, Verb::Compact];
pub(super) const RESTORING_VERBS: [Verb; 2] = [Verb::Undelete, Verb::BackupRestore];

/// Returns the bytes that this undo change restores: a whole file, or lines of a log.
pub(super) fn before(change: &Change) -> Option<Vec<u8>> {
    match &change.act {
        Act::Create(bytes) => Some(bytes.to_vec()),
        Act::Splice(splices) if is_log(&change.path) => {
            Some(splices.iter().flat_map(|own| own.becomes.iter().copied()).collect())
        }
        _ => None,
    }
}

/// The number of removed records, by file and digest of their bytes.
pub struct DeletedCounts {
    format: &'static dyn Format,
    now: Moment,
    counts: HashMap<(PathBuf, u128), i64>,
    /// The steps that were undone or redone; true if undo was last.
    turned: HashMap<u64, bool>,
}

impl DeletedCounts {
    pub fn new(format: &'static dyn Format, now: Moment) -> DeletedCounts {
        DeletedCounts { format, now, counts: HashMap::new(), turned: HashMap::new() }
    }

    /// Counts a step, the newest first. Returns true if it deleted records and is not undone.
    pub fn see(&mut self, number: u64, step: &UndoStep) -> bool {
        match step.line.turn {
            Some(UndoRedo::Undo(other)) => drop(self.turned.entry(other).or_insert(true)),
            Some(UndoRedo::Redo(other)) => drop(self.turned.entry(other).or_insert(false)),
            None => {}
        }
        let is = |verbs: &[Verb]| verbs.contains(&step.line.verb);
        let in_effect = step.line.turn.is_none() && self.turned.get(&number) != Some(&true);
        if in_effect && (is(&DELETING_VERBS) || is(&RESTORING_VERBS)) {
            step.changes.iter().for_each(|change| self.count(change));
        }
        in_effect && is(&DELETING_VERBS)
    }

    /// Counts a change's undo data: the step removed what the undo adds.
    fn count(&mut self, back: &Change) {
        match &back.act {
            Act::Create(bytes) => self.add(&back.path, bytes, 1),
            Act::Remove(bytes) => self.add(&back.path, bytes, -1),
            Act::Splice(splices) if is_log(&back.path) => {
                for own in splices {
                    self.add(&back.path, &own.becomes, 1);
                    self.add(&back.path, &own.was, -1);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, path: &Path, bytes: &[u8], count: i64) {
        let mut one = |raw: &[u8]| *self.counts.entry((path.to_owned(), digest(raw))).or_default() += count;
        if !is_log(path) {
            return one(bytes);
        }
        for record in self.format.read(Role::Records, path, bytes, self.now).records {
            one(bytes.get(record.span.range()).unwrap_or_default());
        }
    }

    /// True if one more record with these bytes was removed. Each call uses up one.
    pub fn next(&mut self, path: &Path, raw: &[u8]) -> bool {
        let left = self.counts.get_mut(&(path.to_owned(), digest(raw))).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }
}
