//! Names of records, and what they refer to.

/// The kind of a name. An id and a trace with the same letters are different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameKind {
    /// One record, by its id or another name for it.
    Record,
    /// All events of a workflow.
    Trace,
    Session,
}

/// A name by which records are referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name<T = Box<str>> {
    pub of: NameKind,
    /// The name as stored. Untrusted text.
    pub text: T,
}

impl Name {
    /// Returns the same name without its own text.
    pub fn borrowed(&self) -> Name<&str> {
        Name { of: self.of, text: &self.text }
    }
}

/// A reference of one record to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a, T = Box<str>> {
    /// The specification's word for it: `references`, `parent_message_id`, `[[link]]`, …
    pub relation: &'a str,
    /// The name of what it refers to.
    pub to: Name<T>,
}

impl Reference<'static> {
    /// Creates a reference to one record.
    pub fn to_record(relation: &'static str, id: impl Into<Box<str>>) -> Self {
        Reference { relation, to: Name { of: NameKind::Record, text: id.into() } }
    }
}
