//! The title of a memory in a list: the start of its text.

use crate::detectors::cut;

/// The most characters of a title. A longer one is cut, and ends in `…`.
pub(super) const MAX_TITLE: usize = 120;
/// How many characters after a cut are read to find the end of a secret that the cut would split.
pub(super) const CUT_LOOKAHEAD: usize = 4_096;

/// The start of a private key. It contains spaces, unlike other secrets, which end at a space.
const DASHES: &str = "-----";

/// Returns the first line with content, with its white space collapsed.
pub fn title_of(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(no text)");
    let mut title = String::new();
    let (mut count, mut end) = (0, None);
    let words = line.split(is_blank).filter(|word| !word.is_empty());
    for c in words.flat_map(|word| std::iter::once(' ').chain(word.chars())).skip(1) {
        if count == MAX_TITLE {
            end = Some(title.len());
        }
        if count == MAX_TITLE + CUT_LOOKAHEAD || (end.is_some() && c == ' ' && !title.contains(DASHES)) {
            break;
        }
        title.push(c);
        count += 1;
    }
    if let Some(end) = end {
        title.truncate(cut(&title, end));
        title.push('…');
    }
    title
}

/// True for white space that looks like a space. Other line separators stay visible.
fn is_blank(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{2028}' | '\u{2029}' => false,
        _ => c.is_whitespace() && !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detectors::mask;

    #[test]
    fn a_title_is_the_first_line_that_holds_anything() {
        assert_eq!(title_of("\n  \n two\t words \nmore"), "two words");
        assert_eq!(title_of(" \n"), "(no text)");
        assert_eq!(title_of("a\u{a0}\u{3000}b\u{2028}c\u{b}d"), "a b\u{2028}c\u{b}d");
        assert_eq!(title_of(&"x".repeat(MAX_TITLE)), "x".repeat(MAX_TITLE));
        assert_eq!(title_of(&"x".repeat(MAX_TITLE + 1)), "x".repeat(MAX_TITLE) + "…");
    }

    #[test]
    fn a_title_of_a_long_line_costs_no_more_than_one_of_a_short_line() {
        let took = |text: &str| {
            let once = || {
                let began = std::time::Instant::now();
                (0..50).for_each(|_| drop(std::hint::black_box(title_of(text))));
                began.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap()
        };
        let (short, long) = (took(&"words ".repeat(20)), took(&"words ".repeat(20_000)));
        // The line is a thousand times as long.
        assert!(long < short * 100, "{short:?} for 120 bytes, {long:?} for 120,000");
    }

    #[test]
    fn a_title_that_ends_within_a_token_masks_it() {
        let token = ["ghp", "_", &"a1B2".repeat(10)].concat();
        for before in MAX_TITLE - 40..MAX_TITLE + 5 {
            let text = format!("{} {token} and more of it", "x".repeat(before));
            assert!(!mask(&title_of(&text)).contains("a1B2"), "{before}");
        }
    }
}
