//! Recognizes memories whose text is lost. A repair does not propose them first.

use super::RepairContext;
use crate::model::{Document, Role};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// The confidence of a fix whose result has no text. It is lower than that of a move to quarantine.
pub(super) const SILENT: u8 = 10;

impl RepairContext<'_> {
    /// True if a record of a file has a text. A tombstone needs none, because it only names a memory.
    pub(super) fn says(&self, document: &Document, object: &[u8]) -> bool {
        let mut tape = Tape::default();
        document.role == Role::Tombstones
            || self.format.is_none_or(|format| scan(&mut tape, object).is_ok_and(|own| format.has_text(own)))
    }
}
