//! Adds, recalls, changes and deletes records.

use super::plan_outcome::{Added, RecordObserver};
use super::{Found, Memory, MemoryError, Result};
use crate::format::writing::RecordDraft;
use crate::model::State;
use crate::ops::access::RecordAccess;
use crate::usecase::{AddMemories, DeleteOptions, EditMemory, NewRecord};

/// A record to add.
#[derive(Clone, Copy, Debug, Default)]
pub struct New<'a> {
    /// Its session, for formats that have sessions.
    pub session: Option<&'a str>,
    /// Its type, in the format's own word.
    pub kind: &'a str,
    /// Its main text.
    pub text: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// Its importance, from 0 to 1.
    pub importance: Option<f64>,
    /// Members of the record as a JSON object. They override the values that palimp fills in.
    pub record: Option<&'a str>,
}

impl<'a> New<'a> {
    /// Makes a draft in `session`, unless the record names its own.
    fn draft<'d>(&self, session: Option<&'d str>) -> RecordDraft<'d>
    where
        'a: 'd,
    {
        RecordDraft {
            session: self.session.or(session),
            kind: self.kind,
            text: (!self.text.is_empty() || self.record.is_none()).then_some(self.text),
            tags: self.tags,
            importance: self.importance,
            record: self.record,
        }
    }
}

impl Memory {
    /// Adds a record and returns its id. Limits of size apply. At the fill level, a compaction
    /// comes first if the store's config says so; the result lists what it dropped.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let tags = ["database".to_owned()];
    /// let added = memory.add(&New {
    ///     session: Some(&session),
    ///     kind: "decision",
    ///     text: "Use SQLite for the cache",
    ///     tags: &tags,
    ///     importance: Some(0.9),
    ///     ..New::default()
    /// })?;
    /// assert!(added.id.starts_with("mem_"));
    /// assert!(added.dropped.is_empty());
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if the format refuses the record, a limit of size is reached, or the change can't be made.
    pub fn add(&mut self, new: &New<'_>) -> Result<Added> {
        self.add_all(std::slice::from_ref(new))?.pop().ok_or_else(lost)
    }

    /// Adds records in one step, all or none: one lock, one undo, and each file is made durable once. If one is
    /// refused, nothing is changed, and the error has its number. What a compaction drops to make room is in the
    /// last result.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = |text| New { session: Some(&session), kind: "finding", text, ..New::default() };
    /// let added = memory.add_all(&[new("The pool is too small"), new("The cache is cold")])?;
    /// assert_eq!(memory.query("type:finding")?.len(), added.len());
    /// // The index of the session is written once for both.
    /// memory.close()?;
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails as [`Memory::add`], and if a compaction would have to drop one of the new records to make room for
    /// others.
    pub fn add_all(&mut self, all: &[New<'_>]) -> Result<Vec<Added>> {
        self.may_change()?;
        let session = self.options.session.clone();
        let drafts: Vec<RecordDraft<'_>> = all.iter().map(|new| new.draft(session.as_deref())).collect();
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        let added = |id| Added { id, dropped: Vec::new() };
        if let Some(ids) = self.append(&drafts)? {
            return Ok(ids.into_iter().map(added).collect());
        }
        let records = drafts.iter().map(owned).collect();
        let mut observer = RecordObserver::default();
        self.make_observed(AddMemories { store: 0, records }, &mut observer)?;
        self.handle_state.is_due |= observer.waits;
        let mut added: Vec<Added> = observer.added.into_iter().map(added).collect();
        if added.len() != drafts.len() {
            return Err(lost());
        }
        added.iter_mut().last().ok_or_else(lost)?.dropped = observer.dropped;
        Ok(added)
    }

    /// Returns the live record with that id. If several sessions have the id, name the session.
    ///
    /// ```
    /// use palimp::memory::{Checksum, Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// let found = memory.get(Some(&session), &id)?.unwrap();
    /// assert_eq!((&*found.kind, &*found.text), ("finding", "The pool is small"));
    /// assert!(memory.get(None, "mem_none")?.is_none());
    ///
    /// // Another agent changes the text, and leaves the checksum as it was.
    /// let log = folder.path().join("memory/sessions").join(&session).join("memory.jsonl");
    /// let lines = std::fs::read_to_string(&log).unwrap().replace("small", "large");
    /// let signed = lines.replacen('{', "{\"checksum\":\"sha256:0\",", 1);
    /// std::fs::write(&log, signed).unwrap();
    /// let found = memory.get(None, &id)?.unwrap();
    /// assert_eq!(found.checksum, Some(Checksum::Mismatch));
    /// assert_eq!(found.text, "The pool is large");
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn get(&mut self, session: Option<&str>, id: &str) -> Result<Option<Found>> {
        self.refresh();
        let live = self.entry(session, id)?.filter(|(_, entry)| entry.state == State::Live);
        let Some((at, _)) = live else { return Ok(self.store().whole().map(|_| None)?) };
        Ok(Some(self.found(at, None)))
    }

    /// Deletes a record in the format's way. Returns false if no record has the id, or it is deleted. If several
    /// sessions have the id, name the session. If several records of a session have it, name one by
    /// its key.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// assert!(memory.delete(Some(&session), &id, "superseded")?);
    /// assert!(!memory.delete(Some(&session), &id, "superseded")?);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if several records have the id, it is archived, the format refuses the deletion, or the change can't be
    /// made.
    pub fn delete(&mut self, session: Option<&str>, id: &str, reason: &str) -> Result<bool> {
        self.ready()?;
        // The plan says why an archived or broken record can't be deleted.
        let there = self.the_entry(session, id)?.filter(|(at, _)| !self.is_deleted(*at));
        let Some((at, _)) = there else { return Ok(self.store().whole().map(|_| false)?) };
        self.make(vec![at], DeleteOptions { reason: Some(reason.into()), ..DeleteOptions::default() })?;
        Ok(true)
    }

    /// Sets a field of a record. The value is plain text if the field is a string, else JSON.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.set(None, &id, "text", "The pool is too small")?;
    /// memory.set(None, &id, "importance", "0.8")?;
    /// let found = memory.get(None, &id)?.unwrap();
    /// assert_eq!((&*found.text, found.importance), ("The pool is too small", 0.8));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn set(&mut self, session: Option<&str>, id: &str, field: &str, value: &str) -> Result {
        self.ready()?;
        let at = self.one(session, id)?;
        self.make(vec![at], EditMemory::of(vec![(field.to_owned(), value.to_owned())])).map(drop)
    }

    /// Records an access to a record, if the format has a place for that.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("memory-server", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let id = memory.add(&New { kind: "core", text: "Reviews need two people", ..New::default() })?.id;
    /// memory.record_access(None, &id)?;
    /// let raw = memory.get(None, &id)?.unwrap().raw;
    /// assert!(String::from_utf8_lossy(&raw).contains("\"access_count\":1"));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn record_access(&mut self, session: Option<&str>, id: &str) -> Result {
        self.ready()?;
        let at = self.one(session, id)?;
        self.make(vec![at], RecordAccess).map(drop)
    }
}

fn lost() -> MemoryError {
    MemoryError::new("E_STORAGE_IO", "The memory was added and can't be read.")
}

fn owned(draft: &RecordDraft<'_>) -> NewRecord {
    NewRecord {
        session: draft.session.map(str::to_owned),
        kind: draft.kind.to_owned(),
        tags: draft.tags.to_vec(),
        importance: draft.importance,
        text: draft.text.map(str::to_owned),
        record: draft.record.map(str::to_owned),
    }
}
