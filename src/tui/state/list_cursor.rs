//! The cursor of a list.

use crate::model::EntryRef;

/// The row under the cursor, and the first row on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    pub at: usize,
    pub top: usize,
    /// True if the first rows stay on screen, to show what is new, although the cursor is below them. It ends
    /// when the cursor moves.
    pub is_held: bool,
}

impl ListCursor {
    /// Moves to `at` in a list of `len` rows, of which `height` are on screen.
    pub fn go(&mut self, at: usize, len: usize, height: usize) {
        self.at = at.min(len.saturating_sub(1));
        self.top = self.top.min(self.at).min(len.saturating_sub(height.min(len)));
        if self.is_held {
            self.top = 0;
        } else if self.at >= self.top + height.max(1) {
            self.top = self.at + 1 - height.max(1);
        }
    }
}

/// Returns the next place of `len`, or the one before, around the ends.
pub fn around(at: Option<usize>, len: usize, ahead: bool) -> usize {
    match (at, ahead) {
        (None, true) => 0,
        (None, false) => len.saturating_sub(1),
        (Some(at), true) => (at + 1) % len,
        (Some(at), false) => (at + len - 1) % len,
    }
}

/// The place before a new search. The cursor goes back to it if the user returns to the former search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOrigin {
    pub at: EntryRef,
    pub search: String,
}
