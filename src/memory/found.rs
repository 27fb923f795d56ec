//! A memory that was found.

use crate::format;
use crate::model::{Code, EntryRef, Moment, Problem, Snapshot, State, Store, StoredMemory};
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

impl Found {
    pub(crate) fn of(snapshot: &Snapshot, at: EntryRef, rank: Option<f64>) -> Found {
        let (store, entry) = snapshot.get(at);
        let memory = store.memory(entry);
        let problems: Vec<Problem> = store.problems_of(entry).cloned().collect();
        Found {
            id: memory.and_then(|memory| memory.id()).map(str::to_owned),
            session: store.session(entry).map(|session| session.name.clone()),
            kind: memory.map(|memory| memory.kind().to_string()).unwrap_or_default(),
            text: format::text_of(store, entry).text.into_raw(),
            tags: memory.map(|memory| memory.tags().map(|tag| tag.to_string()).collect()).unwrap_or_default(),
            created: memory.and_then(|memory| memory.created),
            importance: memory.map_or(0.5, |memory| memory.importance),
            rank,
            state: entry.state,
            checksum: memory.and_then(|memory| checksum(store, memory, &problems)),
            problems,
            raw: store.raw(entry).to_vec(),
        }
    }
}

/// Returns how a record's checksum fits its content, from the problems that reading found.
fn checksum(store: &Store, memory: &StoredMemory, problems: &[Problem]) -> Option<Checksum> {
    let has = |code| problems.iter().any(|own| own.code == code);
    // Other formats may have a member of that name, but no rule for it.
    let has_rule =
        memory.checksum && format::by_name(store.format).is_some_and(|own| own.about().has_checksums);
    has_rule.then(|| match () {
        () if has(Code::ChecksumMismatch) => Checksum::Mismatch,
        () if has(Code::ChecksumLegacy) => Checksum::Legacy,
        () => Checksum::Canonical,
    })
}
