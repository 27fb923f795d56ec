//! The rows of a text that is wrapped on screen.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::TextBuffer;
use crate::text::safe_text::{display_width, sanitize};

/// At least this many rows after the cursor are wrapped: more than a screen has.
pub(super) const AHEAD: usize = 400;

impl TextBuffer {
    pub fn wrap(&mut self, width: usize) {
        let width = width.max(1);
        if self.width != width {
            self.width = width;
            self.rows = vec![0];
            self.is_whole = false;
            self.reach();
        }
    }

    /// Returns the number of rows that are known. If not all are, they are more than a screen can show.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the bytes of a row, without its line feed.
    pub fn row(&self, row: usize) -> Range<usize> {
        let start = self.rows.get(row).copied().unwrap_or(self.text.len());
        let end = self.rows.get(row + 1).copied().unwrap_or(self.text.len());
        let broken = end > start && self.text.as_bytes().get(end - 1) == Some(&b'\n');
        start..if broken { end - 1 } else { end }
    }

    /// Returns the row and the column of the cursor.
    pub fn place(&self) -> (usize, usize) {
        let row = self.row_of(self.cursor);
        (row, width_of(&self.text[self.row(row).start..self.cursor]))
    }

    pub(super) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Wraps up to the cursor, and what can be on screen after it.
    pub(super) fn reach(&mut self) {
        while !self.is_whole {
            let last = self.rows.last().copied().unwrap_or(0);
            if last > self.cursor && self.rows.len() > self.row_of(self.cursor) + self.ahead {
                return;
            }
            self.wrap_next(last);
        }
    }

    /// Wraps the last known row, which begins at `start`.
    pub(super) fn wrap_next(&mut self, start: usize) -> Option<usize> {
        let next = next_row(&self.text, start, self.width);
        self.rows.extend(next);
        self.is_whole = next.is_none();
        next
    }

    /// Wraps the rows again that an edit moves: `come` bytes replace `gone` bytes at `from`.
    /// Wrapping begins two rows earlier, because the first grapheme of a row can decide where the
    /// row before the previous one ends, for example a wide grapheme after a space. A row depends
    /// only on the text after its start: once a row starts where a row started before, all later
    /// rows stay. If none does within a screen, later rows are wrapped when they are needed.
    pub(super) fn wrap_from(&mut self, from: usize, gone: usize, come: usize) {
        let kept = (self.row_of(from).saturating_sub(2) + 1).min(self.rows.len());
        let old = self.rows.split_off(kept);
        let was_whole = std::mem::replace(&mut self.is_whole, false);
        let mut start = self.rows.last().copied().unwrap_or(0);
        let mut behind = 0;
        while behind <= self.ahead {
            let Some(next) = self.wrap_next(start) else { return };
            let before = (next >= from + come).then(|| next - come + gone);
            if let Some(at) = before.and_then(|before| old.binary_search(&before).ok()) {
                self.rows.extend(old[at + 1..].iter().map(|start| start + come - gone));
                self.is_whole = was_whole;
                return self.reach();
            }
            behind += usize::from(next > self.cursor);
            start = next;
        }
    }
}

pub fn width_of(text: &str) -> usize {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        text.len()
    } else {
        display_width(&sanitize(text))
    }
}

pub(super) fn at_column(row: &str, column: usize) -> usize {
    let mut used = 0;
    for (at, grapheme) in row.grapheme_indices(true) {
        let wide = width_of(grapheme);
        if used + wide > column {
            return at;
        }
        used += wide;
    }
    row.len()
}

/// Returns where the next row starts; `None` if this row is the last.
fn next_row(text: &str, start: usize, width: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut used, mut breaks) = (start, 0, None);
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            return Some(at + 1);
        }
        let plain = |at: usize| bytes.get(at).is_none_or(|byte| (0x20..0x7f).contains(byte));
        let (len, wide) = if plain(at) && (plain(at + 1) || bytes[at + 1] == b'\n') {
            (1, 1)
        } else {
            let grapheme = text[at..].graphemes(true).next().unwrap_or_default();
            (grapheme.len().max(1), width_of(grapheme))
        };
        let is_blank = bytes[at] == b' ';
        // A space may go beyond the edge.
        if used + wide > width && !is_blank && at > start {
            return Some(breaks.unwrap_or(at));
        }
        (at, used) = (at + len, used + wide);
        if is_blank {
            breaks = Some(at);
        }
    }
    None
}
