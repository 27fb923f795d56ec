//! A memory as its format reads it, once, while its file is read.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::time::Moment;
use super::untrusted_text::UntrustedText;
use crate::model::record_name::{Name, Reference};

/// The importance of a memory that records none.
pub const USUAL_IMPORTANCE: f64 = 0.5;

/// What a record says. Its texts are untrusted; the main text and other fields stay in the record's bytes.
#[derive(Clone, Debug, Default)]
pub struct StoredMemory {
    /// The stored id.
    pub id: Option<Box<str>>,
    /// The format's own word for its type (`decision`, `learning`, …), as stored.
    pub kind: Cow<'static, str>,
    /// The time of its creation.
    pub created: Option<Moment>,
    /// The time of its last access, if it is recorded.
    pub accessed: Option<Moment>,
    /// The number of accesses, if it is recorded.
    pub access_count: u64,
    /// 0 to 1; [`USUAL_IMPORTANCE`] if it is not recorded.
    pub importance: f64,
    /// The stored tags, in order.
    pub tags: Box<[Box<str>]>,
    /// The topic, for formats that have one.
    pub topic: Option<Box<str>>,
    /// Its references, in order.
    pub references: Box<[Reference<'static>]>,
    /// Other names than its id by which references may name it: the stem of its file, its trace.
    pub names: Box<[Name]>,
    /// The other fields of its schema that the query language has, by their names there (`severity`,
    /// `status`, `agent`, …), as text. A name may occur several times.
    pub facets: Box<[(&'static str, Box<str>)]>,
    /// True if it is at the floor of its decay at any age: a deprecated note.
    pub faded: bool,
    /// True if the record itself says that it is archived.
    pub archived: bool,
    /// True if it has a checksum.
    pub checksum: bool,
    /// Its title, made when it is first shown.
    pub title: OnceLock<UntrustedText>,
    /// True if its text has something that looks like a token or a private key. Computed on demand, because most are
    /// never shown.
    pub sensitive: OnceLock<bool>,
}

impl StoredMemory {
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the format's own word for its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    pub fn topic(&self) -> Option<&str> {
        self.topic.as_deref()
    }

    /// Returns the tags, in order.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.tags.iter().map(|tag| &**tag)
    }

    /// True if it has that tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags().any(|own| own == tag)
    }

    /// Joins the tags into one text.
    pub fn joined_tags(&self, between: &str) -> String {
        self.tags.join(between)
    }

    /// Returns the references, in order.
    pub fn references(&self) -> impl ExactSizeIterator<Item = Reference<'_, &str>> + Clone {
        self.references.iter().map(|own| Reference { relation: own.relation, to: own.to.borrowed() })
    }

    /// Returns the other names by which references may name it.
    pub fn names(&self) -> impl ExactSizeIterator<Item = Name<&str>> + Clone {
        self.names.iter().map(Name::borrowed)
    }

    /// Returns the other fields that the query language has: names and values.
    pub fn facets(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + Clone {
        self.facets.iter().map(|(name, value)| (*name, &**value))
    }

    /// Returns the agent that wrote the record, if the record says so.
    pub fn agent(&self) -> Option<&str> {
        self.facets().find(|(name, _)| *name == "agent").map(|(_, agent)| agent)
    }
}
