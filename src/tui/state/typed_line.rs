//! One line that the user types, edited as in readline.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

/// Longer than any query that a person types, but short enough to parse after every key.
pub const LONGEST: usize = 4_000;

#[derive(Default)]
pub struct TypedLine {
    area: TextArea<'static>,
}

impl TypedLine {
    pub fn new(text: &str) -> TypedLine {
        let mut area = TextArea::new(vec![one_line(text)]);
        area.move_cursor(CursorMove::End);
        TypedLine { area }
    }

    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Returns the column of the cursor, in characters.
    pub fn column(&self) -> usize {
        self.area.cursor().1
    }

    pub fn before_cursor(&self) -> String {
        self.text().chars().take(self.column()).collect()
    }

    pub fn key(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Char('u') && key.modifiers.contains(KeyModifiers::CONTROL) {
            // Ctrl-u would undo in the text area. Here it deletes to the start of the line, as in readline.
            self.area.delete_line_by_head();
            return;
        }
        self.area.input(key);
        if self.area.lines().len() > 1 {
            *self = TypedLine::new(&self.text());
        }
    }

    /// Inserts a text as one edit. Its line ends become spaces.
    pub fn insert(&mut self, text: &str) {
        self.area.insert_str(one_line(text));
    }

    pub fn fits(&self, text: &str) -> bool {
        self.text().chars().chain(text.chars()).nth(LONGEST).is_none()
    }

    pub fn delete_before_cursor(&mut self, count: usize) {
        for _ in 0..count {
            self.area.delete_char();
        }
    }

    pub fn select_all(&mut self) {
        self.area.select_all();
    }

    pub fn is_selecting(&self) -> bool {
        self.area.is_selecting()
    }
}

/// Replaces line ends and tabs by spaces. All other characters stay.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).take(LONGEST).collect()
}
