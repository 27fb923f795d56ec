//! A record: a span of a file's bytes, and a typed view of them.

use std::borrow::Cow;

use super::time::Moment;

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
    pub body: Body,
}

/// What could be read of a record's bytes.
#[derive(Clone, Debug)]
pub enum Body {
    /// A whole object.
    Read(Box<View>),
    /// Nothing without guessing: torn, not JSON, not an object, …
    Broken,
}

impl Record {
    /// The typed view, if the record is not broken.
    pub fn view(&self) -> Option<&View> {
        match &self.body {
            Body::Read(view) => Some(view),
            Body::Broken => None,
        }
    }
}

/// What the program needs of a record at hand; everything else stays in its bytes.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The stored id.
    pub id: Option<Box<str>>,
    /// The format's own word for its type (`decision`, `learning`, …), as stored.
    pub kind: Cow<'static, str>,
    /// When it was created.
    pub created: Option<Moment>,
    /// When it was last accessed, where that is recorded.
    pub accessed: Option<Moment>,
    /// How often it was accessed, where that is recorded.
    pub access_count: u64,
    /// 0 to 1; 0.5 where nothing is recorded.
    pub importance: f64,
    /// The stored tags, in order.
    pub tags: Box<[Box<str>]>,
    /// The topic, for formats that have one.
    pub topic: Option<Box<str>>,
    /// What it refers to, in order.
    pub references: Box<[Reference]>,
    /// What else than its id references may call it: the stem of its file, its trace.
    pub names: Box<[Name]>,
    /// The other fields of its schema that the query language knows, by their names there
    /// (`severity`, `status`, `agent`, …), as text. A name may occur several times.
    pub facets: Box<[(&'static str, Box<str>)]>,
    /// Whether it is at the floor of its decay whatever its age: a deprecated note.
    pub faded: bool,
    /// Whether the record itself says that it is archived.
    pub archived: bool,
    /// Whether it holds a checksum.
    pub checksum: bool,
    /// Whether its text holds what looks like a token or a private key.
    pub sensitive: bool,
}

/// What a name names. An id and a trace of the same letters are two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Named {
    /// One record, by its id or what stands for it.
    Record,
    /// All events of a workflow.
    Trace,
    /// A session.
    Session,
}

/// A name by which records are referred to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// What it names.
    pub of: Named,
    /// The name as stored. Untrusted text.
    pub text: Box<str>,
}

/// One reference of a record to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The specification's word for it: `references`, `parent_message_id`, `[[link]]`, …
    pub relation: &'static str,
    /// What it refers to.
    pub to: Name,
}

impl Reference {
    /// A reference to one record.
    pub fn to_record(relation: &'static str, id: impl Into<Box<str>>) -> Self {
        Reference { relation, to: Name { of: Named::Record, text: id.into() } }
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
    /// Every other member in stored order: its dotted name and its value as text.
    pub fields: Vec<(String, String)>,
}
