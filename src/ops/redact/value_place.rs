//! A place that a redaction is about, and the refusal of one.

use std::fmt;
use std::ops::Range;

use crate::ops::Refusal;

/// A place in a record's bytes, and what comes there.
#[derive(Clone)]
pub(super) struct ValuePlace {
    /// Where it is.
    pub at: Range<usize>,
    /// The value, unescaped.
    pub value: Vec<u8>,
    /// What replaces it, not escaped.
    pub with: String,
}

/// Refuses a place, by the name of its field.
pub(super) fn refused(field: &str, why: impl fmt::Display) -> Refusal {
    Refusal::unfit(format!("`{field}` {why}."))
}
