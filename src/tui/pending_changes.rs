//! What is under way of a change: the menu, how far it is, what it came to.

use std::collections::VecDeque;
use std::sync::Arc;

use super::app::ChangeTarget;
use crate::model::{EntryRef, Snapshot};
use crate::ops::Progress;
use crate::usecase::ChangeCommand;

/// Changes that are under way, and the last one.
#[derive(Default)]
pub struct PendingChanges {
    /// What is being planned or written, where the user may wait for it.
    pub active: Option<ActiveChange>,
    /// The last change that was made, to be repeated.
    pub last_change: Option<ChangeCommand>,
    /// What an erasure came to, until it was read. Untrusted text.
    pub receipt: Option<Vec<String>>,
    /// Its first line on screen.
    pub receipt_top: usize,
    /// The changes that are being made, in their order.
    pub queue: VecDeque<QueuedChange>,
}

/// A change that is being made.
#[derive(Default)]
pub struct QueuedChange {
    /// What goes or comes back by it, of which state of the stores: once it is made, that has no mark.
    pub moves: Option<(Arc<Snapshot>, Vec<EntryRef>)>,
    /// What can be repeated once it is made. A text is one memory's own, and what goes for good is
    /// typed anew.
    pub repeatable: Option<ChangeCommand>,
}

/// A change that is being planned or written.
pub struct ActiveChange {
    pub progress: Arc<Progress>,
    /// What is going on, in a few words. Untrusted text.
    pub what: String,
    /// Whether it is planned, or else written.
    pub is_planning: bool,
}

impl ActiveChange {
    /// Whether it can still be stopped: until then every other key waits.
    pub fn is_open(&self) -> bool {
        self.is_planning || !self.progress.is_writing()
    }
}

/// The menu of what takes memories away, or brings them back.
pub struct DeleteMenu {
    pub aim: ChangeTarget,
    pub lines: Vec<DeleteMenuItem>,
}

/// A line of the menu.
pub struct DeleteMenuItem {
    pub key: char,
    pub name: &'static str,
    /// What it does. May quote the store.
    pub about: String,
    pub wanted: ChangeCommand,
    /// What it is aimed at, where that is all that the search shows.
    pub all_found: Option<ChangeTarget>,
    /// Why it can't be done, where it can't.
    pub refused: Option<String>,
}
