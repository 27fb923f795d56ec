//! Records by their ids or keys.

use super::{Memory, MemoryError, Result};
use crate::model::key::{Key, ParsedKey};
use crate::model::{Entry, EntryRef, State, Store};

impl Memory {
    /// The entry of that id or key, in that session where one is named: the first that counts, else
    /// the first. Of several sessions none is meant.
    pub(super) fn entry(&self, session: Option<&str>, id: &str) -> Result<Option<(EntryRef, Entry)>> {
        Ok(self.entries(session, id)?.first().copied())
    }

    /// The entry of that id or key, to be changed: of several that share the id none is meant.
    pub(super) fn the_entry(&self, session: Option<&str>, id: &str) -> Result<Option<(EntryRef, Entry)>> {
        the_one(self.store(), id, self.entries(session, id)?)
    }

    /// The entries of that id or key: those that count, else all.
    pub(super) fn entries(&self, session: Option<&str>, id: &str) -> Result<Vec<(EntryRef, Entry)>> {
        entries_of(self.store(), self.session_or(session), id)
    }

    /// The entry of that id or key, whatever became of it.
    pub(super) fn existing_entry(&self, session: Option<&str>, id: &str) -> Result<(EntryRef, Entry)> {
        self.entry(session, id)?.ok_or_else(|| self.no_record(id))
    }

    /// The entry of that id or key, to be changed.
    pub(super) fn one(&self, session: Option<&str>, id: &str) -> Result<EntryRef> {
        let (at, _) = self.the_entry(session, id)?.ok_or_else(|| self.no_record(id))?;
        Ok(at)
    }

    pub(super) fn no_record(&self, id: &str) -> MemoryError {
        self.known_absent(MemoryError::new("E_INVALID_QUERY", format!("There is no memory {id:?}.")))
    }
}

/// One of those that an id names; refused with their keys where there are several.
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

/// The entries of a store of that id or key: those that count, else all.
pub(super) fn entries_of(store: &Store, session: Option<&str>, id: &str) -> Result<Vec<(EntryRef, Entry)>> {
    if let Some(ParsedKey::Key(key)) = Key::read(id)
        && let Some(at) = store.entry_of_key(&key)
    {
        return Ok(vec![(EntryRef { store: 0, entry: at }, store.entries[at as usize])]);
    }
    let own = |(_, entry): &(usize, &Entry)| {
        let named = store.view(entry).is_some_and(|view| view.id == Some(id));
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
