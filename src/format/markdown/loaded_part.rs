//! How much of an index Claude Code loads at the start: 200 lines or 25,000 bytes, whichever comes first. Front
//! matter and HTML comments do not count, and the cut is at the end of a line. Qwen Code counts them, and characters.

use std::ops::Range;

use super::load_rule::{LoadCut, LoadRule};
use crate::model::{LoadExcess, LoadLimit};
use crate::text::front_matter::Note;
use crate::text::lines::lines;

/// From this number of lines on the limit is near.
const MANY_LINES: usize = 180;
/// From this number of bytes or characters on the limit is near.
const MANY: usize = 20_000;

/// What counts of an index, and where it is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedPart {
    /// The most lines that are loaded, and the most bytes or characters.
    most: (usize, usize),
    /// True if characters count instead of bytes.
    has_characters: bool,
    /// The lines that count.
    pub lines: usize,
    /// Their bytes or characters, with line ends.
    pub size: usize,
    /// The first line, from 1, that is not loaded; `None` if all are.
    pub cut: Option<u32>,
    /// The places of the lines that count and are loaded, with their ends.
    pub loaded: Vec<Range<usize>>,
    /// The places of the lines that count and are not loaded.
    pub beyond: Vec<Range<usize>>,
}

impl LoadedPart {
    /// Counts the lines of an index; `None` if the rule is not one of lines.
    pub fn of(text: &str, rule: &LoadRule) -> Option<LoadedPart> {
        let LoadCut::Lines { with_front_matter } = rule.cut else { return None };
        let (LoadLimit::LinesOrBytes(lines_most, most) | LoadLimit::LinesOrCharacters(lines_most, most)) =
            rule.limit
        else {
            return None;
        };
        let has_characters = matches!(rule.limit, LoadLimit::LinesOrCharacters(..));
        let mut own = LoadedPart { most: (lines_most, most), has_characters, ..LoadedPart::default() };
        let body = if with_front_matter { 0 } else { Note::read(text).body.start };
        let mut in_comment = false;
        // A comment without an end is text.
        let last_end = text.rfind("-->").filter(|_| !with_front_matter);
        for (number, line) in (1..).zip(lines(text.as_bytes())) {
            let all = text.get(line.start..line.next).unwrap_or_default();
            let may_open = last_end.is_some_and(|end| end > line.start);
            let (counted, had_comment) = without_comments(all, may_open, &mut in_comment);
            if line.start < body || had_comment && counted.trim().is_empty() {
                continue;
            }
            own.lines += 1;
            own.size += rule.len(&counted);
            if own.cut.is_none() && (own.lines > lines_most || own.size > most) {
                own.cut = Some(number);
            }
            let part = if own.cut.is_none() { &mut own.loaded } else { &mut own.beyond };
            part.push(line.start..line.next);
        }
        Some(own)
    }

    /// Returns what must go so that all of it is loaded.
    pub fn excess(&self) -> LoadExcess {
        let lines = self.lines.saturating_sub(self.most.0);
        let more = self.size.saturating_sub(self.most.1);
        let (bytes, characters) = if self.has_characters { (0, more) } else { (more, 0) };
        LoadExcess { lines, bytes, characters }
    }

    /// Says how large it is, and what is loaded at most.
    pub fn in_words(&self) -> (String, String) {
        let unit = if self.has_characters { "characters" } else { "bytes" };
        let size = format!("It has {} lines and {} {unit} that count", self.lines, self.size);
        (size, format!("{} lines or {} {unit} are loaded", self.most.0, self.most.1))
    }

    /// True if the whole index is loaded, but hardly more fits.
    pub fn is_near(&self) -> bool {
        self.cut.is_none() && (self.lines >= MANY_LINES || self.size >= MANY)
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
    use crate::format::markdown::load_rule::CLAUDE;

    fn part(text: &str) -> LoadedPart {
        LoadedPart::of(text, &CLAUDE[1]).unwrap()
    }

    fn cut(text: &str) -> Option<u32> {
        part(text).cut
    }

    #[test]
    fn two_hundred_lines_are_loaded_and_no_more() {
        for end in ["\n", "\r\n"] {
            let lines = |count: usize| format!("- a{end}").repeat(count);
            assert_eq!((cut(&lines(199)), cut(&lines(200)), cut(&lines(201))), (None, None, Some(201)));
            assert_eq!(cut(lines(200).trim_end()), None);
            let own = part(&lines(180));
            assert_eq!((own.lines, own.size, own.is_near()), (180, 180 * (3 + end.len()), true));
            assert_eq!((part(&lines(205)).beyond.len(), own.loaded.len()), (5, 180));
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

    #[test]
    fn qwen_code_counts_front_matter_and_characters() {
        let cut = |text: &str| LoadedPart::of(text, &CLAUDE[0]).unwrap().cut;
        assert_eq!(cut(&format!("---\na: b\n---\n{}", "- a\n".repeat(198))), Some(201));
        assert_eq!((cut(&"é".repeat(25_000)), cut(&"é".repeat(25_001))), (None, Some(1)));
    }
}
