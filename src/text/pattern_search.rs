//! How many patterns at once are searched for.

use aho_corasick::{AhoCorasickBuilder, AhoCorasickKind};

/// A table for more bytes of patterns takes more memory than it is worth.
const ALL: usize = 64 << 10;
/// The time to make a table grows with the square of the length of a pattern that repeats itself.
const LONGEST: usize = 4_096;

/// Returns the builder of a search for patterns of these lengths in bytes. Long ones are searched for without a table:
/// that is slower, but made in a time that grows with their length alone.
pub fn builder(lengths: impl Iterator<Item = usize>) -> AhoCorasickBuilder {
    let (all, longest) = lengths.fold((0, 0), |(all, longest), own| (all + own, longest.max(own)));
    let is_long = all > ALL || longest > LONGEST;
    let mut builder = AhoCorasickBuilder::new();
    builder.kind(is_long.then_some(AhoCorasickKind::ContiguousNFA));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pattern_that_repeats_itself_is_searched_for_without_a_table() {
        let kind = |patterns: &[String]| {
            let own = builder(patterns.iter().map(String::len)).build(patterns).unwrap();
            (own.kind(), own.is_match(&patterns.concat()))
        };
        assert_eq!(kind(&["a".repeat(100_000)]), (AhoCorasickKind::ContiguousNFA, true));
        assert_eq!(kind(&["ab".repeat(100)]), (AhoCorasickKind::DFA, true));
    }
}
