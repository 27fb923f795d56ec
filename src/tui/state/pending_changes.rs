//! Changes on their way: the menu, the progress, the queue, the receipt.

use std::collections::VecDeque;
use std::sync::Arc;

use super::app::ChangeTarget;
use crate::model::{EntryRef, Snapshot};
use crate::ops::Progress;
use crate::usecase::ChangeCommand;

#[derive(Default)]
pub struct PendingChanges {
    /// The change that is being planned or written, if the user may have to wait for it.
    pub active: Option<ActiveChange>,
    pub last_change: Option<ChangeCommand>,
    /// The receipt of an erasure, until the user closes it. Untrusted text.
    pub receipt: Option<Vec<String>>,
    /// The first line of the receipt on screen.
    pub receipt_top: usize,
    pub queue: VecDeque<QueuedChange>,
    /// How many changes of this run ended; and how many of these the stores, and the list, surely have.
    pub ended: u64,
    pub read: u64,
    pub listed: u64,
    /// The number of the last change that was an undo or a redo.
    pub reversal: u64,
}

#[derive(Default)]
pub struct QueuedChange {
    /// The memories that it removes or restores. They lose their marks when it is done.
    pub moves: Option<(Arc<Snapshot>, Vec<EntryRef>)>,
    /// The command, if it can be repeated. A text is for one memory, and an erasure must be typed each time.
    pub repeatable: Option<ChangeCommand>,
    /// True if the clean-up that is open asked for it.
    pub of_clean_up: bool,
}

pub struct ActiveChange {
    pub progress: Arc<Progress>,
    /// What palimp does, in a few words. Untrusted text.
    pub what: String,
    /// True while it is planned, false while it is written.
    pub is_planning: bool,
}

impl ActiveChange {
    /// True while it can be stopped. Most other keys are ignored then.
    pub fn is_open(&self) -> bool {
        self.is_planning || !self.progress.is_writing()
    }
}

pub struct DeleteMenu {
    pub verb: &'static str,
    pub aim: ChangeTarget,
    pub lines: Vec<DeleteMenuItem>,
}

pub struct DeleteMenuItem {
    pub key: char,
    pub name: &'static str,
    /// What it does. It may quote a store.
    pub about: String,
    pub wanted: ChangeCommand,
    /// The target, if it is everything that the search shows.
    pub all_found: Option<ChangeTarget>,
    /// Why it is not possible, if it is not.
    pub refused: Option<String>,
}
