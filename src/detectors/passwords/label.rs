//! A word for a password, and how a value is linked with it.

use super::reader::{is_unspaced, line_start};
use super::words::WORDS;

/// What is between a label and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueLink {
    /// Nothing but a space.
    Space,
    /// A preposition, such as `to` in `changed to`.
    Preposition,
    /// A verb, such as `is`, with other words before it.
    FarVerb,
    Verb,
    /// A sign, such as `:`.
    Sign,
}

#[derive(Clone, Copy)]
pub struct PasswordLabel<'t> {
    pub name: &'t str,
    /// True if a word is before it.
    pub is_in_sentence: bool,
    /// True if it follows another part of a login, as in `user anna / password X`.
    pub is_second: bool,
    /// True for the name of a service, and for a word such as `key`: only what looks like a key in itself is one.
    pub is_name: bool,
}

impl<'t> PasswordLabel<'t> {
    /// Makes a label with what the text before it says of it.
    pub fn of(name: &'t str, before: &str, is_name: bool) -> PasswordLabel<'t> {
        let line = &before[line_start(before)..];
        let lower = line.to_lowercase();
        let is_word = |word: &&str| !word.is_empty() && !WORDS.determiners.has(word);
        let last = lower.split(' ').rev().find(is_word).unwrap_or_default();
        let above = before[..line_start(before)].trim_end();
        let above = above[line_start(above)..].split([' ', ':', '=']).next().unwrap_or_default();
        let is_of_block = line.trim().is_empty() && WORDS.settings.has(&above.to_lowercase());
        let is_in_sentence = line.ends_with(' ') && line.trim_end().ends_with(char::is_alphanumeric);
        let follows = ["/", "/ ", ", "].iter().any(|end| line.ends_with(end));
        let is_second = is_of_block
            || follows
            || name.ends_with(" on")
            || WORDS.before_value.has(last)
            || WORDS.before_label.has(last);
        PasswordLabel { name, is_in_sentence, is_second, is_name }
    }

    pub fn is_unspaced(self) -> bool {
        self.name.ends_with(is_unspaced)
    }

    /// True if it is of another script than most values: a word after it in ASCII is no word of the sentence.
    pub fn is_foreign(self) -> bool {
        self.name.ends_with(|c: char| c > '\u{370}')
    }

    /// True if the word means much else: only a value with digits is a password, or one after a sign.
    pub fn is_weak(self) -> bool {
        !self.is_name && WORDS.weak.has(&self.name.to_lowercase())
    }

    pub fn is_phrase(self) -> bool {
        WORDS.phrases.has(&self.name.to_lowercase()) || WORDS.phrases.end(&self.name.to_lowercase(), 0)
    }

    /// True for a key or a token, in languages whose words for them no other rule has: only a random value is one.
    pub fn is_key(self) -> bool {
        self.is_name || WORDS.keys.has(&self.name.to_lowercase())
    }

    /// True for a code of digits.
    pub fn is_of_digits(self) -> bool {
        WORDS.codes.are_in(&self.name.to_lowercase())
    }
}
