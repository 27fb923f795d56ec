//! Titles that tell equal ones apart.

use std::collections::HashMap;

use crate::model::EntryRef;

/// The texts of rows whose titles look alike, and the rows and columns for which they were made.
#[derive(Default)]
pub struct DistinctTitles {
    pub rows: HashMap<EntryRef, String>,
    pub(in crate::tui) made_for: (Vec<EntryRef>, usize, bool),
}
