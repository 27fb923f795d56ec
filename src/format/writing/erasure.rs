//! How a format erases records if it has to do more than remove lines.

use std::path::Path;

use super::{ChangesResult, Result, WriteContext};
use crate::model::{Change, Entry, Span, Store};
use crate::text::needle::Needles;

/// A part of a document that other documents may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasablePart {
    /// Its place.
    pub span: Span,
    /// What identifies it in any document, the most reliable first. They contain content.
    pub names: Vec<Vec<u8>>,
    /// The ids of records in other files; it goes if all of these go.
    pub of: Vec<String>,
}

/// The erasure in formats whose records depend on each other.
pub trait FormatEraser: Sync {
    /// Returns an error with the reason if this record can't be erased.
    fn may_erase(&self, store: &Store, entry: &Entry) -> Result<()>;

    /// True for a file that repeats parts of another. An erased value is masked in it: the rest is history.
    fn is_snapshot(&self, _file: &Path) -> bool {
        false
    }

    /// Returns the parts of a document.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart>;

    /// Returns the document without these parts, with everything updated that depends on them.
    fn without(&self, file: &Path, bytes: &[u8], parts: &[Span]) -> Result<Vec<u8>>;

    /// Returns the document with everything updated that depends on its content, after a part of it was masked;
    /// `None` if nothing does.
    fn resigned(&self, _file: &Path, _bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Returns a record without its content, if removing it would leave a gap; `None` if the whole
    /// record is removed. An already empty one stays as it is.
    fn blank_record(&self, _file: &Path, _raw: &[u8], _reason: &str) -> Option<Vec<u8>> {
        None
    }

    /// Returns a record that stays, without repeats of erased parts; `None` if it repeats nothing.
    fn without_repeats(&self, _file: &Path, _raw: &[u8], _parts: &Needles) -> Option<Vec<u8>> {
        None
    }

    /// Returns changes of files that describe those in `changes`. They come first, so that an
    /// interrupted erasure finds them again.
    fn dependent_changes(&self, _context: &WriteContext<'_>, _changes: &[Change]) -> ChangesResult {
        Ok(Vec::new())
    }
}
