//! Undo and redo.

use std::sync::Arc;

use super::{Memory, Result};
use crate::disk::host::Host;
use crate::model::Snapshot;
use crate::usecase::{self, ChangeRequest, RecentSteps, Requester, ReverseLast};

/// The result of an undo or a redo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The change, in a few words. May quote the store: untrusted text.
    pub said: String,
    /// What was not as expected: lines that other programs had added, and the like.
    pub notes: Vec<String>,
}

impl Memory {
    /// Undoes palimp's last change of the store, also one by its screens or verbs, or before a restart.
    /// Another call undoes the change before it. Undo data is kept for 30 days. Erasures are skipped.
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
    ///
    /// memory.undo()?;
    /// assert!(memory.get(None, &added.id)?.is_some());
    /// memory.redo()?;
    /// assert!(memory.get(None, &added.id)?.is_none());
    /// let nothing = memory.redo().unwrap_err();
    /// assert_eq!(nothing.code, "E_INVALID_QUERY");
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_QUERY` if there is nothing to undo, or its undo data is gone. `E_CONCURRENT_MOD`
    /// if another program changed the same place since. Also if the change can't be made.
    pub fn undo(&mut self) -> Result<Undone> {
        self.reverse(false)
    }

    /// Redoes the change that was undone last. This works only until something else is changed.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.undo()?;
    /// assert!(memory.get(None, &id)?.is_none());
    /// let redone = memory.redo()?;
    /// assert!(redone.said.starts_with("redid"));
    /// assert!(memory.get(None, &id)?.is_some());
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_QUERY` if there is nothing to redo. Else as [`Memory::undo`].
    pub fn redo(&mut self) -> Result<Undone> {
        self.reverse(true)
    }

    fn reverse(&mut self, is_redo: bool) -> Result<Undone> {
        self.ready()?;
        self.store().whole()?;
        let snapshot = Arc::new(Snapshot::of(self.snapshot.stores.clone()));
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let request = ChangeRequest::new(
            snapshot,
            Requester::Ids,
            Arc::new(ReverseLast { is_redo }),
            self.data.clone(),
            host.now,
        );
        let turned = usecase::undo_or_redo(&request, host, &mut RecentSteps::default(), is_redo)?;
        self.refresh();
        Ok(Undone { said: turned.said, notes: turned.notes })
    }
}
