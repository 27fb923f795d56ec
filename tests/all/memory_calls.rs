//! The calls of the library that the specifications name, in several formats, and what they refuse.

mod a_mem_calls;
mod add_all;
mod archived;
mod batches;
mod given_ids;
mod links;
mod meanwhile;
mod opened;
mod problems;
mod queries;
mod stores;
mod undone;

use std::path::PathBuf;

use palimp::memory::{Memory, MemoryError, New};
use tempfile::TempDir;

/// Formats with a type of memories that are lines or files, and whether those have a session.
const KINDS: [(&str, &str, bool); 4] = [
    ("session-log", "finding", true),
    ("bmad", "finding", true),
    ("memory-server", "learning", false),
    ("a-mem", "note", false),
];

/// A store with one session, if its format has sessions.
struct Desk {
    folder: TempDir,
    memory: Memory,
    session: Option<String>,
    kind: &'static str,
}

impl Desk {
    fn new((format, kind, has_sessions): (&str, &'static str, bool)) -> Desk {
        let folder = crate::support::folder::new();
        let (root, data) = (folder.path().join("store"), folder.path().join("data"));
        let mut memory = Memory::create(format, &root, &data).unwrap();
        let session = has_sessions.then(|| memory.create_session(Some("sess_one"), "tester").unwrap());
        Desk { folder, memory, session, kind }
    }

    fn of(format: &str) -> Desk {
        Desk::new(*KINDS.iter().find(|own| own.0 == format).unwrap())
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Adds a memory and returns its id.
    fn add(&mut self, new: New<'_>) -> String {
        let kind = if new.kind.is_empty() { self.kind } else { new.kind };
        let new = New { session: new.session.or(self.session.as_deref()), kind, ..new };
        self.memory.add(&new).unwrap().id
    }

    fn add_text(&mut self, text: &str) -> String {
        self.add(New { text, ..New::default() })
    }

    fn get(&mut self, id: &str) -> Option<String> {
        self.memory.get(None, id).unwrap().map(|own| own.text)
    }
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, MemoryError>, code: &str, part: &str) {
    let error = outcome.unwrap_err();
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(part), "{error}");
}
