//! What `bmad` writes: bytes in, bytes out. Locks, disk and the clock are the caller's.
//!
//! Choices where the specification is silent:
//! - Times are written in UTC with milliseconds at most, as its `toISOString()` has them.
//! - `size_bytes` counts the four logs.
//! - A session that is made is called `sess-YYYY-MM-DD-name`; one that is found may be
//!   called anything that can be the name of one folder.
//! - In the index a word has 3 to 64 letters and digits. Who wrote a record and the words
//!   of its enumerations are not words of its text. A decision also is under the
//!   topics of the messages that it refers to; a record without a time is under
//!   `undated`.
//! - `last_decay_update` is in milliseconds since 1970, as its `Date.now()` is, unless the
//!   record already holds a text there.

mod archive;
mod decay;
mod index;
mod json;
mod manifest;
mod record;
mod restore;
mod session;

use std::path::Path;

use super::layout::LOGS;
use crate::model::{Document, Moment};
use crate::text::records::{self, Piece};

pub use archive::archive_session;
pub use decay::{Weighed, compaction, factor};
pub use index::{Index, contradicts, index, is_own};
pub use manifest::{Seen, manifest, recounted};
pub use record::{Draft, new_record};
pub use restore::{Unsafe, restore_session};
pub use session::{new_session, session_id};

/// A file as it is to be written: its path and its bytes.
pub type File = (std::path::PathBuf, Vec<u8>);

/// Why something is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// What should be one JSON object is not.
    #[error("{what} can't be read: {why}")]
    Unreadable {
        /// Which bytes.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// A session can't be called that.
    #[error("{id:?} can't be a session's id: {why}.")]
    BadSession {
        /// The id.
        id: String,
        /// Why not.
        why: &'static str,
    },
    /// A file can't be in a session under that path.
    #[error("{path:?} can't be archived: it does not name a file of its own below the session.")]
    BadPath {
        /// The path.
        path: String,
    },
    /// The archive could not be made, or would not give back what was put in.
    #[error("The session can't be archived: {0}")]
    Archive(String),
    /// There is no such type of memory.
    #[error("{0:?} is not a type of memory; there are conversation, decision, finding and preference.")]
    UnknownType(String),
    /// Memories of that type have no such member.
    #[error("A {kind} has no {member}.")]
    NoSuchMember {
        /// The type.
        kind: &'static str,
        /// What was given.
        member: &'static str,
    },
    /// A member is given twice, with two values.
    #[error("{0} is given twice.")]
    GivenTwice(&'static str),
    /// The text is empty.
    #[error("A {0} needs a text.")]
    NoText(&'static str),
    /// A preference names no key.
    #[error("A preference needs a key: write it as `key: value`, or give `key`.")]
    NoKey,
    /// A record can't be called that.
    #[error("{0:?} can't be a record's id: it may hold letters, digits, `-`, `_` and `.`.")]
    BadId(String),
    /// The id is another record's.
    #[error("The id {0:?} is taken.")]
    IdTaken(String),
    /// What would be written breaks the schema.
    #[error("It would break the schema: {}", .0.join(" "))]
    Faulty(Vec<String>),
}

/// One of a session's four logs.
#[derive(Clone, Copy, Debug)]
pub struct Log<'a> {
    /// Which of the four, by its place among them.
    place: usize,
    bytes: &'a [u8],
}

impl<'a> Log<'a> {
    /// The log of that file name, with all its bytes; `None` for other files.
    pub fn new(path: &Path, bytes: &'a [u8]) -> Option<Log<'a>> {
        let name = path.file_name()?;
        let place = LOGS.iter().position(|(log, _)| name == *log)?;
        Some(Log { place, bytes })
    }

    /// The log that a document is, if it is one and was read from its start.
    pub fn of(document: &'a Document) -> Option<Log<'a>> {
        let whole = document.offset == 0 && document.len == document.bytes.len() as u64;
        whole.then(|| Log::new(&document.path, &document.bytes)).flatten()
    }
}

/// Hands on every piece of the logs, in the order in which the specification lists them.
fn each_piece(logs: &[Log<'_>], take: &mut dyn FnMut(&Log<'_>, Piece<'_>)) {
    let mut logs = logs.to_vec();
    logs.sort_by_key(|log| log.place);
    for log in &logs {
        records::split(log.bytes, &mut |piece| take(log, piece));
    }
}

/// A moment as it is written.
fn stamp(now: Moment) -> String {
    Moment(now.0.div_euclid(1000).saturating_mul(1000)).to_rfc3339()
}

#[cfg(test)]
mod tests;
