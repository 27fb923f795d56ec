//! Which memories are marked. Marks are places in the list's snapshot, and are carried to the
//! next one by what tells a memory apart: its id and its session, or its bytes.

use crate::model::{EntryRef, EntryTracker};
use crate::query::{Hit, ResultPick};

/// What the list shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListScope {
    /// What is searched for.
    Found,
    /// What is picked of that.
    Picked(&'static ResultPick),
    /// The marked ones alone.
    Marked,
}

/// The marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryMarks {
    /// By store and entry.
    flags: Vec<Vec<bool>>,
    count: usize,
    /// How many of them the list does not show.
    hidden: usize,
    /// Where a range began that is still open.
    pub range: Option<EntryRef>,
    /// Whether the list shows the marked ones alone.
    pub only_marked: bool,
    /// What is picked of what is searched for.
    pub pick: Option<&'static ResultPick>,
    /// Whether what was picked is to be marked once it is there.
    pub marks_pick: bool,
}

impl MemoryMarks {
    /// What the list shows.
    pub fn shown(&self) -> ListScope {
        match self.pick {
            _ if self.only_marked => ListScope::Marked,
            Some(pick) => ListScope::Picked(pick),
            None => ListScope::Found,
        }
    }

    /// None, and the list as it is.
    fn none(&self) -> MemoryMarks {
        MemoryMarks {
            only_marked: self.only_marked,
            pick: self.pick,
            marks_pick: self.marks_pick,
            ..MemoryMarks::default()
        }
    }

    /// Whether a memory is marked.
    pub fn has(&self, at: EntryRef) -> bool {
        let own = self.flags.get(at.store as usize);
        own.and_then(|own| own.get(at.entry as usize)).copied().unwrap_or(false)
    }

    /// How many are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many of them the list does not show.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Marks a memory, or takes its mark away.
    pub fn set(&mut self, at: EntryRef, marked: bool) {
        let (store, entry) = (at.store as usize, at.entry as usize);
        if self.has(at) == marked {
            return;
        }
        if self.flags.len() <= store {
            self.flags.resize(store + 1, Vec::new());
        }
        if let Some(own) = self.flags.get_mut(store) {
            if own.len() <= entry {
                own.resize(entry + 1, false);
            }
            own[entry] = marked;
        }
        if marked {
            self.count += 1;
        } else {
            self.count -= 1;
        }
    }

    /// Every marked memory, by store and place.
    pub fn list(&self) -> Vec<EntryRef> {
        let stores = self.flags.iter().enumerate();
        let own = stores.flat_map(|(store, own)| {
            let marked = own.iter().enumerate().filter(|(_, marked)| **marked);
            marked.map(move |(entry, _)| EntryRef { store: store as u32, entry: entry as u32 })
        });
        own.collect()
    }

    /// Takes every mark away.
    pub fn clear(&mut self) {
        *self = self.none();
    }

    /// Counts those that the list does not show.
    pub fn count_hidden(&mut self, hits: &[Hit]) {
        let shown = if self.count == 0 { 0 } else { hits.iter().filter(|hit| self.has(hit.at)).count() };
        self.hidden = self.count - shown.min(self.count);
    }

    /// Those that the list does not show.
    pub fn hidden_ones(&self, hits: &[Hit]) -> Vec<EntryRef> {
        if self.hidden == 0 {
            return Vec::new();
        }
        let mut rest = self.clone();
        hits.iter().for_each(|hit| rest.set(hit.at, false));
        rest.list()
    }

    /// The same marks in another state of the stores. A memory that is gone has none, and one that
    /// was deleted, archived or brought back has none either, so that in every format the next key
    /// means what the list shows; what came since never has one.
    pub fn moved_to(&self, carry: &mut EntryTracker<'_>) -> MemoryMarks {
        let mut marks = self.none();
        for at in self.list() {
            if let Some(to) = carry.find(at, &|to| marks.has(to)) {
                marks.set(to, carry.is_in_place(at, to));
            }
        }
        marks.range = self.range.and_then(|at| carry.find(at, &|_| false));
        marks
    }
}
