//! A record: a span of a file's bytes, and a typed view of them.

use super::view::{PackedView, View};

/// A range of bytes within a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Span {
    /// How many bytes it covers.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether it covers none.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// One memory, or one stretch of bytes that could not be read as one.
#[derive(Clone, Debug)]
pub struct Record {
    /// Where its bytes are in the file, without line end and BOM.
    pub span: Span,
    /// The line it starts on, counting from 1; 0 while lines have not been counted
    /// (a file read from its tail).
    pub line: u32,
    /// How many lines it covers.
    pub lines: u32,
    /// What could be read of it.
    pub body: RecordBody,
}

/// What could be read of a record's bytes.
#[derive(Clone, Debug)]
pub enum RecordBody {
    /// A whole object and its view, or a torn tombstone and the part of it that is certain.
    Read(PackedView),
    /// Nothing without guessing: torn, not JSON, not an object, …
    Broken,
}

impl Record {
    /// The typed view, if the record is not broken.
    pub fn view(&self) -> Option<View<'_>> {
        match &self.body {
            RecordBody::Read(packed) if !packed.is_torn() => Some(packed.view()),
            _ => None,
        }
    }

    /// The id of a memory, or the id that a tombstone names. A torn tombstone has it if the whole id is
    /// there.
    pub fn named_id(&self) -> Option<&str> {
        match &self.body {
            RecordBody::Read(packed) => packed.view().id,
            RecordBody::Broken => None,
        }
    }
}

/// What a name names. An id and a trace of the same letters are two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// One record, by its id or what stands for it.
    Record,
    /// All events of a workflow.
    Trace,
    /// A session.
    Session,
}

/// A name by which records are referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name<T = Box<str>> {
    /// What it names.
    pub of: NameKind,
    /// The name as stored. Untrusted text.
    pub text: T,
}

/// One reference of a record to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a, T = Box<str>> {
    /// The specification's word for it: `references`, `parent_message_id`, `[[link]]`, …
    pub relation: &'a str,
    /// What it refers to.
    pub to: Name<T>,
}

impl Reference<'static> {
    /// A reference to one record.
    pub fn to_record(relation: &'static str, id: impl Into<Box<str>>) -> Self {
        Reference { relation, to: Name { of: NameKind::Record, text: id.into() } }
    }
}

/// A record's text, read from its bytes when it is to be shown or searched.
/// All of it is untrusted: `text::show` makes it safe to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordText {
    /// One line that stands for the record in a list; never empty.
    pub title: String,
    /// The main text, whole.
    pub text: String,
    /// The dotted name of the member that holds the main text.
    pub main: &'static str,
    /// The other texts, in the order in which people read them: dotted names, and texts that may have several
    /// lines. All of them are among the fields, too.
    pub other_texts: Vec<(String, String)>,
    /// Every other member in stored order: its dotted name and its value as text.
    pub fields: Vec<(String, String)>,
}
