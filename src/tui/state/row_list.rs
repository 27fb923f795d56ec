//! Lists: their rows, their cursor, marks and a filter.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::detectors::Kind;
use crate::model::{EntryRef, Severity};

#[derive(Default)]
pub struct RowList {
    pub all: Vec<ListRow>,
    /// The indexes in `all` of the rows that the cursor can be on.
    pub(in crate::tui) picks: Vec<usize>,
    /// The cursor, as an index in `picks`, and the first row on screen.
    pub cursor: ListCursor,
    pub marks: HashSet<String>,
    /// The row where the open range of marks begins.
    pub range: Option<usize>,
    pub only_marked: bool,
    pub filter: String,
    pub is_other_order: bool,
}

impl RowList {
    /// Replaces the rows. Headings without a row below are left out.
    pub fn put(&mut self, rows: Vec<ListRow>) {
        self.all.clear();
        self.picks.clear();
        let mut heads: Vec<ListRow> = Vec::new();
        for row in rows {
            if let Some(level) = row.level() {
                heads.retain(|head| head.level() < Some(level));
                heads.push(row);
                continue;
            }
            self.all.append(&mut heads);
            self.picks.push(self.all.len());
            self.all.push(row);
        }
        self.range = None;
        self.cursor.at = self.cursor.at.min(self.len().saturating_sub(1));
    }

    pub fn len(&self) -> usize {
        self.picks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// Returns the rows that the cursor can be on.
    pub fn each(&self) -> impl Iterator<Item = ListRow> + '_ {
        self.picks.iter().filter_map(|at| self.all.get(*at).copied())
    }

    pub fn row(&self, at: usize) -> Option<ListRow> {
        self.all.get(*self.picks.get(at)?).copied()
    }

    pub fn selected(&self) -> Option<ListRow> {
        self.row(self.cursor.at)
    }

    /// Returns the number of a row by its index in `all`.
    pub fn number_at(&self, place: usize) -> Option<usize> {
        self.picks.binary_search(&place).ok()
    }

    pub fn place(&self) -> usize {
        self.picks.get(self.cursor.at).copied().unwrap_or_default()
    }

    pub fn open_range(&self) -> Option<RangeInclusive<usize>> {
        let from = self.range?;
        Some(from.min(self.cursor.at)..=from.max(self.cursor.at))
    }

    /// Keeps the row under the cursor on screen, with its headings.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        self.cursor.at = self.cursor.at.min(self.len().saturating_sub(1));
        let at = self.place();
        let heads = self.all.iter().take(at).rev().take_while(|row| row.level().is_some()).count();
        let top = self.cursor.top.min(at.saturating_sub(heads)).min(self.all.len().saturating_sub(height));
        self.cursor.top = if at >= top + height { at + 1 - height } else { top };
    }

    pub fn keep_marks(&mut self, is_there: impl Fn(&str) -> bool) {
        self.marks.retain(|key| is_there(key));
        self.only_marked &= !self.marks.is_empty();
    }
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpkeepPart {
    Due,
    Next,
    Compact,
    Archived,
    Fades,
}

/// What a row is about. Indexes point into the data that the view has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRow {
    Backup(usize),
    Item(usize),
    /// A task that is due now or soon, or a compaction.
    Chore(usize),
    Touched(usize),
    /// A part of upkeep, and how many rows it has.
    UpkeepPart(UpkeepPart, usize),
    /// A memory that fades to the floor soon.
    Fading(usize),
    /// The file or folder of the archived memories below.
    Batch(usize),
    Archived(EntryRef),
    /// A step: its store, and its index in that store's journal.
    Step(usize, usize),
    /// What other programs did after a step.
    Others(usize, usize),
    /// A file whose length differs from what the last step left.
    Moved(usize, usize),
    /// A part of the journal that can't be read.
    Fault(usize, usize),
    Severity(Severity, usize),
    /// The store and file of a problem, and of the problems below.
    File(usize),
    Problem(usize),
    /// A store, and how many new memories it has.
    Store(usize, usize),
    New(EntryRef),
    FindingKind(Kind, usize),
    /// The store and file of a finding and of those below, and how many there are.
    FindingFile(usize, usize),
    /// How many findings are false alarms.
    FalseAlarms(usize),
    Finding(usize),
    /// A store of which something is loaded at the start of an agent.
    LoadedStore(usize),
    /// A file of such a store: its number, and that of the file.
    Loaded(usize, usize),
    LoadedLine(usize),
    /// A project that has files of instructions.
    InstructedProject(usize),
    /// A file of instructions of such a project: its number, and that of the file.
    Instruction(usize, usize),
}
