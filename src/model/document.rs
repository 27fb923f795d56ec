//! One file of a store, as it was read.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::key::RecordDigests;
use super::{Bytes, Problem, Record, Span};

/// The purpose of a file in a store. Each format decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Live records.
    Records,
    /// Records that were moved out of the live files.
    Archive,
    /// A copy of an earlier state; its records are not listed.
    Backup,
    /// Ids that were deleted.
    Tombstones,
    /// Derived from the records. The records count if both differ.
    Index,
    /// The settings of the store.
    Config,
    /// Data about one session.
    Metadata,
    /// A lock of the format.
    Lock,
    /// A temporary file that was left behind.
    Temp,
    /// Listed and kept, but not checked.
    Other,
}

impl Role {
    /// True if the content of the file is needed to show a store.
    pub fn is_content(self) -> bool {
        !matches!(self, Role::Backup | Role::Temp | Role::Lock | Role::Other)
    }
}

/// One file, as it was read.
#[derive(Clone)]
pub struct Document {
    /// Relative to the store's root.
    pub path: PathBuf,
    /// Its purpose.
    pub role: Role,
    /// Its bytes from `offset` on. Files whose content is not read (backups, others) have none.
    pub bytes: Bytes,
    /// The place of `bytes` in the file: 0 unless only the tail was read.
    pub offset: u64,
    /// The length of the file when it was read.
    pub len: u64,
    /// The state of the file. A changed file has another.
    pub generation: Generation,
    /// Its records, in file order.
    pub records: Vec<Record>,
    /// The problems that show in this file alone.
    pub problems: Vec<Problem>,
    /// The digests that distinguish its records, computed on demand.
    pub digests: RecordDigests,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({:?}, {:?}, {} memories)", self.path, self.role, self.records.len())
    }
}

impl Document {
    /// Creates a document without records, of bytes not read from its file: new, kept or unpacked ones.
    pub fn of_bytes(path: PathBuf, role: Role, bytes: impl Into<Bytes>) -> Document {
        let bytes = bytes.into();
        Document {
            path,
            role,
            offset: 0,
            len: bytes.len() as u64,
            bytes,
            generation: Default::default(),
            records: Vec::new(),
            problems: Vec::new(),
            digests: Default::default(),
        }
    }

    /// True if both are the same state of a file. Their bytes must be equal if both have them.
    pub fn is_state_of(self: &Arc<Self>, other: &Arc<Document>) -> bool {
        Arc::ptr_eq(self, other)
            || self.path == other.path
                && self.generation == other.generation
                && (self.bytes.is_empty() || other.bytes.is_empty() || self.bytes == other.bytes)
    }

    /// True if all its bytes are in memory.
    pub fn is_held(&self) -> bool {
        self.offset == 0 && self.bytes.len() as u64 == self.len
    }

    pub fn raw(&self, record: &Record) -> Cow<'_, [u8]> {
        self.bytes_of(record.span)
    }

    /// Returns the bytes of a range of the file.
    pub fn bytes_of(&self, span: Span) -> Cow<'_, [u8]> {
        let at = |place: u64| place.saturating_sub(self.offset) as usize;
        self.bytes.range(at(span.start)..at(span.end)).unwrap_or_default()
    }
}

/// A state of a file. Equal generations mean equal bytes, if they are settled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Generation {
    pub device: u64,
    pub inode: u64,
    /// The length in bytes.
    pub len: u64,
    /// The time of the last change, in nanoseconds since 1970.
    pub modified: i128,
    /// True if the last change is old enough that the next one has another time. It is not compared.
    pub is_settled: bool,
}

impl Generation {
    fn told(&self) -> (u64, u64, u64, i128) {
        (self.device, self.inode, self.len, self.modified)
    }

    /// True if a file that was read in this state, and is in state `now`, certainly has the same bytes.
    pub fn has_same_bytes(&self, now: &Generation) -> bool {
        self == now && self.is_settled
    }
}

impl PartialEq for Generation {
    fn eq(&self, other: &Generation) -> bool {
        self.told() == other.told()
    }
}

impl Eq for Generation {}
