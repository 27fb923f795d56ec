//! What a store's config asks to replace in what is written.

use std::ops::Range;

use regex::bytes::Regex;

/// The rules of a store's config. The detectors of the program apply beside its patterns.
#[derive(Clone, Debug)]
pub struct AutoRedaction {
    /// The config's own patterns that can be used.
    pub patterns: Vec<Regex>,
    /// What takes the place of a value.
    pub replacement: String,
}

impl AutoRedaction {
    /// Returns where the config's own patterns match in a text.
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.patterns.iter().flat_map(|own| own.find_iter(text.as_bytes()));
        // A pattern counts in bytes, and may cut a character.
        let start = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let whole = |own: Range<usize>| start(own.start)..end(own.end);
        found.map(|own| own.range()).filter(|own| !own.is_empty()).map(whole).collect()
    }
}
