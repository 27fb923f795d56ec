//! Rows with a cursor and marks: filtered, ordered, and headed by rows that the cursor goes past.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::row::ListRow;
use crate::tui::list_cursor::ListCursor;

/// Rows on screen.
#[derive(Default)]
pub struct RowList {
    /// Those that are shown, with those that head others.
    pub all: Vec<ListRow>,
    /// The places of those that the cursor can be on.
    picks: Vec<usize>,
    /// Which of these it is on; the first row on screen.
    pub cursor: ListCursor,
    /// The keys of those that are marked.
    pub marks: HashSet<String>,
    /// Where a range of marks began that is still open.
    pub range: Option<usize>,
    /// Whether the marked ones alone are shown.
    pub only_marked: bool,
    /// What rows must contain to be shown.
    pub filter: String,
    /// Whether they are in the other order.
    pub is_other_order: bool,
}

impl RowList {
    /// Puts rows in place of those that are shown. A heading without a row below it is left out.
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

    /// How many the cursor can be on.
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// Those that the cursor can be on.
    pub fn each(&self) -> impl Iterator<Item = ListRow> + '_ {
        self.picks.iter().filter_map(|at| self.all.get(*at).copied())
    }

    /// The row of that number.
    pub fn row(&self, at: usize) -> Option<ListRow> {
        self.all.get(*self.picks.get(at)?).copied()
    }

    /// The row under the cursor.
    pub fn selected(&self) -> Option<ListRow> {
        self.row(self.cursor.at)
    }

    /// The number of the row at a place on screen.
    pub fn number_at(&self, place: usize) -> Option<usize> {
        self.picks.binary_search(&place).ok()
    }

    /// Where the row under the cursor is, with those that head it and others.
    pub fn place(&self) -> usize {
        self.picks.get(self.cursor.at).copied().unwrap_or_default()
    }

    /// The numbers that the open range goes over.
    pub fn open_range(&self) -> Option<RangeInclusive<usize>> {
        let from = self.range?;
        Some(from.min(self.cursor.at)..=from.max(self.cursor.at))
    }

    /// Keeps the row under the cursor in sight, with the rows that head it.
    pub fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        self.cursor.at = self.cursor.at.min(self.len().saturating_sub(1));
        let at = self.place();
        let heads = self.all.iter().take(at).rev().take_while(|row| row.level().is_some()).count();
        let top = self.cursor.top.min(at.saturating_sub(heads)).min(self.all.len().saturating_sub(height));
        self.cursor.top = if at >= top + height { at + 1 - height } else { top };
    }

    /// Keeps the marks of what is still there.
    pub fn keep_marks(&mut self, is_there: impl Fn(&str) -> bool) {
        self.marks.retain(|key| is_there(key));
        self.only_marked &= !self.marks.is_empty();
    }
}
