//! The files and the record after an edit.

use crate::model::Change;

pub(crate) enum EditResult {
    /// The new bytes of the record.
    Record(Vec<u8>),
    Files(Vec<Change>),
}
