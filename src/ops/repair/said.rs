//! Whether anything is left of what a memory said: what has no text any more is no memory to propose.

use super::Bench;
use crate::model::{Document, Role};
use crate::text::edit::scan;
use crate::text::scan::Tape;

/// So sure is what leaves nothing of a text: less than to keep the bytes in quarantine.
pub(super) const SILENT: u8 = 10;

impl Bench<'_> {
    /// Whether a record of a file says something. A tombstone need not: it names.
    pub(super) fn says(&self, document: &Document, object: &[u8]) -> bool {
        let mut tape = Tape::default();
        document.role == Role::Tombstones
            || self.format.is_none_or(|format| scan(&mut tape, object).is_ok_and(|own| format.says(own)))
    }
}
