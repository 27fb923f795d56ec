//! The marked memories. Marks are places in the snapshot of the list. In the next snapshot palimp finds a
//! memory again by its id and session, or by its bytes.

use std::collections::BTreeSet;

use crate::model::{EntryRef, EntryTracker};
use crate::query::{Hit, ResultPick};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListScope {
    Found,
    Picked(&'static ResultPick),
    Marked,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryMarks {
    marked: BTreeSet<EntryRef>,
    /// The number of marked memories that the list does not show.
    hidden: usize,
    /// The start of a range that has no end yet.
    pub range: Option<EntryRef>,
    pub only_marked: bool,
    /// The pick of the results that the list shows, if any.
    pub pick: Option<&'static ResultPick>,
    /// True if the picked memories must be marked once they are listed.
    pub marks_pick: bool,
}

impl MemoryMarks {
    pub fn shown(&self) -> ListScope {
        match self.pick {
            _ if self.only_marked => ListScope::Marked,
            Some(pick) => ListScope::Picked(pick),
            None => ListScope::Found,
        }
    }

    fn none(&self) -> MemoryMarks {
        MemoryMarks {
            only_marked: self.only_marked,
            pick: self.pick,
            marks_pick: self.marks_pick,
            ..MemoryMarks::default()
        }
    }

    pub fn has(&self, at: EntryRef) -> bool {
        self.marked.contains(&at)
    }

    pub fn count(&self) -> usize {
        self.marked.len()
    }

    pub fn hidden(&self) -> usize {
        self.hidden
    }

    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    pub fn set(&mut self, at: EntryRef, is_marked: bool) {
        match is_marked {
            true => self.marked.insert(at),
            false => self.marked.remove(&at),
        };
    }

    /// Returns the marked memories, by store and place.
    pub fn list(&self) -> Vec<EntryRef> {
        self.marked.iter().copied().collect()
    }

    pub fn clear(&mut self) {
        *self = self.none();
    }

    pub fn count_hidden(&mut self, hits: &[Hit]) {
        let shown = if self.is_empty() { 0 } else { hits.iter().filter(|hit| self.has(hit.at)).count() };
        self.hidden = self.count() - shown.min(self.count());
    }

    pub fn hidden_ones(&self, hits: &[Hit]) -> Vec<EntryRef> {
        if self.hidden == 0 {
            return Vec::new();
        }
        let mut rest = self.clone();
        hits.iter().for_each(|hit| rest.set(hit.at, false));
        rest.list()
    }

    /// Returns the marks for another state of the stores. A memory that is gone, deleted, archived or
    /// restored loses its mark, so that in every format the next key acts on what the list shows. New
    /// memories have no mark.
    pub fn moved_to(&self, tracker: &mut EntryTracker<'_>) -> MemoryMarks {
        let mut marks = self.none();
        for at in self.list() {
            if let Some(to) = tracker.find(at, &|to| marks.has(to)) {
                marks.set(to, tracker.is_in_place(at, to));
            }
        }
        marks.range = self.range.and_then(|at| tracker.find(at, &|_| false));
        marks
    }
}
