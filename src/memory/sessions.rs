//! Sessions, and exports and figures of the whole store.

use std::collections::BTreeMap;

use super::plan_outcome::SessionObserver;
use super::{Memory, MemoryError, Recalled, Result};
use crate::model::{EntryRef, Lifecycle, Problem, Severity, State, UnreadPath};
use crate::ops::reindex::Reindex;
use crate::ops::session::{ArchiveSession, DeleteSession, NewSession};
use crate::usecase::export::{ExportFormat, export};

/// Figures of a session or a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of live records of each type, sorted by type.
    pub by_type: Vec<(String, usize)>,
    /// The number of live records.
    pub live: usize,
    /// The number of archived records.
    pub archived: usize,
    /// The number of records that tombstones name.
    pub deleted: usize,
    /// The number of stretches that can't be read.
    pub broken: usize,
    /// The bytes that count toward the limit of a session, or all bytes of a store.
    pub bytes: u64,
    /// The limit of a session in bytes, if there is one.
    pub limit: Option<u64>,
    /// The number of problems that are errors.
    pub errors: usize,
    /// What could not be read. The figures do not include it.
    pub unread: Vec<UnreadPath>,
}

impl Memory {
    /// Makes a session and returns its name.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let named = memory.create_session(Some("sess_review"), "agent")?;
    /// assert_eq!(named, "sess_review");
    /// assert_ne!(session, named);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if the format has no sessions, the name exists, or the change can't be made.
    pub fn create_session(&mut self, id: Option<&str>, user: &str) -> Result<String> {
        let mut observer = SessionObserver::default();
        let (id, user) = (id.map(str::to_owned), user.to_owned());
        self.make_observed(NewSession { store: 0, id, user }, &mut observer)?;
        let lost = || MemoryError::new("E_STORAGE_IO", "The session was made and can't be read.");
        observer.0.ok_or_else(lost)
    }

    /// Returns the names of the sessions.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// assert_eq!(memory.session_names().read, [session]);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn session_names(&mut self) -> Recalled<Vec<String>> {
        self.refresh();
        self.recalled(self.store().sessions.iter().map(|session| session.name.clone()).collect())
    }

    /// Returns the figures of a live session. An archived one gives the error `E_SESSION_ARCHIVED`.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// assert_eq!(memory.load_session(&session)?.live, 1);
    /// assert_eq!(memory.load_session("sess_none").unwrap_err().code, "E_SESSION_NOT_FOUND");
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn load_session(&mut self, id: &str) -> Result<Statistics> {
        self.refresh();
        let session = self.store().sessions.iter().find(|session| session.name == id);
        match session {
            None => Err(self.no_session(id)),
            Some(session) if session.lifecycle == Some(Lifecycle::Archived) => Err(MemoryError::new(
                "E_SESSION_ARCHIVED",
                format!("The session {id:?} is archived; unarchive it first."),
            )),
            Some(_) => self.statistics(Some(id)),
        }
    }

    /// Ends the work with a session. Rebuilds its index and counts if a crash or an agent left them stale.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.close_session(&session)?;
    /// assert!(memory.problems().is_empty(), "the index has the memory");
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn close_session(&mut self, id: &str) -> Result {
        self.ready()?;
        self.load_session(id)?;
        self.make(Vec::new(), Reindex { session: Some(id.to_owned()) }).map(drop)
    }

    /// Archives a whole session.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("bmad", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.archive_session(&session)?;
    /// assert_eq!(memory.load_session(&session).unwrap_err().code, "E_SESSION_ARCHIVED");
    /// assert!(memory.get(None, &id)?.is_none());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn archive_session(&mut self, id: &str) -> Result {
        self.ready()?;
        self.make(Vec::new(), ArchiveSession { store: 0, id: id.to_owned() }).map(drop)
    }

    /// Deletes a session with all its records.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.delete_session(&session)?;
    /// assert!(memory.get(None, &id)?.is_none());
    /// assert!(memory.session_names().is_empty());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn delete_session(&mut self, id: &str) -> Result {
        self.ready()?;
        self.make(Vec::new(), DeleteSession { store: 0, id: id.to_owned() }).map(drop)
    }

    /// Returns the live records of a session, or of the store, as JSON or JSON Lines.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New, ExportFormat};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// let lines = memory.export(Some(&session), ExportFormat::JsonLines)?;
    /// assert!(String::from_utf8_lossy(&lines).contains(&id));
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if something could not be read. A session that does not exist is no error.
    pub fn export(&mut self, session: Option<&str>, shape: ExportFormat) -> Result<Vec<u8>> {
        self.refresh();
        self.store().whole()?;
        let session = self.session_or(session);
        let own = |at: &EntryRef| {
            let (store, entry) = self.snapshot.get(*at);
            let within = session.is_none_or(|name| store.session(entry).is_some_and(|own| own.name == name));
            within && matches!(entry.state, State::Live) && store.is_readable(entry)
        };
        let entries: Vec<EntryRef> = self.snapshot.entries().filter(own).collect();
        Ok(export(&self.snapshot, &entries, (shape, false)).flatten().collect())
    }

    /// Returns figures of a session, or of the whole store.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// let figures = memory.statistics(Some(&session))?;
    /// assert_eq!(figures.by_type, [("finding".to_owned(), 1)]);
    /// assert!(figures.bytes > 0 && figures.limit == Some(10 << 20));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn statistics(&mut self, session: Option<&str>) -> Result<Statistics> {
        self.refresh();
        let (store, session) = (self.store(), self.session_or(session));
        let number = session.map(|name| store.sessions.iter().position(|own| own.name == name));
        let number = match number {
            Some(None) => return Err(self.no_session(session.unwrap_or_default())),
            number => number.flatten().map(|number| number as u32),
        };
        let own = || store.entries.iter().filter(move |entry| number.is_none() || entry.session == number);
        let count = |state| own().filter(|entry| entry.state == state).count();
        let mut kinds = BTreeMap::<String, usize>::new();
        for entry in own().filter(|entry| entry.state == State::Live) {
            let kind = store.memory(entry).map_or("", |memory| memory.kind());
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
        let one = number.map(|number| &store.sessions[number as usize]);
        let is_error = |problem: &&Problem| {
            problem.severity == Severity::Error && one.is_none_or(|own| problem.file.starts_with(&own.path))
        };
        let errors = store.problems.iter().filter(is_error);
        Ok(Statistics {
            by_type: kinds.into_iter().collect(),
            live: count(State::Live),
            archived: count(State::Archived),
            deleted: count(State::Deleted),
            broken: count(State::Broken),
            bytes: one.map_or(store.bytes, |session| session.size),
            limit: one.and_then(|session| session.limit),
            errors: errors.count(),
            unread: store.unread.clone(),
        })
    }
}
