//! Recalled records.

use super::found::Found;
use super::{Memory, MemoryError, Recalled, Result};
use crate::model::EntryRef;
use crate::query::reachable;

impl Memory {
    /// Returns the records within `depth` references of a record, best first. If several sessions
    /// have the id, name the session. [`Memory::links`] shows the direction of each reference.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// let record = format!("{{\"references\":[{id:?}]}}");
    /// let new = New { text: "Make it larger", record: Some(&record), ..new };
    /// let other = memory.add(&new)?.id;
    /// let related = memory.related(None, &id, 1)?;
    /// assert_eq!(related[0].id.as_ref(), Some(&other));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn related(&mut self, session: Option<&str>, id: &str, depth: usize) -> Result<Recalled<Vec<Found>>> {
        self.refresh();
        let (at, _) = self.existing_entry(session, id)?;
        let reached = reachable(&self.snapshot, [at].into(), depth);
        let mut found = self.search(&[""], Default::default())?;
        found.retain(|(at, _)| reached.contains(at));
        Ok(self.recalled(self.all_found(found)))
    }

    pub(super) fn recalled<T>(&self, read: T) -> Recalled<T> {
        Recalled::of(read, self.store())
    }

    pub(super) fn all_found(&self, hits: Vec<(EntryRef, Option<f64>)>) -> Vec<Found> {
        hits.into_iter().map(|(at, rank)| self.found(at, rank)).collect()
    }

    pub(super) fn found(&self, at: EntryRef, rank: Option<f64>) -> Found {
        Found::of(&self.snapshot, at, rank)
    }

    pub(super) fn no_session(&self, name: &str) -> MemoryError {
        let message = format!("There is no session {name:?}.");
        self.known_absent(MemoryError::new("E_SESSION_NOT_FOUND", message))
    }
}
