//! Two memories, compared.

use std::sync::Arc;

use crate::model::{EntryRef, Snapshot};
use crate::tui::line_diff::LinePair;
use crate::tui::state::row_list::ListCursor;

#[derive(Default)]
pub struct MemoryDifference {
    /// The state of the stores that the memories refer to.
    pub snapshot: Arc<Snapshot>,
    pub memories: [EntryRef; 2],
    pub side: usize,
    /// The pairs of lines of the two texts, then of their fields.
    pub parts: Vec<DifferencePart>,
    /// The differing part that the user went to last.
    pub current_part: Option<usize>,
    pub rows: ListCursor,
    /// Whether secrets are shown in `parts`; `None` if the parts must be made.
    pub revealed: Option<bool>,
}

/// A pair of lines of the texts, or of values of a field.
#[derive(Clone, Debug)]
pub struct DifferencePart {
    /// The field's name; empty for a line of the text. Untrusted text.
    pub name: String,
    pub pair: LinePair,
}
