//! How a format takes records out for good, where it is not only that lines go.

use std::path::Path;

use super::{ChangesResult, Result, WriteContext};
use crate::model::{Change, Entry, Span, Store};
use crate::text::needle::Needles;

/// A stretch of a document that stands for itself, and may be repeated in other documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasablePart {
    /// Where it is.
    pub span: Span,
    /// What it is known by in any document, the surest first. They hold content.
    pub names: Vec<Vec<u8>>,
}

/// What an erasure asks of a format whose records are bound to each other.
pub trait FormatEraser: Sync {
    /// Whether that record can be erased; if not, why not.
    fn may_erase(&self, store: &Store, entry: &Entry) -> Result<()>;

    /// The parts that a document has.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart>;

    /// The document without the parts at these places, and with what depends on them made
    /// right.
    fn without(&self, file: &Path, bytes: &[u8], parts: &[Span]) -> Result<Vec<u8>>;

    /// What is left of a record that must not leave a gap: nothing that it said. What is left
    /// already stays as it is; `None` where the record goes whole.
    fn blank_record(&self, file: &Path, raw: &[u8], reason: &str) -> Option<Vec<u8>>;

    /// A record that stays, without what it repeats of parts that are erased; `None` where it
    /// repeats nothing.
    fn without_repeats(&self, file: &Path, raw: &[u8], parts: &Needles) -> Option<Vec<u8>>;

    /// The changes of files that say something of those in `changes`. They are made first, so
    /// that an erasure that is cut short finds again what they have to say.
    fn dependent_changes(&self, scene: &WriteContext<'_>, changes: &[Change]) -> ChangesResult;
}
