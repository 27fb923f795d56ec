//! Why a query is refused.

use std::ops::Range;

/// Where and why a query can't be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// What is wrong and what would be right, in a sentence. Quotes the query.
    pub message: String,
}
