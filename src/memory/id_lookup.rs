//! Finds records by their ids or keys.

use super::{Memory, MemoryError, Result};
use crate::model::key::Key;
use crate::model::{Entry, EntryRef, State, Store};
use crate::usecase::{Command, UndeleteMemories};

impl Memory {
    /// Returns the first live entry with that id or key, else the first. Refuses an id of several sessions.
    pub(super) fn entry(&self, session: Option<&str>, id: &str) -> Result<Option<(EntryRef, Entry)>> {
        Ok(self.entries(session, id)?.first().copied())
    }

    /// Returns the entry to change. Refuses an id that several entries have.
    pub(super) fn the_entry(&self, session: Option<&str>, id: &str) -> Result<Option<(EntryRef, Entry)>> {
        the_one(self.store(), id, self.entries(session, id)?)
    }

    /// Returns the live entries with that id or key, or all if none is live.
    pub(super) fn entries(&self, session: Option<&str>, id: &str) -> Result<Vec<(EntryRef, Entry)>> {
        entries_of(self.store(), self.session_or(session), id)
    }

    /// Returns the entry with that id or key, in any state, or the error that there is none.
    pub(super) fn existing_entry(&self, session: Option<&str>, id: &str) -> Result<(EntryRef, Entry)> {
        self.entry(session, id)?.ok_or_else(|| self.no_record(id))
    }

    /// Returns the entry to change, or the error that there is none.
    pub(super) fn one(&self, session: Option<&str>, id: &str) -> Result<EntryRef> {
        let (at, _) = self.the_entry(session, id)?.ok_or_else(|| self.no_record(id))?;
        Ok(at)
    }

    /// True if a record has a tombstone, or is a note that is marked as deprecated.
    pub(super) fn is_deleted(&self, at: EntryRef) -> bool {
        let (store, entry) = self.snapshot.get(at);
        UndeleteMemories.check_allowed(store, entry).is_ok()
    }

    pub(super) fn no_record(&self, id: &str) -> MemoryError {
        self.known_absent(MemoryError::new("E_INVALID_QUERY", format!("There is no memory {id:?}.")))
    }
}

/// Returns the only entry. Refuses several, and names their keys.
pub(super) fn the_one(
    store: &Store,
    id: &str,
    named: Vec<(EntryRef, Entry)>,
) -> Result<Option<(EntryRef, Entry)>> {
    match named.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        several => {
            let keys: Vec<String> = several.iter().map(|(_, entry)| store.key(entry)).collect();
            Err(MemoryError::shared(id, &keys))
        }
    }
}

/// Returns the live entries of a store with that id or key, or all if none is live.
pub(super) fn entries_of(store: &Store, session: Option<&str>, id: &str) -> Result<Vec<(EntryRef, Entry)>> {
    if let Some(key) = Key::read(id)
        && let Some(at) = store.entry_of_key(&key)
    {
        return Ok(vec![(EntryRef { store: 0, entry: at }, store.entries[at as usize])]);
    }
    let own = |(_, entry): &(usize, &Entry)| {
        let named = store.memory(entry).is_some_and(|memory| memory.id() == Some(id));
        let within = session.is_none_or(|name| store.session(entry).is_some_and(|own| own.name == name));
        named && within
    };
    let mut named: Vec<(usize, &Entry)> = store.entries.iter().enumerate().filter(own).collect();
    if named.iter().any(|(_, entry)| entry.state == State::Live) {
        named.retain(|(_, entry)| entry.state == State::Live);
    }
    let mut sessions: Vec<&str> =
        named.iter().filter_map(|(_, entry)| Some(store.session(entry)?.name.as_str())).collect();
    sessions.sort_unstable();
    sessions.dedup();
    if sessions.len() > 1 {
        return Err(MemoryError::ambiguous(id, &sessions));
    }
    let at = |(at, entry): (usize, &Entry)| (EntryRef { store: 0, entry: at as u32 }, *entry);
    Ok(named.into_iter().map(at).collect())
}
