//! A change that waits for a yes.

use crate::model::EntryRef;
use crate::usecase::PlannedChange;

/// A planned change. palimp carries out exactly what is shown, or nothing.
pub struct Confirmation {
    pub planned: Box<PlannedChange>,
    /// Untrusted text.
    pub question: String,
    pub typed_word: Option<TypedWord>,
    /// The number of its memories that changed after they were shown.
    pub changed_count: usize,
    /// The first line on screen.
    pub top: usize,
    pub(in crate::tui) rows: Vec<ConfirmationRow>,
    /// The question, if it stays above the lines.
    pub(in crate::tui) head: Vec<String>,
    /// The basis of the lines: the width, the maximum number of lines of the question, and the number of
    /// memories that other programs had changed.
    pub(in crate::tui) laid: (usize, usize, usize),
}

/// Words that the user types before an erasure, or before many memories are deleted.
pub struct TypedWord {
    pub required: String,
    pub so_far: String,
}

pub enum ConfirmationRow {
    /// A memory that changes. There may be very many, so its text is made when it is drawn.
    Memory(EntryRef),
    Left(EntryRef),
    /// Safe text.
    Text(String),
}
