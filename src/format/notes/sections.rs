//! The headings in the text of a note.

use crate::text::lines;
use crate::text::markdown_blocks::{block_at, hidden};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for `#`, 2 for `##`, up to 6.
    pub level: usize,
    /// The start of its line.
    pub start: usize,
    /// The end of its text, without white space.
    pub end: usize,
    /// The start of the next line.
    pub next: usize,
}

/// Returns the headings outside code and comments.
pub fn headings(body: &str) -> impl Iterator<Item = Heading> {
    let hidden = hidden(body);
    lines::lines(body.as_bytes()).filter(move |line| block_at(&hidden, line.start).is_none()).filter_map(
        |line| {
            let text = body.get(line.start..line.end)?;
            let level = text.len() - text.trim_start_matches('#').len();
            let is_heading = (1..=6).contains(&level) && text[level..].starts_with(' ');
            let end = line.start + text.trim_end().len();
            is_heading.then_some(Heading { level, start: line.start, end, next: line.next })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_and_code_has_none() {
        let body = "a\n# One  \n```\n# code\n~~~\n```\n#none\n####### none\n### Three\r\n";
        let found: Vec<(usize, &str)> =
            headings(body).map(|own| (own.level, &body[own.start..own.end])).collect();
        assert_eq!(found, [(1, "# One"), (3, "### Three")]);
        assert_eq!(headings(body).next().map(|own| own.next), Some(10));
    }
}
