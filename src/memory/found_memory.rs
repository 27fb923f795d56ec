//! Recalled records.

use super::{Memory, MemoryError, Recalled, Result};
use crate::format;
use crate::model::{Code, EntryRef, Moment, Problem, Snapshot, State, Store, View};
use crate::query::reachable;
use crate::text::canonical::Checksum;

/// A recalled record. All its text is untrusted: an agent may have copied a web page into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its id.
    pub id: Option<String>,
    /// Its session.
    pub session: Option<String>,
    /// Its type, in the format's own word.
    pub kind: String,
    /// Its main text.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was created.
    pub created: Option<Moment>,
    /// Its importance, from 0 to 1.
    pub importance: f64,
    /// The number that results are ordered by.
    pub rank: Option<f64>,
    /// Its state: live, archived, deleted or broken.
    pub state: State,
    /// How its checksum fits its content (2 §8.2). `None` if it has none, or the format has no rule.
    pub checksum: Option<Checksum>,
    /// Its problems.
    pub problems: Vec<Problem>,
    /// Its exact bytes.
    pub raw: Vec<u8>,
}

impl Memory {
    /// Returns the records within `depth` references of a record, best first. If several sessions
    /// have the id, name the session. [`Memory::links`] shows the direction of each reference.
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
    /// If there is no such record, several sessions have the id, or the store can't be read.
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

/// Returns how a record's checksum fits its content, from the problems that reading found.
fn checksum(store: &Store, view: View<'_>, problems: &[Problem]) -> Option<Checksum> {
    let has = |code| problems.iter().any(|own| own.code == code);
    // Other formats may have a member of that name, but no rule for it.
    let has_rule = store.format == "session-log" && view.checksum;
    has_rule.then(|| match () {
        () if has(Code::ChecksumMismatch) => Checksum::Mismatch,
        () if has(Code::ChecksumLegacy) => Checksum::Legacy,
        () => Checksum::Canonical,
    })
}
