//! Reads text from its start on.

/// True for a letter of a script without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{e00}'..='\u{e7f}')
}

pub fn line_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

/// Text that is read from its start on.
#[derive(Clone, Copy)]
pub struct TextReader<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl<'t> TextReader<'t> {
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub fn skip(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let len = rest.find(|c| !is(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    pub fn take(&mut self, start: &str) -> bool {
        let is_it = self.rest().starts_with(start);
        self.at += if is_it { start.len() } else { 0 };
        is_it
    }

    pub fn spaces(&mut self) {
        self.skip(is_space);
    }

    /// Skips line ends, as they are or escaped as in JSON. True if there was one.
    pub fn line_ends(&mut self) -> bool {
        let start = self.at;
        while self.take("\n") || self.take("\r") || self.take("\\n") || self.take("\\r") {
            self.spaces();
        }
        self.at > start
    }
}

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}')
}
