//! Archives records, and restores archived or deleted records and sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::batch::refused;
use super::id_lookup::{entries_of, the_one};
use super::{Found, Memory, MemoryError, Recalled, Result};
use crate::disk::host::Host;
use crate::model::{EntryRef, Snapshot, State};
use crate::ops;
use crate::ops::session::UnarchiveSession;
use crate::store::steps::with_deleted;
use crate::usecase::{ArchiveMemories, Command, UnarchiveMemories, UndeleteMemories};

impl Memory {
    /// Archives records in one step, in the format's way, and returns their number.
    /// [`MemoryQuery::archived`] finds them, and [`Memory::restore`] restores them.
    ///
    /// [`MemoryQuery::archived`]: super::MemoryQuery::archived
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, MemoryQuery, New, State};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("memory-server", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let added = memory.add(&New { kind: "learning", text: "Pools are small", ..New::default() })?;
    /// assert_eq!(memory.archive(None, &[&*added.id])?, 1);
    /// assert!(memory.query("pools")?.is_empty());
    /// let query = MemoryQuery { text: "pools", archived: true, ..MemoryQuery::default() };
    /// assert_eq!(memory.query(query)?[0].state, State::Archived);
    ///
    /// assert_eq!(memory.restore(None, &[&*added.id])?, 1);
    /// assert_eq!(memory.query("pools")?.len(), 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_FORMAT` in formats without an archive, and in those where
    /// [`Memory::archive_session`] archives whole sessions. Else as [`Memory::delete_all`]. After
    /// an error, nothing is archived.
    pub fn archive(&mut self, session: Option<&str>, ids: &[&str]) -> Result<usize> {
        self.may_change()?;
        if ops::archive::takes_sessions(self.store()) {
            let message = format!(
                "{} archives sessions whole: archive the session. Nothing was changed.",
                self.place.format
            );
            return Err(MemoryError::new("E_INVALID_FORMAT", message));
        }
        self.each(session, ids, ArchiveMemories)
    }

    /// Restores records in one step and returns their number. They are archived, or deleted and
    /// still held by the store, undo data or backups. [`Memory::deleted`] lists the deleted ones.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let added = memory.add(&new)?;
    /// memory.delete(None, &added.id, "mistake")?;
    /// assert_eq!(memory.deleted(None)?[0].id.as_ref(), Some(&added.id));
    /// assert_eq!(memory.restore(None, &[&*added.id])?, 1);
    /// assert_eq!(memory.get(None, &added.id)?.unwrap().text, "The pool is small");
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_QUERY` if one does not exist or is neither archived nor deleted, or if some are
    /// archived and others deleted. `E_AMBIGUOUS_ID` if several have its id. Also if the format
    /// can't restore one, or the change can't be made. After an error, nothing is restored.
    pub fn restore(&mut self, session: Option<&str>, ids: &[&str]) -> Result<usize> {
        self.ready()?;
        let with = self.with_deleted()?;
        let (mut archived, mut deleted) = (Vec::new(), Vec::new());
        for &id in ids {
            let (at, is_archived) = self.gone(&with, session, id)?;
            if is_archived { &mut archived } else { &mut deleted }.push(at);
        }
        match (archived.is_empty(), deleted.is_empty()) {
            (_, true) if ops::archive::is_in_own_data(self.store()) => {
                self.make_each(with, archived, UnarchiveMemories)
            }
            // Archived records are in the store as read, at the same places.
            (_, true) => {
                self.make_each(Snapshot::of(self.snapshot.stores.clone()), archived, UnarchiveMemories)
            }
            (true, false) => self.make_each(with, deleted, UndeleteMemories),
            (false, false) => {
                let message = "Some of these are archived, and others deleted: restore them by two calls. \
                               Nothing was changed.";
                Err(MemoryError::new("E_INVALID_QUERY", message))
            }
        }
    }

    /// Returns the deleted records of a session or of the store that can be restored: those with a
    /// tombstone or marked as deprecated, and those that only undo data and backups hold.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New, State};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("memory-server", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let added = memory.add(&New { kind: "core", text: "Reviews need two people", ..New::default() })?;
    /// assert!(memory.deleted(None)?.is_empty());
    /// memory.delete(None, &added.id, "superseded")?;
    /// assert_eq!(memory.deleted(None)?[0].text, "Reviews need two people");
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if palimp's list of erased records can't be read: they could be among the results.
    pub fn deleted(&mut self, session: Option<&str>) -> Result<Recalled<Vec<Found>>> {
        self.refresh();
        let with = self.with_deleted()?;
        let session = self.session_or(session);
        let is_meant = |at: &EntryRef| {
            let (store, entry) = with.get(*at);
            let within = session.is_none_or(|name| store.session(entry).is_some_and(|own| own.name == name));
            within && UndeleteMemories.check_allowed(store, entry).is_ok()
        };
        let found = with.entries().filter(is_meant).map(|at| Found::of(&with, at, None)).collect();
        Ok(Recalled::of(found, &with.stores[0]))
    }

    /// Restores a whole session, from its archive or after a deletion.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("bmad", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// memory.add(&New { session: Some(&session), kind: "finding", text: "One", ..New::default() })?;
    /// memory.archive_session(&session)?;
    /// assert!(memory.query("type:finding")?.is_empty());
    /// memory.restore_session(&session)?;
    /// assert_eq!(memory.query("type:finding")?.len(), 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_SESSION_NOT_FOUND` if nothing is left of the session. Also if it is live, is over a limit
    /// of size, or the change can't be made.
    pub fn restore_session(&mut self, id: &str) -> Result {
        self.ready()?;
        if self.store().sessions.iter().any(|own| own.name == id) {
            let command = UnarchiveSession { store: 0, id: id.to_owned(), allow_large: false };
            return self.make(Vec::new(), command).map(drop);
        }
        let with = self.with_deleted()?;
        let is_own = |at: &EntryRef| {
            let (store, entry) = with.get(*at);
            store.session(entry).is_some_and(|own| own.name == id)
        };
        let at: Vec<EntryRef> = with.entries().filter(is_own).collect();
        if at.is_empty() {
            return Err(self.no_session(id));
        }
        self.make_of(with, at, UndeleteMemories).map(drop)
    }

    /// Returns the store together with the deleted records that can be restored.
    pub(super) fn with_deleted(&self) -> Result<Snapshot> {
        let (machine, data) = (&*self.machine, &*self.data);
        let host = Host { disk: &*self.disk, machine, data, now: self.now() };
        let with = with_deleted(host, self.store(), &BTreeSet::new())?;
        Ok(Snapshot::of(vec![Arc::new(with)]))
    }

    /// Finds the archived or deleted record with that id, and whether it is archived.
    fn gone(&self, with: &Snapshot, session: Option<&str>, id: &str) -> Result<(EntryRef, bool)> {
        let store = &with.stores[0];
        let mut named = entries_of(store, self.session_or(session), id)?;
        // The archived record is the present one. Deleted versions of it are older.
        if named.iter().any(|(_, entry)| entry.state == State::Archived) {
            named.retain(|(_, entry)| entry.state == State::Archived);
        }
        let Some((at, entry)) = the_one(store, id, named)? else { return Err(self.no_record(id)) };
        if entry.state == State::Archived {
            return Ok((at, true));
        }
        if UndeleteMemories.check_allowed(store, &entry).is_err() {
            let message = "it is neither archived nor deleted.";
            return Err(refused(id, MemoryError::new("E_INVALID_QUERY", message)));
        }
        Ok((at, false))
    }
}
