//! A record as its format reads it, before it is packed.

use std::borrow::Cow;

use super::time::Moment;
use crate::model::record_name::{Name, Reference};

/// A parsed record. The fields are those of [`super::View`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedRecord {
    /// The stored id.
    pub id: Option<Box<str>>,
    /// Its type, as stored.
    pub kind: Cow<'static, str>,
    /// The time of its creation.
    pub created: Option<Moment>,
    /// The time of its last access.
    pub accessed: Option<Moment>,
    /// The number of accesses.
    pub access_count: u64,
    /// 0 to 1.
    pub importance: f64,
    /// The stored tags, in order.
    pub tags: Box<[Box<str>]>,
    /// The topic.
    pub topic: Option<Box<str>>,
    /// Its references, in order.
    pub references: Box<[Reference<'static>]>,
    /// Other names than its id by which references may name it.
    pub names: Box<[Name]>,
    /// The other fields of its schema, by their names in the query language.
    pub facets: Box<[(&'static str, Box<str>)]>,
    /// True if it is at the floor of its decay at any age.
    pub faded: bool,
    /// True if the record itself says that it is archived.
    pub archived: bool,
    /// True if it has a checksum.
    pub checksum: bool,
}
