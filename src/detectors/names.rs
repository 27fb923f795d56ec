//! Finds the names and handles of a list that the user gives.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use unicode_normalization::UnicodeNormalization;

use super::{Detection, Kind};

/// What is found between two words of a name.
const SPACES: [&str; 6] = [" ", "  ", "\n", "\r\n", "\n  ", "\u{a0}"];

/// Names and handles, one on each line of a file. A line that starts with `#` is a comment.
pub struct NameList {
    automaton: AhoCorasick,
}

impl NameList {
    /// Reads a list. `None` if it has no name, or more than can be searched for.
    pub fn of(text: &str) -> Option<NameList> {
        let lines = NameList::lines(text);
        // The automaton folds ASCII alone.
        let cases = lines.flat_map(|name| [name.to_owned(), name.to_lowercase(), name.to_uppercase()]);
        let words: BTreeSet<String> = cases.flat_map(|name| spellings(&name)).collect();
        if words.is_empty() {
            return None;
        }
        let builder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(&words);
        Some(NameList { automaton: builder.ok()? })
    }

    /// Returns the names of a list, as they are written.
    pub fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns the names in a text.
    pub fn find(&self, bytes: &[u8]) -> Vec<Detection> {
        let found = self.automaton.find_iter(bytes);
        let is_whole = |start: usize, end: usize| {
            let before = last_char(&bytes[..start]).is_none_or(|own| !own.is_alphanumeric());
            let after = bytes[end..].utf8_chunks().next().and_then(|own| own.valid().chars().next());
            before && after.is_none_or(|own| !own.is_alphanumeric())
        };
        let whole =
            found.filter(|own| is_whole(own.start(), own.end()) || is_after_escape(bytes, own.start()));
        whole.map(|own| Detection::hidden_whole(Kind::Name, "name", own.range())).collect()
    }
}

/// Returns a name with composed and with decomposed letters, and with what may be between its words: a text may be wrapped
/// there.
fn spellings(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let spaced = SPACES.map(|space| words.join(space));
    spaced.iter().flat_map(|own| [own.nfc().collect(), own.nfd().collect()]).collect()
}

fn is_after_escape(bytes: &[u8], at: usize) -> bool {
    at >= 2 && bytes[at - 2] == b'\\' && b"nrt".contains(&bytes[at - 1])
}

fn last_char(bytes: &[u8]) -> Option<char> {
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    tail.utf8_chunks().last().and_then(|own| own.valid().chars().next_back())
}
