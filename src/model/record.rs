//! A record: a span of the bytes of a file, and the memory that they are.

use std::sync::Arc;

use super::stored_memory::StoredMemory;
use super::untrusted_text::UntrustedText;

/// A range of bytes within a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Span {
    /// Returns the number of bytes.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Returns the places of its bytes in the bytes of the file.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// True if it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// One memory, or bytes that could not be read as one.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its bytes in the file, without line end and BOM.
    pub span: Span,
    /// The line on which it starts, from 1; 0 if lines were not counted (the file was read from its tail).
    pub line: u32,
    /// The number of its lines.
    pub lines: u32,
    /// The part of it that could be read.
    pub body: RecordBody,
}

/// The part of a record that could be read.
#[derive(Clone, Debug)]
pub enum RecordBody {
    /// All of it.
    Read(Arc<StoredMemory>),
    /// Of a torn tombstone the id.
    Torn(Box<str>),
    /// Nothing without a guess: torn, not JSON, not an object and so on.
    Broken,
}

impl Record {
    /// Returns the memory, unless the record is broken or torn.
    pub fn memory(&self) -> Option<&StoredMemory> {
        match &self.body {
            RecordBody::Read(memory) => Some(memory),
            RecordBody::Torn(_) | RecordBody::Broken => None,
        }
    }

    /// Returns the id of its memory, if it could be read and has one.
    pub fn id(&self) -> Option<&str> {
        self.memory()?.id()
    }

    /// Returns the id of a memory or of a tombstone. A torn tombstone has one if the id is complete.
    pub fn named_id(&self) -> Option<&str> {
        match &self.body {
            RecordBody::Read(memory) => memory.id(),
            RecordBody::Torn(id) => Some(id),
            RecordBody::Broken => None,
        }
    }
}

/// The text of a record, to show and search it. It is untrusted: `text::safe_text` makes it safe to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordText {
    /// One line for the record in a list; never empty.
    pub title: UntrustedText,
    /// The complete main text.
    pub text: UntrustedText,
    /// The dotted name of the member with the main text.
    pub main: &'static str,
    /// The other texts in reading order, also in `fields`: dotted names, and texts of one or more lines.
    pub other_texts: Vec<(String, UntrustedText)>,
    /// Every other member in stored order: its dotted name, and its value as text.
    pub fields: Vec<(String, UntrustedText)>,
}
