//! Records as they are recalled.

use super::{Memory, MemoryError, Recalled, Result};
use crate::format;
use crate::model::{Code, EntryRef, Moment, Problem, Snapshot, State, Store, View};
use crate::query::reachable;
use crate::text::canonical::Checksum;

/// A record that was recalled. All of its text is untrusted: an agent may have copied a web
/// page into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its id.
    pub id: Option<String>,
    /// Its session.
    pub session: Option<String>,
    /// The format's own word for its type.
    pub kind: String,
    /// Its main text.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was created.
    pub created: Option<Moment>,
    /// From 0 to 1.
    pub importance: f64,
    /// What results are ordered by.
    pub rank: Option<f64>,
    /// Whether it counts.
    pub state: State,
    /// Whether its checksum is the one of its content (2 §8.2). None where it has none, or is of a format that
    /// does not say how one is made.
    pub checksum: Option<Checksum>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Its exact bytes.
    pub raw: Vec<u8>,
}

impl Memory {
    /// Records that refer to one another within `depth` steps of that one, best first. An id
    /// that is in several sessions is refused unless the session is named. [`Memory::links`] tells which of
    /// two refers to the other.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # fn main() -> Result<(), MemoryError> {
    /// # let folder = std::env::temp_dir().join(format!("palimp-doc-related-{}", std::process::id()));
    /// let mut memory = Memory::create("session-log", &folder.join("memory"), &folder.join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let new = New { session: Some(&session), kind: "finding", text: "The pool is small", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// let record = format!("{{\"references\":[{id:?}]}}");
    /// let new = New { text: "Make it larger", record: Some(&record), ..new };
    /// let other = memory.add(&new)?.id;
    /// let related = memory.related(None, &id, 1)?;
    /// assert_eq!(related[0].id.as_ref(), Some(&other));
    /// # drop(memory);
    /// # std::fs::remove_dir_all(&folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such record, several have the id, or the store can't be read.
    pub fn related(&mut self, session: Option<&str>, id: &str, depth: usize) -> Result<Recalled<Vec<Found>>> {
        self.refresh();
        let (at, _) = self.existing_entry(session, id)?;
        let reached = reachable(&self.snapshot, [at].into(), depth);
        let mut found = self.search(&[""], Default::default())?;
        found.retain(|(at, _)| reached.contains(at));
        Ok(self.recalled(self.all_found(found)))
    }

    /// What was read of the store, with what could not be.
    pub(super) fn recalled<T>(&self, read: T) -> Recalled<T> {
        Recalled::of(read, self.store())
    }

    pub(super) fn all_found(&self, hits: Vec<(EntryRef, Option<f64>)>) -> Vec<Found> {
        hits.into_iter().map(|(at, rank)| self.found(at, rank)).collect()
    }

    pub(super) fn found(&self, at: EntryRef, rank: Option<f64>) -> Found {
        Found::of(&self.snapshot, at, rank)
    }

    /// The session of that name is not there.
    pub(super) fn no_session(&self, name: &str) -> MemoryError {
        let message = format!("There is no session {name:?}.");
        self.known_absent(MemoryError::new("E_SESSION_NOT_FOUND", message))
    }
}

impl Found {
    pub(super) fn of(snapshot: &Snapshot, at: EntryRef, rank: Option<f64>) -> Found {
        let (store, entry) = snapshot.get(at);
        let view = store.view(entry);
        let problems: Vec<Problem> = store.problems_of(entry).cloned().collect();
        Found {
            id: view.and_then(|view| view.id).map(str::to_owned),
            session: store.session(entry).map(|session| session.name.clone()),
            kind: view.map(|view| view.kind.to_string()).unwrap_or_default(),
            text: format::text_of(store, entry).text,
            tags: view.map(|view| view.tags.iter().map(|tag| tag.to_string()).collect()).unwrap_or_default(),
            created: view.and_then(|view| view.created),
            importance: view.map_or(0.5, |view| view.importance),
            rank,
            state: entry.state,
            checksum: view.and_then(|view| checksum(store, view, &problems)),
            problems,
            raw: store.raw(entry).to_vec(),
        }
    }
}

/// How a record's checksum relates to its content, by the problems that reading found.
fn checksum(store: &Store, view: View<'_>, problems: &[Problem]) -> Option<Checksum> {
    let has = |code| problems.iter().any(|own| own.code == code);
    // The others have members of that name at most, without a rule for them.
    let has_rule = store.format == "session-log" && view.checksum;
    has_rule.then(|| match () {
        () if has(Code::ChecksumMismatch) => Checksum::Mismatch,
        () if has(Code::ChecksumLegacy) => Checksum::Legacy,
        () => Checksum::Canonical,
    })
}
