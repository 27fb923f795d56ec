//! Rows with a cursor, marks and a filter.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::tui::state::list_cursor::ListCursor;
use crate::tui::state::list_row::ListRow;

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

    /// Returns a row by its number among those that the cursor can be on.
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

    /// Returns the index in `all` of the row under the cursor.
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
