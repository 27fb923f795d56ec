//! Operations, and their input.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Refusal, Result};
use crate::model::{Change, Moment, Store};

/// An operation on a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sets one field.
    Edit,
    /// Gives it another id.
    Rename,
    /// Adds or removes tags.
    Tag,
    Delete,
    Archive,
    /// Brings it back from the archive.
    Unarchive,
    /// Sets its type, which is a field of it.
    SetType,
}

/// An event that a store may log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditEvent {
    Repair,
    Erasure,
    /// The rest of an interrupted erasure that began at this time. Some files may have its event already.
    RestOfErasure(Moment),
}

/// How a format deletes a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionKind {
    /// Its bytes are removed.
    Removed,
    /// A tombstone names it. Its bytes stay until a compaction of the log.
    Tombstone,
    /// The record itself says that it is not valid any more.
    Deprecated,
    /// It is part of a document that the format writes in its own way.
    Canonical,
}

/// The text of a memory that others become a part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergedText {
    /// Its own, and what the others say besides.
    #[default]
    Both,
    /// Its own alone.
    OfTarget,
    OfOthers,
}

/// A deletion in the format's own way.
#[derive(Clone, Copy, Debug)]
pub struct FormatDeletion<'a> {
    /// The reason: a code without content.
    pub reason: &'a str,
    /// What replaces the records.
    pub replaced_by: Option<&'a str>,
    /// True to remove also what the format would keep of them.
    pub remove: bool,
}

/// The draft of a new record.
#[derive(Clone, Debug, Default)]
pub struct RecordDraft<'a> {
    pub session: Option<&'a str>,
    /// Its type, in the format's own word.
    pub kind: &'a str,
    /// Its main text.
    pub text: Option<&'a str>,
    pub tags: &'a [String],
    /// Its importance from 0 to 1.
    pub importance: Option<f64>,
    /// Members of the record as JSON. They win over generated ones.
    pub record: Option<&'a str>,
}

/// The input of an operation.
#[derive(Clone, Copy)]
pub struct WriteContext<'a> {
    /// The store as it was read.
    pub store: &'a Store,
    /// The time that is written.
    pub now: Moment,
    /// Unpredictable bytes, for ids.
    pub random: [u8; 16],
    /// The bytes on disk of [`compressed_files`](super::OwnOperations::compressed_files). A store
    /// has unpacked ones.
    pub compressed_files: &'a BTreeMap<PathBuf, Vec<u8>>,
}

impl<'a> WriteContext<'a> {
    /// The input of an operation that needs no compressed files.
    pub fn of(store: &'a Store, now: Moment, random: [u8; 16]) -> WriteContext<'a> {
        WriteContext { store, now, random, compressed_files: &NO_COMPRESSED_FILES }
    }
}

/// No compressed files.
pub static NO_COMPRESSED_FILES: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();

/// A field and its new value.
#[derive(Clone, Debug)]
pub struct FieldAssignment<'a> {
    /// The format's own dotted name, or `text` for the main text.
    pub name: &'a str,
    /// JSON if the field is not a string, else the text itself.
    pub value: &'a str,
}

#[derive(Clone, Debug)]
pub struct DueTask {
    /// Its name in a few words.
    pub what: String,
    /// The rule that makes it due, in words.
    pub rule: String,
    /// The number of records that it changes.
    pub records: usize,
    pub changes: Vec<Change>,
}

/// What a compaction does with a live memory whose decay is at its floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloorOutcome {
    /// The memory stays, whatever its rank.
    Stays,
    /// The memory is removed.
    Goes {
        /// The age in hours at which it is removed.
        age_hours: f64,
        /// At that age, importance times decay is below this value.
        below: f64,
    },
    /// The memory is removed unless it is among the best. The value is the share of a session that stays.
    MayGo(f64),
}

/// The reason of a deletion if none is given. It is a code, because it stays after the content is gone.
pub const DELETION_REASON: &str = "user_request";

/// True if a reason is a code, which can't repeat the content.
pub fn is_code(reason: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !reason.is_empty() && reason.len() <= 64 && reason.chars().all(fits)
}

/// Returns the reason if it is a code.
pub fn reason(reason: &str) -> Result<&str> {
    match is_code(reason) {
        true => Ok(reason),
        false => Err(Refusal::invalid(format!(
            "a reason is a code of letters, digits, - _ and ., not a sentence. {reason:?} is not such a code."
        ))),
    }
}
