//! The cursor of a list, and the count before a move.

use super::app::{MemoryIdentity, Pane, Screen};
use crate::model::{EntryRef, Moment};

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

/// The place before a new search. The cursor goes back to it if the user returns to the former search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOrigin {
    pub at: EntryRef,
    pub search: String,
}

#[derive(Clone, Debug, Default)]
pub struct CountPrefix {
    pub typed: Option<TypedCount>,
    /// How many times the current move is made.
    pub times: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypedCount {
    pub typed: usize,
    /// The place of the keys before the first digit moved them to a pane, as its own key.
    pub before: Option<CountOrigin>,
}

/// The former place of the keys, and until when the next key makes the digit a count.
#[derive(Clone, Debug, PartialEq)]
pub struct CountOrigin {
    pub pane: Pane,
    pub screen: Screen,
    /// The memory under the cursor.
    pub under: Option<MemoryIdentity>,
    pub until: Moment,
}

impl TypedCount {
    /// Returns the count; `None` if the digit may have been the key of a pane.
    pub fn number(&self) -> Option<usize> {
        Some(self.typed).filter(|_| self.before.is_none())
    }
}
