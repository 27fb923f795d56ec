//! Problems of the store and of its records.

use super::{Memory, Result};
use crate::model::Problem;

impl Memory {
    /// Returns all problems of the store, by file and line, as `palimp check` does. `docs/problems.md`
    /// lists the codes. Paths are relative to the store's root, lines count from 1.
    ///
    /// ```
    /// use palimp::memory::{Code, Memory, MemoryError, Severity};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let root = folder.path().join("memory");
    /// let mut memory = Memory::create("session-log", &root, &folder.path().join("data"))?;
    /// memory.create_session(Some("sess_one"), "agent")?;
    /// assert!(memory.problems().is_empty());
    ///
    /// // Another agent stopped in the middle of a line.
    /// let log = root.join("sessions/sess_one/memory.jsonl");
    /// std::fs::write(&log, "{\"id\":\"mem_1\",\"type\":\"deci").unwrap();
    /// let problems = memory.problems();
    /// let torn = problems.iter().find(|own| own.code == Code::TornLine).unwrap();
    /// assert_eq!((torn.severity, torn.line), (Severity::Error, Some(1)));
    /// assert_eq!(torn.file, std::path::Path::new("sessions/sess_one/memory.jsonl"));
    /// assert!(!torn.message.is_empty());
    /// // What is recalled says that there is more.
    /// assert!(memory.query("type:decision")?.problems.contains(torn));
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn problems(&mut self) -> Vec<Problem> {
        self.refresh();
        self.store().problems.clone()
    }

    /// Returns the problems of one record, live or not. [`Memory::get`] and [`Memory::query`]
    /// return them, too.
    ///
    /// ```
    /// use palimp::memory::{Code, Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let record = Some(r#"{"references":["mem_gone"]}"#);
    /// let new = New { session: Some(&session), kind: "finding", text: "As before", record, ..New::default() };
    /// let added = memory.add(&new)?;
    /// let problems = memory.problems_of(Some(&session), &added.id)?;
    /// assert_eq!(problems[0].code, Code::DanglingReference);
    /// # Ok::<(), MemoryError>(())
    /// ```
    pub fn problems_of(&mut self, session: Option<&str>, id: &str) -> Result<Vec<Problem>> {
        self.refresh();
        let (_, entry) = self.existing_entry(session, id)?;
        Ok(self.store().problems_of(&entry).cloned().collect())
    }
}
