//! What is asked of a format, and what it is done with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{Change, Moment, Store};

/// What may be done with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// One field is set.
    Edit,
    /// Tags are added or taken away.
    Tag,
    /// It is deleted.
    Delete,
    /// It is archived.
    Archive,
}

/// What a store may tell of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditEvent {
    /// Records were repaired.
    Repair,
    /// Records were erased.
    Erasure,
    /// An erasure goes on that began then. It may have been recorded, perhaps not in all files.
    RestOfErasure(Moment),
}

/// How a format deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionKind {
    /// Its bytes are removed.
    Removed,
    /// A tombstone names it; its bytes stay until the log is compacted.
    Tombstone,
    /// It says itself that it is not valid any more.
    Deprecated,
    /// It is part of a document, of which the write is the format's own.
    Canonical,
}

/// How records are deleted in the format's own way.
#[derive(Clone, Copy, Debug)]
pub struct FormatDeletion<'a> {
    /// Why: a code, not the content.
    pub reason: &'a str,
    /// What takes their place.
    pub replaced_by: Option<&'a str>,
    /// Whether what the format would keep of them goes, too.
    pub remove: bool,
}

/// A record to be.
#[derive(Clone, Debug, Default)]
pub struct RecordDraft<'a> {
    /// The session that it belongs to.
    pub session: Option<&'a str>,
    /// The format's own word for its type.
    pub kind: &'a str,
    /// Its main text.
    pub text: Option<&'a str>,
    /// Its tags.
    pub tags: &'a [String],
    /// From 0 to 1.
    pub importance: Option<f64>,
    /// Members of the record as JSON: they come before what is made up for it.
    pub record: Option<&'a str>,
}

/// What an operation is done with.
pub struct WriteContext<'a> {
    /// The store as it was read.
    pub store: &'a Store,
    /// The time that is written down.
    pub now: Moment,
    /// Bytes that nobody can foretell, for ids.
    pub random: [u8; 16],
    /// Compressed files as they are on disk, those that [`FormatWriter::packed`](super::FormatWriter::compressed_files) names: a store
    /// holds what was unpacked from them.
    pub compressed_files: &'a BTreeMap<PathBuf, Vec<u8>>,
}

/// No compressed files, for whatever needs none.
pub static NO_COMPRESSED_FILES: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();

/// A field to be set.
#[derive(Clone, Debug)]
pub struct FieldAssignment<'a> {
    /// The format's own name, dotted where nested; or `text`, the main text wherever it is.
    pub name: &'a str,
    /// JSON where the field is no string, else the text as it is.
    pub value: &'a str,
}

/// Something that is due.
#[derive(Clone, Debug)]
pub struct DueTask {
    /// A few words.
    pub what: String,
    /// The rule that says so, in words.
    pub rule: String,
    /// How many records it concerns.
    pub records: usize,
    /// The changes.
    pub changes: Vec<Change>,
}
