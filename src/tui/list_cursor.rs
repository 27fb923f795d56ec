//! The cursor of a list, and a count before its move.

use super::app::{MemoryIdentity, Pane, Screen};
use crate::model::{EntryRef, Moment};

/// A line of a list, and the first one on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    pub at: usize,
    pub top: usize,
    /// Whether the first lines stay on screen though the cursor is below them: they show what is new
    /// until the cursor is moved.
    pub is_held: bool,
}

impl ListCursor {
    /// Moves to `at` among `len` lines, of which `height` are on screen.
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

/// Where the list was when another search was begun: with the search of before, the cursor goes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOrigin {
    pub at: EntryRef,
    pub search: String,
}

/// The count before a move.
#[derive(Clone, Debug, Default)]
pub struct CountPrefix {
    /// What is being typed.
    pub typed: Option<TypedCount>,
    /// So many times the move is made that is being made.
    pub times: Option<usize>,
}

/// A count that is being typed.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedCount {
    /// What was typed so far.
    pub typed: usize,
    /// Where the keys were before the first digit alone brought them to a pane.
    pub before: Option<CountOrigin>,
}

/// Where the keys were, and until when what follows makes a count of the digit.
#[derive(Clone, Debug, PartialEq)]
pub struct CountOrigin {
    pub pane: Pane,
    pub screen: Screen,
    /// The memory under the cursor.
    pub under: Option<MemoryIdentity>,
    pub until: Moment,
}

impl TypedCount {
    /// The count; `None` where it may have been a pane's key.
    pub fn number(&self) -> Option<usize> {
        Some(self.typed).filter(|_| self.before.is_none())
    }
}
