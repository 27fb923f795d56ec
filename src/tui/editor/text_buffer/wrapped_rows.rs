//! The rows of a text as it is wrapped on screen.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::TextBuffer;
use crate::text::safe_text::{display_width, sanitize};

/// So many rows behind the cursor are wrapped at least: more than a screen has.
pub(super) const AHEAD: usize = 400;

impl TextBuffer {
    /// Wraps it to a width.
    pub fn wrap(&mut self, width: usize) {
        let width = width.max(1);
        if self.width != width {
            self.width = width;
            self.rows = vec![0];
            self.is_whole = false;
            self.reach();
        }
    }

    /// How many rows it has, or are known: then more than can be on screen with the cursor.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The bytes of a row, without what ends it.
    pub fn row(&self, row: usize) -> Range<usize> {
        let start = self.rows.get(row).copied().unwrap_or(self.text.len());
        let end = self.rows.get(row + 1).copied().unwrap_or(self.text.len());
        let broken = end > start && self.text.as_bytes().get(end - 1) == Some(&b'\n');
        start..if broken { end - 1 } else { end }
    }

    /// The row and column where the cursor is.
    pub fn place(&self) -> (usize, usize) {
        let row = self.row_of(self.cursor);
        (row, width_of(&self.text[self.row(row).start..self.cursor]))
    }

    pub(super) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Wraps as far as the cursor, and what can be on screen behind it.
    pub(super) fn reach(&mut self) {
        while !self.is_whole {
            let last = self.rows.last().copied().unwrap_or(0);
            if last > self.cursor && self.rows.len() > self.row_of(self.cursor) + self.ahead {
                return;
            }
            self.wrap_next(last);
        }
    }

    /// Wraps the row that starts there, the last that is known.
    pub(super) fn wrap_next(&mut self, start: usize) -> Option<usize> {
        let next = next_row(&self.text, start, self.width);
        self.rows.extend(next);
        self.is_whole = next.is_none();
        next
    }

    /// Wraps anew what an edit moves: where a row ends, the first grapheme can decide of the row
    /// after the next one, as with a wide one behind a blank. `come` bytes were put at `from`, in
    /// place of `gone`. A row follows from what is behind its start alone: where one starts
    /// again as it did before, the others stay. Where none does for as long as can be on screen,
    /// the others are wrapped once they are needed.
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

/// How many columns a text takes as it is shown.
pub fn width_of(text: &str) -> usize {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        text.len()
    } else {
        display_width(&sanitize(text))
    }
}

/// The byte of a row at a column.
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

/// Where the row ends that starts at a byte, and the next one starts; `None` for the last.
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
        // A blank may hang over the edge.
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
