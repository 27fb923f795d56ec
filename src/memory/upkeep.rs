//! Upkeep: compaction, rebuilt files, decay values and migration.

use super::plan_outcome::RecordObserver;
use super::{Dropped, Memory, Result};
use crate::ops::compact::Compact;
use crate::ops::maintain::{Migrate, RefreshDecay};
use crate::ops::reindex::Reindex;

impl Memory {
    /// Runs the format's compaction, and returns what it dropped.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.delete(None, &id, "superseded")?;
    /// let dropped = memory.compact(Some(&session))?;
    /// assert_eq!(dropped[0].id.as_ref(), Some(&id));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn compact(&mut self, session: Option<&str>) -> Result<Vec<Dropped>> {
        self.ready()?;
        let session = self.session_or(session).map(str::to_owned);
        let mut observer = RecordObserver::default();
        self.make_observed(Compact { session }, &mut observer)?;
        Ok(observer.dropped)
    }

    /// Rebuilds derived files that disagree with the records.
    ///
    /// ```
    /// use palimp::memory::{Code, Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.flush()?;
    /// std::fs::write(folder.path().join("memory/sessions").join(&session).join("index.json"), "{").unwrap();
    /// assert_eq!(memory.problems()[0].code, Code::IndexBroken);
    /// memory.rebuild_index()?;
    /// assert!(memory.problems().is_empty());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn rebuild_index(&mut self) -> Result {
        self.ready()?;
        self.make(Vec::new(), Reindex { session: None }).map(drop)
    }

    /// Updates the stored decay values.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.update_decay()?;
    /// assert!(memory.problems().is_empty());
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn update_decay(&mut self) -> Result {
        self.ready()?;
        self.make(Vec::new(), RefreshDecay).map(drop)
    }

    /// Migrates files of an older version to this one, each after a backup.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("memory-server", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// memory.add(&New { kind: "core", text: "Reviews need two people", ..New::default() })?;
    /// // Everything is of this version: there is nothing to bring to it.
    /// memory.migrate()?;
    /// assert_eq!(memory.statistics(None)?.live, 1);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn migrate(&mut self) -> Result {
        self.ready()?;
        self.make(Vec::new(), Migrate).map(drop)
    }
}
