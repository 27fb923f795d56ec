//! A text that is being edited: its bytes, the cursor, undo data, and its rows on screen.
//!
//! The text area of the crate that the prompts use stores places in 16 bits, counts characters instead of
//! graphemes and draws stored text unchanged, but a memory can have a megabyte on one line. Here a key
//! costs as much as the rows that it moves, and at most the rows that can be on screen.

mod wrapped_rows;

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;
use wrapped_rows::at_column;
pub use wrapped_rows::width_of;

/// In a text with more bytes, the cursor starts at the beginning.
const LONG: usize = 64 << 10;
/// Undo data has at most this many bytes.
const KEPT: usize = 32 << 20;

#[derive(Clone, Debug)]
struct TextEdit {
    at: usize,
    was: String,
    is: String,
    cursor: usize,
}

#[derive(Clone, Debug, Default)]
pub struct TextBuffer {
    text: String,
    cursor: usize,
    /// The column that the cursor keeps when it moves up and down.
    column: Option<usize>,
    done: Vec<TextEdit>,
    undone: Vec<TextEdit>,
    /// True if the next character may join the last edit.
    is_typing: bool,
    width: usize,
    /// The start of each row on screen, for the rows that are known.
    rows: Vec<usize>,
    /// True if all rows to the end of the text are known.
    is_whole: bool,
    /// At least this many rows after the cursor are known, if the text has them.
    ahead: usize,
}

impl TextBuffer {
    pub fn new(text: &str) -> TextBuffer {
        TextBuffer {
            text: text.to_owned(),
            rows: vec![0],
            ahead: wrapped_rows::AHEAD,
            ..TextBuffer::default()
        }
    }

    /// Makes the text of a field. The cursor is at its end, because the user usually continues it.
    /// In a very long text it is at the start: otherwise the whole text would have to be wrapped.
    pub fn of_field(text: &str) -> TextBuffer {
        let cursor = if text.len() <= LONG { text.len() } else { 0 };
        TextBuffer { cursor, ..TextBuffer::new(text) }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn type_char(&mut self, c: char) {
        let joins = self.is_typing
            && self.undone.is_empty()
            && self.done.last().is_some_and(|last| {
                last.was.is_empty() && last.at + last.is.len() == self.cursor && goes_on(&last.is, c)
            });
        let at = self.cursor;
        let mut bytes = [0; 4];
        let typed = c.encode_utf8(&mut bytes);
        if joins && let Some(last) = self.done.last_mut() {
            last.is.push(c);
            self.put(at..at, typed);
        } else {
            self.replace(at..at, typed);
        }
        self.is_typing = true;
    }

    /// Inserts a paste as one edit. Its line ends become line feeds.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.replace(self.cursor..self.cursor, &text);
    }

    pub fn replace(&mut self, range: Range<usize>, with: &str) {
        if range.is_empty() && with.is_empty() {
            return;
        }
        let was = self.text[range.clone()].to_owned();
        self.done.push(TextEdit { at: range.start, was, is: with.to_owned(), cursor: self.cursor });
        self.undone.clear();
        self.is_typing = false;
        self.put(range, with);
        let mut kept: usize = self.done.iter().map(|edit| edit.was.len() + edit.is.len()).sum();
        while kept > KEPT && self.done.len() > 1 {
            let gone = self.done.remove(0);
            kept -= gone.was.len() + gone.is.len();
        }
    }

    pub fn set(&mut self, text: &str) {
        if self.text != text {
            self.replace(0..self.text.len(), text);
        }
    }

    fn put(&mut self, range: Range<usize>, with: &str) {
        let gone = range.len();
        self.text.replace_range(range.clone(), with);
        self.cursor = range.start + with.len();
        self.column = None;
        self.wrap_from(range.start, gone, with.len());
    }

    pub fn undo(&mut self) -> bool {
        let Some(edit) = self.done.pop() else { return false };
        self.put(edit.at..edit.at + edit.is.len(), &edit.was);
        self.go(edit.cursor);
        self.undone.push(edit);
        true
    }

    pub fn redo(&mut self) -> bool {
        let Some(edit) = self.undone.pop() else { return false };
        self.put(edit.at..edit.at + edit.was.len(), &edit.is);
        self.is_typing = false;
        self.done.push(edit);
        true
    }

    pub fn backspace(&mut self) {
        self.replace(self.before(self.cursor)..self.cursor, "");
    }

    pub fn delete(&mut self) {
        self.replace(self.cursor..self.after(self.cursor), "");
    }

    pub fn delete_word(&mut self) {
        self.replace(self.word_before()..self.cursor, "");
    }

    pub fn delete_next_word(&mut self) {
        self.replace(self.cursor..self.word_after(), "");
    }

    pub fn delete_to_start(&mut self) {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |feed| feed + 1);
        self.replace(start..self.cursor, "");
    }

    pub fn delete_to_end(&mut self) {
        let end = self.text[self.cursor..].find('\n').map_or(self.text.len(), |feed| self.cursor + feed);
        self.replace(self.cursor..end, "");
    }

    fn before(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0)
    }

    fn after(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    fn word_before(&self) -> usize {
        let before = &self.text[..self.cursor];
        let word = before.trim_end_matches(|c: char| !is_word(c));
        word.trim_end_matches(is_word).len()
    }

    fn word_after(&self) -> usize {
        let after = &self.text[self.cursor..];
        let word = after.trim_start_matches(|c: char| !is_word(c));
        self.text.len() - word.trim_start_matches(is_word).len()
    }

    fn go(&mut self, at: usize) {
        self.cursor = at.min(self.text.len());
        self.column = None;
        self.is_typing = false;
        self.reach();
    }

    pub fn left(&mut self) {
        self.go(self.before(self.cursor));
    }

    pub fn right(&mut self) {
        self.go(self.after(self.cursor));
    }

    pub fn word_left(&mut self) {
        self.go(self.word_before());
    }

    pub fn word_right(&mut self) {
        self.go(self.word_after());
    }

    pub fn row_start(&mut self) {
        self.go(self.row(self.row_of(self.cursor)).start);
    }

    pub fn row_end(&mut self) {
        let row = self.row_of(self.cursor);
        let range = self.row(row);
        // After the last character of a wrapped row, the cursor would be in the next row.
        let goes_on = self.rows.get(row + 1) == Some(&range.end) && range.end < self.text.len();
        self.go(if goes_on && !range.is_empty() { self.before(range.end) } else { range.end });
    }

    pub fn first(&mut self) {
        self.go(0);
    }

    pub fn last(&mut self) {
        self.go(self.text.len());
    }

    /// Moves by rows, up if `by` is negative. False if there is no such row.
    pub fn by_rows(&mut self, by: isize) -> bool {
        let (row, column) = self.place();
        let column = self.column.unwrap_or(column);
        let to = row.saturating_add_signed(by).min(self.rows.len() - 1);
        if to == row {
            return false;
        }
        let range = self.row(to);
        self.go(range.start + at_column(&self.text[range.clone()], column));
        if self.row_of(self.cursor) > to {
            self.cursor = self.before(self.cursor);
        }
        self.column = Some(column);
        true
    }
}

/// True if a character continues the typed word. Undo removes a word together with the spaces after it.
fn goes_on(typed: &str, c: char) -> bool {
    let last = typed.chars().next_back().unwrap_or(' ');
    last != '\n' && c != '\n' && (!last.is_whitespace() || c.is_whitespace())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
#[path = "text_buffer/tests.rs"]
mod tests;
