//! How much of an index Claude Code loads at the start: 200 lines or 25,000 bytes, whichever comes first. Front
//! matter and HTML comments do not count, and the cut is at the end of a line.

use std::ops::Range;

use crate::model::LoadExcess;
use crate::text::front_matter::Note;
use crate::text::lines::lines;

/// The most lines that are loaded.
pub const LINES: usize = 200;
/// The most bytes that are loaded.
pub const BYTES: usize = 25_000;
/// From this number of lines on the limit is near.
pub const MANY_LINES: usize = 180;
/// From this number of bytes on the limit is near.
pub const MANY_BYTES: usize = 20_000;

/// What counts of an index, and where it is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedPart {
    /// The lines that count.
    pub lines: usize,
    /// Their bytes, with line ends.
    pub bytes: usize,
    /// The first line, from 1, that is not loaded; `None` if all are.
    pub cut: Option<u32>,
    /// The places of the lines that count and are loaded, with their ends.
    pub loaded: Vec<Range<usize>>,
    /// The places of the lines that count and are not loaded.
    pub beyond: Vec<Range<usize>>,
}

impl LoadedPart {
    /// Counts the lines of an index.
    pub fn of(text: &str) -> LoadedPart {
        let mut own = LoadedPart::default();
        let body = Note::read(text).body.start;
        let mut in_comment = false;
        // A comment without an end is text.
        let last_end = text.rfind("-->");
        for (number, line) in (1..).zip(lines(text.as_bytes())) {
            let all = text.get(line.start..line.next).unwrap_or_default();
            let may_open = last_end.is_some_and(|end| end > line.start);
            let (counted, had_comment) = without_comments(all, may_open, &mut in_comment);
            if line.start < body || had_comment && counted.trim().is_empty() {
                continue;
            }
            own.lines += 1;
            own.bytes += counted.len();
            if own.cut.is_none() && (own.lines > LINES || own.bytes > BYTES) {
                own.cut = Some(number);
            }
            let part = if own.cut.is_none() { &mut own.loaded } else { &mut own.beyond };
            part.push(line.start..line.next);
        }
        own
    }

    /// Returns what must go so that all of it is loaded.
    pub fn excess(&self) -> LoadExcess {
        let (lines, bytes) = (self.lines.saturating_sub(LINES), self.bytes.saturating_sub(BYTES));
        LoadExcess { lines, bytes, characters: 0 }
    }

    /// True if the whole index is loaded, but hardly more fits.
    pub fn is_near(&self) -> bool {
        self.cut.is_none() && (self.lines >= MANY_LINES || self.bytes >= MANY_BYTES)
    }
}

/// Returns a line without its comments, and whether it had any. A comment may go on over lines.
fn without_comments(line: &str, may_open: bool, in_comment: &mut bool) -> (String, bool) {
    let (mut out, mut rest, mut had) = (String::new(), line, *in_comment);
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("-->") else { return (out, had) };
            (*in_comment, rest) = (false, after);
        }
        let Some((before, after)) = rest.split_once("<!--").filter(|_| may_open) else {
            out.push_str(rest);
            return (out, had);
        };
        out.push_str(before);
        (*in_comment, had, rest) = (true, true, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Option<u32> {
        LoadedPart::of(text).cut
    }

    #[test]
    fn two_hundred_lines_are_loaded_and_no_more() {
        for end in ["\n", "\r\n"] {
            let lines = |count: usize| format!("- a{end}").repeat(count);
            assert_eq!((cut(&lines(199)), cut(&lines(200)), cut(&lines(201))), (None, None, Some(201)));
            assert_eq!(cut(lines(200).trim_end()), None);
            let own = LoadedPart::of(&lines(180));
            assert_eq!((own.lines, own.bytes, own.is_near()), (180, 180 * (3 + end.len()), true));
            assert_eq!((LoadedPart::of(&lines(205)).beyond.len(), own.loaded.len()), (5, 180));
        }
    }

    #[test]
    fn twenty_five_thousand_bytes_are_loaded_and_the_line_that_goes_beyond_is_not() {
        let text = |bytes: usize| {
            format!(
                "{}\n{}\n",
                "x".repeat(9_999),
                "é".repeat((bytes - 10_001) / 2) + &"y".repeat((bytes - 10_001) % 2)
            )
        };
        for (bytes, expected) in [(24_999, None), (25_000, None), (25_001, Some(2))] {
            assert_eq!((text(bytes).len(), cut(&text(bytes))), (bytes, expected));
        }
    }

    #[test]
    fn front_matter_and_comments_do_not_count() {
        let all = "- a\n".repeat(200);
        assert_eq!(cut(&format!("---\na: b\n---\n{all}")), None);
        assert_eq!(cut(&format!("<!-- one\ntwo\nthree -->\n{all}")), None);
        assert_eq!(cut(&format!("<!-- one -->x\n{all}")), Some(201));
        assert_eq!(cut(&format!("---\na: b\n---\n{all}- b")), Some(204));
    }
}
