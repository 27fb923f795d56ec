//! What could not be read, as the verbs tell it: a verb that shows the rest ends with 1.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::failure::say;
use crate::model::{Code, PathText, Snapshot, Store};

/// This many are told of one store.
const MOST: usize = 20;

/// What was told already: a verb may read its stores more than once.
#[derive(Default)]
pub struct ReadWarnings(RefCell<BTreeSet<String>>);

impl ReadWarnings {
    /// Says what of a store could not be read.
    pub fn store(&self, store: &Store) {
        let root = store.root.to_text();
        let lines = store.unread.iter().take(MOST).map(|own| format!("{root}: {own}"));
        lines.for_each(|line| self.line(line));
        if let more @ 1.. = store.unread.len().saturating_sub(MOST) {
            self.line(format!("{root}: and {more} more; `palimp check` lists them"));
        }
    }

    /// Says which archives could not be unpacked to their end: what is given out is not whole.
    pub fn archives(&self, snapshot: &Snapshot) {
        for store in &snapshot.stores {
            for own in store.problems.iter().filter(|own| own.code == Code::ArchiveBroken) {
                let root = store.root.to_text();
                self.line(format!("{root}: {} is not shown in full: {}", own.file.to_text(), own.message));
            }
        }
    }

    /// Says something that could not be read.
    pub fn line(&self, line: String) {
        if self.0.borrow_mut().insert(line.clone()) {
            say(&line);
        }
    }

    /// Whether there was anything.
    pub fn any(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}
