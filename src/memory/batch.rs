//! Changes of several records in one step: all or none of them. One undo undoes the step.

use super::{Memory, MemoryError, Result};
use crate::model::{EntryRef, Snapshot};
use crate::ops::tag::ChangeTags;
use crate::usecase::{Command, DeleteOptions};

impl Memory {
    /// Deletes records in one step, each as [`Memory::delete`] does, and returns their number.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = |text| New { session: Some(&session), kind: "finding", text, ..New::default() };
    /// let added = memory.add_all(&[new("One"), new("Two"), new("Three")])?;
    /// let ids = [&*added[0].id, &*added[1].id];
    /// assert_eq!(memory.delete_all(Some(&session), &ids, "superseded")?, 2);
    /// assert_eq!(memory.query("type:finding")?.len(), 1);
    /// memory.undo()?;
    /// assert_eq!(memory.query("type:finding")?.len(), 3);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if one does not exist or is deleted already, several records have its id, the format refuses the
    /// deletion, or the change can't be made. After an error, nothing is deleted.
    pub fn delete_all(&mut self, session: Option<&str>, ids: &[&str], reason: &str) -> Result<usize> {
        let how = DeleteOptions { reason: Some(reason.into()), ..DeleteOptions::default() };
        self.each(session, ids, how)
    }

    /// Adds and removes tags of records in one step, and returns how many records changed.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("memory-server", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let tags = ["draft".to_owned()];
    /// let new = |text| New { kind: "learning", text, tags: &tags, ..New::default() };
    /// let added = memory.add_all(&[new("Pools are small"), new("Caches are cold")])?;
    /// let ids = [&*added[0].id, &*added[1].id];
    /// assert_eq!(memory.tag_all(None, &ids, &["database"], &["draft"])?, 2);
    /// assert_eq!(memory.query("tag:database -tag:draft")?.len(), 2);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails as [`Memory::delete_all`], and if the format refuses a tag. After an error, nothing is changed.
    pub fn tag_all(
        &mut self,
        session: Option<&str>,
        ids: &[&str],
        add: &[&str],
        remove: &[&str],
    ) -> Result<usize> {
        let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect();
        self.each(session, ids, ChangeTags { add: owned(add), remove: owned(remove) })
    }

    /// Changes the records with these ids, all or none.
    pub(super) fn each(
        &mut self,
        session: Option<&str>,
        ids: &[&str],
        command: impl Command,
    ) -> Result<usize> {
        self.ready()?;
        let mut at: Vec<EntryRef> = Vec::new();
        for &id in ids {
            let own = self.one(session, id)?;
            let (store, entry) = self.snapshot.get(own);
            command.check_allowed(store, entry).map_err(|refusal| refused(id, refusal.into()))?;
            at.push(own);
        }
        self.make_each(Snapshot::of(self.snapshot.stores.clone()), at, command)
    }

    /// Changes records of a snapshot of this store, each once.
    pub(super) fn make_each(
        &mut self,
        snapshot: Snapshot,
        mut at: Vec<EntryRef>,
        command: impl Command,
    ) -> Result<usize> {
        at.sort_unstable();
        at.dedup();
        match at.is_empty() {
            true => Ok(0),
            false => Ok(self.make_of(snapshot, at, command)?.records()),
        }
    }
}

/// Names the record that was refused. Nothing was done with the others.
pub(super) fn refused(id: &str, error: MemoryError) -> MemoryError {
    let message = format!("{id:?}: {} Nothing was changed.", error.message);
    MemoryError { message, ..error }
}
