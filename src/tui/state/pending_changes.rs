//! Changes on their way: the target, the menu, the progress, the queue, the receipt.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{EntryRef, Key, NotReached, Snapshot, path_from_text};
use crate::ops::Progress;
use crate::store::surroundings::is_whole_path;
use crate::usecase::Command;

#[derive(Default)]
pub struct PendingChanges {
    /// The change that is being planned or written, if the user may have to wait for it.
    pub active: Option<ActiveChange>,
    pub last_change: Option<Arc<dyn Command>>,
    /// The receipt of an erasure, until the user closes it. Untrusted text.
    pub receipt: Option<Vec<String>>,
    pub receipt_top: usize,
    /// What is beside the stores and has what was erased last, or is to be erased.
    pub places: PlacesBeside,
    pub queue: VecDeque<QueuedChange>,
    /// How many changes of this run ended; and how many of these the stores, and the list, surely have.
    pub ended: u64,
    pub read: u64,
    pub listed: u64,
    /// The number of the last change that was an undo or a redo.
    pub reversal: u64,
}

/// The files beside the stores that can be opened, with the lines of their first matches.
#[derive(Default)]
pub struct PlacesBeside {
    all: Vec<(PathBuf, u64)>,
    opened: usize,
}

impl PlacesBeside {
    pub fn of(not_reached: &NotReached) -> PlacesBeside {
        let found = not_reached.beside.iter().flat_map(|report| &report.found);
        let found = found.filter(|own| is_whole_path(&own.path));
        let all = found.filter_map(|own| Some((path_from_text(&own.path), own.line?)));
        PlacesBeside { all: all.collect(), opened: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the next one, after the last one the first, and its number and how many there are, in words.
    pub fn next(&mut self) -> Option<(PathBuf, u64, String)> {
        let (path, line) = self.all.get(self.opened % self.all.len().max(1)).cloned()?;
        let number = self.opened % self.all.len() + 1;
        self.opened += 1;
        Some((path, line, format!("{number} of {}", self.all.len())))
    }
}

#[derive(Default)]
pub struct QueuedChange {
    /// The memories that it removes or restores. They lose their marks when it is done.
    pub moves: Option<(Arc<Snapshot>, Vec<EntryRef>)>,
    /// The command, if it can be repeated. A text is for one memory, and an erasure must be typed each time.
    pub repeatable: Option<Arc<dyn Command>>,
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
    pub wanted: Arc<dyn Command>,
    /// The target, if it is everything that the search shows.
    pub all_found: Option<ChangeTarget>,
    pub refused: Option<String>,
}

/// Identifies a memory across states of its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryIdentity {
    pub root: PathBuf,
    pub session: Option<String>,
    pub id: Option<String>,
    pub key: Key,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailStep {
    pub memory: MemoryIdentity,
    pub query: String,
}

/// The memories of a change, and those `beside` them that stay, as the user saw them.
#[derive(Clone, Default)]
pub struct ChangeTarget {
    pub snapshot: Arc<Snapshot>,
    pub at: Vec<EntryRef>,
    pub beside: Vec<EntryRef>,
    /// The id or place of the only memory, or the number of memories. Untrusted text.
    pub name: String,
    /// The target memories that the filter hides, ascending.
    pub hidden: Vec<EntryRef>,
}

impl ChangeTarget {
    pub fn one(&self) -> Option<EntryRef> {
        match self.at.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}
