//! The error for a query that is refused.

use std::ops::Range;

/// The place and the reason of an error in a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// A sentence that says what is wrong and what is right. It quotes the query.
    pub message: String,
}
