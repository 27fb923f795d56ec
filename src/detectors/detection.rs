//! What a detector returns.

use std::borrow::Cow;
use std::ops::Range;

use super::kind::Kind;

/// Replaces the hidden part of a value.
pub const MASK: &str = "••••••";

/// A sensitive value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// Its kind.
    pub kind: Kind,
    /// The name of the rule that found it.
    pub rule: Cow<'static, str>,
    /// Where it is, in bytes.
    pub span: Range<usize>,
    /// The part of it that [`MASK`] replaces.
    pub hidden: Range<usize>,
}

/// Returns a value that [`MASK`] replaces as a whole.
pub fn hidden_whole(kind: Kind, rule: &'static str, span: Range<usize>) -> Detection {
    Detection { kind, rule: rule.into(), hidden: span.clone(), span }
}
