//! Finds a record by its old key after palimp's steps moved or rewrote it with a change of state.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::RealDisk;
use crate::format::{self, Format, Placement};
use crate::model::key::Key;
use crate::model::plan::apply;
use crate::model::{
    Act, Change, Document, JournalLine, Moment, Record, Role, Store, UndoRedo, Verb, deleted_from, is_log,
};
use crate::store::commit::Vault;
use crate::store::commit::vault::undo_step::UndoStep;
use crate::store::compressed_files::contents;

/// The verbs that change the state of a record and not its contents.
const STATES: [Verb; 9] = [
    Verb::Delete,
    Verb::Undelete,
    Verb::Archive,
    Verb::Unarchive,
    Verb::SessionArchive,
    Verb::SessionUnarchive,
    Verb::Maintain,
    Verb::Compact,
    Verb::BackupRestore,
];

/// A record as it was in a file.
struct TrackedRecord {
    path: PathBuf,
    raw: Vec<u8>,
    id: Option<String>,
    /// Its key, if no other record of the file was equal to it.
    key: Key,
}

impl TrackedRecord {
    fn is(&self, other: &TrackedRecord) -> bool {
        self.path == other.path && self.raw == other.raw
    }

    /// Returns what a step made of it: a record with the same contents, or the same id.
    fn counterpart<'s>(&self, come: &'s [TrackedRecord]) -> Option<&'s TrackedRecord> {
        let has_id = |own: &&TrackedRecord| self.id.is_some() && own.id == self.id;
        come.iter().find(|own| own.raw == self.raw).or_else(|| come.iter().find(has_id))
    }
}

/// The records that a step removed from files and added to files.
struct StepRecords {
    gone: Vec<TrackedRecord>,
    come: Vec<TrackedRecord>,
}

/// The steps that changed the states of a store's records. They are read once for any number of keys.
pub struct RecordTracker<'a> {
    format: &'static dyn Format,
    store: &'a Store,
    now: Moment,
    /// The oldest first.
    stages: Vec<StepRecords>,
}

impl<'a> RecordTracker<'a> {
    /// Reads the steps whose undo data is kept.
    pub fn of(data: &Path, store: &'a Store, now: Moment) -> Option<RecordTracker<'a>> {
        let vault = Vault::open_read_only(&RealDisk, data, &store.root);
        let format = format::by_name(store.format)?;
        let mut tracker = RecordTracker { format, store, now, stages: Vec::new() };
        tracker.stages = tracker.stages(&vault);
        Some(tracker)
    }

    /// Returns the number of the record that a key named before palimp's steps changed its state.
    pub fn find(&self, key: &Key) -> Option<u32> {
        // If records are equal, it is unknown which one the key named.
        if key.of != 1 {
            return None;
        }
        let mut at: Option<&TrackedRecord> = None;
        for stage in &self.stages {
            let is_it = |own: &&TrackedRecord| at.map_or(own.key == *key, |at| own.is(at));
            let Some(gone) = stage.gone.iter().find(is_it) else { continue };
            at = Some(gone.counterpart(&stage.come).unwrap_or(gone));
        }
        self.number_of(at?)
    }

    /// Returns the number of a record in the store: in its file, or in another one.
    fn number_of(&self, piece: &TrackedRecord) -> Option<u32> {
        let documents = || (0..).zip(&self.store.documents);
        let own = |(number, document): (u32, &'_ Arc<Document>)| {
            document.records_of_key(&piece.key).find_map(|record| self.store.entry_number(number, record))
        };
        let is_there = |(_, document): &(u32, &Arc<Document>)| {
            deleted_from(&document.path).unwrap_or(&document.path) == piece.path
        };
        documents().filter(is_there).find_map(own).or_else(|| documents().find_map(own))
    }
}

/// Returns the verb of a step. An undo or a redo has the verb of the step that it undid or redid.
fn verb<'a>(journal: &'a [JournalLine], step: &'a UndoStep) -> &'a Verb {
    let line = step.line.turn.and_then(|turn| {
        let (UndoRedo::Undo(number) | UndoRedo::Redo(number)) = turn;
        journal.iter().find(|line| line.step == number)
    });
    &line.unwrap_or(&step.line).verb
}

impl RecordTracker<'_> {
    /// Returns the steps that changed states and have undo data, the oldest first. A file is followed back
    /// only to the last step that changed something else, because its records were different before that.
    fn stages(&self, vault: &Vault<'_>) -> Vec<StepRecords> {
        let mut files: HashMap<PathBuf, Vec<u8>> = HashMap::new();
        let mut stages = Vec::new();
        let journal = vault.journal().unwrap_or_default();
        for number in vault.steps().unwrap_or_default().into_iter().rev() {
            let Ok(Some(step)) = vault.step(number) else { break };
            let own = self.stage(&step, &mut files);
            if STATES.contains(verb(&journal, &step)) {
                stages.push(own);
            }
        }
        stages.reverse();
        stages
    }

    fn stage(&self, step: &UndoStep, files: &mut HashMap<PathBuf, Vec<u8>>) -> StepRecords {
        let mut own = StepRecords { gone: Vec::new(), come: Vec::new() };
        // The records of a backup are not records of the store.
        let is_read = |change: &&Change| self.role(&change.path).is_some();
        for change in step.changes.iter().filter(is_read) {
            match &change.act {
                Act::Create(bytes) => {
                    let all = contents(&change.path, bytes);
                    all.iter().for_each(|(path, bytes)| own.gone.extend(self.pieces(path, bytes)));
                    files.insert(change.path.clone(), bytes.to_vec());
                }
                Act::Remove(bytes) => {
                    let all = contents(&change.path, bytes);
                    all.iter().for_each(|(path, bytes)| own.come.extend(self.pieces(path, bytes)));
                }
                Act::Append(lines) => own.gone.extend(self.pieces(&change.path, lines)),
                Act::Splice(splices) if is_log(&change.path) => {
                    for splice in splices {
                        own.gone.extend(self.pieces(&change.path, &splice.becomes));
                        own.come.extend(self.pieces(&change.path, &splice.was));
                    }
                }
                Act::Splice(_) => self.document(&mut own, change, files),
                _ => {}
            }
        }
        own
    }

    /// Adds the records of a rewritten document, before the step and after it.
    fn document(&self, own: &mut StepRecords, change: &Change, files: &mut HashMap<PathBuf, Vec<u8>>) {
        let now = || self.store.document_at(&change.path).map(|own| own.bytes.to_vec());
        let after = files.get(&change.path).cloned().or_else(now);
        let (Some(after), Some(splices)) = (after, change.splices()) else { return };
        let fits = |at: u64, was: &[u8]| after.get(at as usize..at as usize + was.len()) == Some(was);
        if splices.iter().all(|own| fits(own.start, &own.was)) {
            let before = apply(&after, &splices);
            own.gone.extend(self.pieces(&change.path, &before));
            own.come.extend(self.pieces(&change.path, &after));
            files.insert(change.path.clone(), before);
        }
    }

    /// Returns the role of a file with memories; `None` for any other file.
    fn role(&self, path: &Path) -> Option<Role> {
        match self.format.place(path, false) {
            Placement::File(role @ (Role::Records | Role::Archive)) => Some(role),
            _ => None,
        }
    }

    fn pieces(&self, path: &Path, bytes: &[u8]) -> Vec<TrackedRecord> {
        let Some(role) = self.role(path) else { return Vec::new() };
        let piece = |record: &Record| {
            let raw = bytes.get(record.span.range())?;
            let id = record.id().filter(|id| !id.is_empty()).map(str::to_owned);
            let key = Key::alone(&self.store.root, path, raw);
            Some(TrackedRecord { path: path.to_owned(), raw: raw.to_vec(), id, key })
        };
        self.format.read(role, path, bytes, self.now).records.iter().filter_map(piece).collect()
    }
}
