//! What a format made of one record's bytes, before it is packed.

use std::borrow::Cow;

use super::record::{Name, Reference};
use super::time::Moment;

/// What was read of a record; the fields are those of [`super::View`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedRecord {
    /// The stored id.
    pub id: Option<Box<str>>,
    /// Its type, as stored.
    pub kind: Cow<'static, str>,
    /// When it was created.
    pub created: Option<Moment>,
    /// When it was last accessed.
    pub accessed: Option<Moment>,
    /// How often it was accessed.
    pub access_count: u64,
    /// 0 to 1.
    pub importance: f64,
    /// The stored tags, in order.
    pub tags: Box<[Box<str>]>,
    /// The topic.
    pub topic: Option<Box<str>>,
    /// What it refers to, in order.
    pub references: Box<[Reference<'static>]>,
    /// What else than its id references may call it.
    pub names: Box<[Name]>,
    /// The other fields of its schema, by their names in the query language.
    pub facets: Box<[(&'static str, Box<str>)]>,
    /// Whether it is at the floor of its decay whatever its age.
    pub faded: bool,
    /// Whether the record itself says that it is archived.
    pub archived: bool,
    /// Whether it holds a checksum.
    pub checksum: bool,
}
