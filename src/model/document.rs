//! One file of a store, as it was read.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::bytes::Bytes;
use super::key::RecordDigests;
use super::lazy_bytes::RecordReader;
use super::problem::Problem;
use super::record::{Record, Span};

/// What a file within a store is for. Each format says which of its files is what.
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
    /// Derived from the records, never believed over them.
    Index,
    /// The store's settings.
    Config,
    /// What is known of one session.
    Metadata,
    /// A lock of the format.
    Lock,
    /// A temporary file that was left behind.
    Temp,
    /// Shown and kept, not judged.
    Other,
}

impl Role {
    /// Whether a file's content is needed to show a store.
    pub fn is_content(self) -> bool {
        !matches!(self, Role::Backup | Role::Temp | Role::Lock | Role::Other)
    }
}

/// One file, as it was read.
#[derive(Clone)]
pub struct Document {
    /// Relative to the store's root.
    pub path: PathBuf,
    /// What it is for.
    pub role: Role,
    /// Its bytes from `offset` on; unread files (backups, others) have none, nor do logs that are only listed.
    /// Those of a large log are read from its file when they are asked for.
    pub bytes: Bytes,
    /// Where its bytes are read from when they are asked for, if they are not held.
    pub record_reader: Option<RecordReader>,
    /// Where `bytes` starts in the file: 0 unless only the tail was read.
    pub offset: u64,
    /// The file's length when it was read.
    pub len: u64,
    /// Which state of the file this is; a changed file has another.
    pub generation: Generation,
    /// Its records, in file order.
    pub records: Vec<Record>,
    /// What is wrong with it, as far as the file alone can tell.
    pub problems: Vec<Problem>,
    /// What its records are told apart by, once it is asked for.
    pub digests: RecordDigests,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({:?}, {:?}, {} memories)", self.path, self.role, self.records.len())
    }
}

impl Document {
    /// A document of bytes that were not read from its file: made, kept or unpacked ones. Nothing
    /// was read of them yet.
    pub fn of_bytes(path: PathBuf, role: Role, bytes: impl Into<Bytes>) -> Document {
        let bytes = bytes.into();
        Document {
            path,
            role,
            record_reader: None,
            offset: 0,
            len: bytes.len() as u64,
            bytes,
            generation: Default::default(),
            records: Vec::new(),
            problems: Vec::new(),
            digests: Default::default(),
        }
    }

    /// Whether it is the same state of a file as another. Where the bytes of both are held, they decide.
    pub fn is_state_of(self: &Arc<Self>, other: &Arc<Document>) -> bool {
        let is_listed = self.record_reader.is_some() || other.record_reader.is_some();
        Arc::ptr_eq(self, other)
            || self.path == other.path
                && self.generation == other.generation
                && (self.bytes.is_empty() || other.bytes.is_empty() || self.bytes == other.bytes)
                && (!is_listed || self.record_digests() == other.record_digests())
    }

    /// Whether all its bytes can be had, at once or when they are asked for.
    pub fn is_held(&self) -> bool {
        self.offset == 0 && self.bytes.len() as u64 == self.len
    }

    /// The exact bytes of one of its records; none where its file changed since they were read.
    pub fn raw(&self, record: &Record) -> Cow<'_, [u8]> {
        debug_assert!(self.record_reader.is_none() || !self.bytes.is_empty(), "{:?} is not held", self.path);
        self.bytes_of(record.span)
    }

    /// The bytes of its record of that index, also where they are not held; `None` where the file
    /// changed since and they are gone.
    pub fn read(&self, record: u32) -> Option<Cow<'_, [u8]>> {
        let own = self.records.get(record as usize)?;
        match &self.record_reader {
            Some(from) if !self.is_held() => from.record(record, own.span).map(Cow::Owned),
            _ => self.range(own.span),
        }
    }

    /// The bytes of a range of the file that holds that record.
    pub fn read_around(&self, record: u32, span: Span) -> Option<Cow<'_, [u8]>> {
        let own = self.records.get(record as usize)?;
        match &self.record_reader {
            Some(from) if !self.is_held() => from.around(record, own.span, span).map(Cow::Owned),
            _ => self.range(span),
        }
    }

    fn range(&self, span: Span) -> Option<Cow<'_, [u8]>> {
        let at = |place: u64| place.saturating_sub(self.offset) as usize;
        Some(self.bytes.range(at(span.start)..at(span.end)).unwrap_or_default())
    }

    /// The bytes of a range of the file.
    pub fn bytes_of(&self, span: Span) -> Cow<'_, [u8]> {
        self.range(span).unwrap_or_default()
    }
}

/// A state of a file: equal generations mean equal bytes, once they are settled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Generation {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// The length in bytes.
    pub len: u64,
    /// The last change in nanoseconds since 1970.
    pub modified: i128,
    /// Whether that was so long before it was looked at that the next change has another time.
    /// It tells states apart no further.
    pub is_settled: bool,
}

impl Generation {
    fn told(&self) -> (u64, u64, u64, i128) {
        (self.device, self.inode, self.len, self.modified)
    }

    /// Whether a file that was in this state when it was read, and is in that one now, surely
    /// holds the same bytes.
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
