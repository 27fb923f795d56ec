//! Reports what could not be read. A verb that shows the rest ends with status 1.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::failure::warn;
use crate::model::{Code, PathText, Problem, Severity, Snapshot, Store};

/// At most this many are reported of one store.
const MOST: usize = 20;

/// What was reported already. A verb may read its stores more than once.
#[derive(Default)]
pub struct ReadWarnings(RefCell<BTreeSet<String>>);

impl ReadWarnings {
    /// Says what could not be read of a store.
    pub fn store(&self, store: &Store) {
        let root = store.root.to_text();
        let lines = store.unread.iter().take(MOST).map(|own| format!("{root}: {own}"));
        lines.for_each(|line| self.line(line));
        if let more @ 1.. = store.unread.len().saturating_sub(MOST) {
            self.line(format!("{root}: and {more} more; `palimp check` lists them"));
        }
    }

    /// Says which archives could not be unpacked to their end, so that the output is incomplete.
    pub fn archives(&self, snapshot: &Snapshot) {
        for store in &snapshot.stores {
            let is_short =
                |own: &&Problem| own.code == Code::ArchiveBroken && own.severity == Severity::Error;
            for own in store.problems.iter().filter(is_short) {
                let root = store.root.to_text();
                self.line(format!("{root}: {} is not shown in full: {}", own.file.to_text(), own.message));
            }
        }
    }

    /// Says something that could not be read, once.
    pub fn line(&self, line: String) {
        if self.0.borrow_mut().insert(line.clone()) {
            warn(&line);
        }
    }

    pub fn any(&self) -> bool {
        !self.0.borrow().is_empty()
    }
}
