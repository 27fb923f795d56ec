//! Finds a record by its old key after palimp's steps moved or rewrote it with a change of state.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::disk::RealDisk;
use crate::model::key::Key;
use crate::model::{Document, JournalLine, Store, Verb, deleted_from};
use crate::store::Vault;

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

/// The steps that changed the states of a store's records. They are read once for any number of keys.
pub struct RecordTracker<'a> {
    store: &'a Store,
    /// The new keys of each step by the old ones, the oldest step first.
    steps: Vec<HashMap<Key, Key>>,
}

impl<'a> RecordTracker<'a> {
    /// Reads the steps whose undo data is kept.
    pub fn of(data: &Path, store: &'a Store) -> RecordTracker<'a> {
        let vault = Vault::open_read_only(&RealDisk, data, &store.root);
        let journal = vault.journal().unwrap_or_default();
        // An undo or a redo has the verb of the step that it undid or redid.
        let verb = |line: &JournalLine| {
            let first = journal.iter().find(|first| first.step == line.subject_step());
            first.unwrap_or(line).verb.clone()
        };
        let steps = vault.steps().unwrap_or_default().into_iter();
        let steps = steps.filter_map(|number| vault.step(number).ok().flatten());
        let steps = steps.filter(|step| STATES.contains(&verb(&step.line)));
        let keys = |(old, new): &(String, String)| Some((Key::read(old)?, Key::read(new)?));
        RecordTracker {
            store,
            steps: steps.map(|step| step.new_keys.iter().filter_map(keys).collect()).collect(),
        }
    }

    /// Returns the number of the record that a key named before palimp's steps changed its state.
    pub fn find(&self, key: &Key) -> Option<u32> {
        // If records are equal, it is unknown which one the key named.
        if key.of != 1 {
            return None;
        }
        let next =
            |now: Option<Key>, step: &HashMap<Key, Key>| step.get(&now.unwrap_or(*key)).copied().or(now);
        self.number_of(&self.steps.iter().fold(None, next)?)
    }

    /// Returns the number of a record in the store: in its file, or in another one.
    fn number_of(&self, key: &Key) -> Option<u32> {
        let documents = || (0..).zip(&self.store.documents);
        let is_its_file = |(_, document): &(u32, &Arc<Document>)| {
            key.is_in(&self.store.root, deleted_from(&document.path).unwrap_or(&document.path))
        };
        let entry = |(number, document): (u32, &Arc<Document>)| {
            document.records_of_key(key).find_map(|record| self.store.entry_number(number, record))
        };
        documents().filter(is_its_file).find_map(entry).or_else(|| documents().find_map(entry))
    }
}
