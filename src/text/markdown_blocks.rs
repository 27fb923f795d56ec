//! The code blocks and comments of a Markdown text: what is in them is an example, or is not shown.
//!
//! Memories are hostile input, and whole parsers of Markdown need more than linear time for some texts.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::lines::{LineSpan, lines};
use super::part_range::part_range;

/// What a comment starts with.
pub const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";
/// A text without any of these has neither code blocks nor comments.
const MARKS: [&str; 3] = ["```", "~~~", COMMENT];

/// Passes the parts of lines with a mark outside code blocks, indented code and comments to `take`, each with its line
/// and the line's number from 1. Few texts have most marks.
pub fn each_shown<'a>(mark: &str, text: &'a str, take: &mut dyn FnMut(u32, LineSpan, &'a str)) {
    let mark = memmem::Finder::new(mark);
    let has_mark = |text: &&str| mark.find(text.as_bytes()).is_some();
    if !has_mark(&text) {
        return;
    }
    let hidden = hidden(text);
    let may_be_code = memmem::find(text.as_bytes(), b"\n    ").is_some();
    // Within a list, and before any line that is not indented, lines of four spaces are no code.
    let (mut is_list, mut is_after_gap, mut is_code) = (true, true, false);
    for (number, line) in (1..).zip(lines(text.as_bytes())) {
        let shown = text.get(line.start..line.end).unwrap_or_default();
        if may_be_code && block_at(&hidden, line.start).is_none() {
            let is_gap = shown.trim().is_empty();
            is_code = shown.starts_with("    ") && !is_list && (is_after_gap || is_code);
            let goes_on = shown.starts_with(' ') || is_gap || !is_after_gap && !shown.starts_with('#');
            is_list = !is_code && after_item_mark(shown.trim_start()).is_some() || is_list && goes_on;
            is_after_gap = is_gap;
        }
        if !is_code {
            let parts = shown_parts(text, line.start..line.end, &hidden).filter(has_mark);
            parts.for_each(|part| take(number, line, part));
        }
    }
}

/// Returns the parts of a line, and whether each is code: what is between two runs of equally many backticks.
pub fn code_parts(line: &str) -> Vec<(&str, bool)> {
    if !line.contains('`') {
        return vec![(line, false)];
    }
    let runs = line.split(|c| c != '`').filter(|run| !run.is_empty()).map(|run| part_range(line, run));
    let runs: Vec<Range<usize>> = runs.collect();
    let lasts: HashMap<usize, usize> = runs.iter().map(|run| (run.len(), run.start)).collect();
    let (mut parts, mut from, mut open) = (Vec::new(), 0, None);
    for run in runs {
        let is_end = open == Some(run.len());
        // One that no other follows starts no code.
        if is_end || open.is_none() && lasts.get(&run.len()).is_some_and(|last| *last > run.start) {
            parts.push((line.get(from..run.start).unwrap_or_default(), is_end));
            (from, open) = (run.end, if is_end { None } else { Some(run.len()) });
        }
    }
    parts.push((line.get(from..).unwrap_or_default(), false));
    parts
}

/// Returns the parts of a range that are outside the hidden ranges of its text.
pub fn shown_parts<'a>(
    text: &'a str,
    range: Range<usize>,
    hidden: &[Range<usize>],
) -> impl Iterator<Item = &'a str> {
    let first = hidden.partition_point(|block| block.end <= range.start);
    let Range { start, end } = range;
    let within = || hidden[first..].iter().take_while(move |block| block.start < end);
    let starts = [start].into_iter().chain(within().map(|block| block.end));
    let ends = within().map(|block| block.start).chain([end]);
    starts.zip(ends).filter_map(|(start, end)| text.get(start..end)).filter(|part| !part.is_empty())
}

/// Returns the hidden range that contains a place.
pub fn block_at(hidden: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let next = hidden.get(hidden.partition_point(|block| block.end <= at))?;
    (next.start <= at).then_some(next)
}

/// Returns the code between fences. Fences in comments are none.
pub fn code(text: &str) -> Vec<Range<usize>> {
    let is_code = |block: &Range<usize>| !text.as_bytes()[block.start..].starts_with(COMMENT.as_bytes());
    hidden(text).into_iter().filter(is_code).collect()
}

/// Returns the code between fences and the comments of a text, in their order. A comment without an end is text.
pub fn hidden(text: &str) -> Vec<Range<usize>> {
    if !MARKS.iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some()) {
        return Vec::new();
    }
    let mut scanner = BlockScanner { last_end: text.rfind(COMMENT_END), ..BlockScanner::default() };
    for line in lines(text.as_bytes()) {
        scanner.line(text.get(line.start..line.end).unwrap_or_default(), &line);
    }
    scanner.found.extend(scanner.fence.map(|(start, _)| start..text.len()));
    scanner.found
}

#[derive(Default)]
struct BlockScanner<'a> {
    /// Where the open fence starts, and its mark.
    fence: Option<(usize, &'a str)>,
    /// Where the open comment starts.
    comment: Option<usize>,
    /// Where the last comment of the text ends.
    last_end: Option<usize>,
    found: Vec<Range<usize>>,
}

impl<'a> BlockScanner<'a> {
    fn line(&mut self, text: &'a str, line: &LineSpan) {
        match (self.fence, fence_mark(text).filter(|_| self.comment.is_none())) {
            (Some((start, mark)), _) if is_end_of_fence(text, mark) => {
                self.found.push(start..line.next);
                self.fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) => self.fence = Some((line.start, mark)),
            (None, None) => self.comments(text, line.start),
        }
    }

    /// Finds the comments on a line that starts at `offset`. What is between backticks starts none.
    fn comments(&mut self, text: &str, offset: usize) {
        let last_tick = text.rfind('`');
        let (mut at, mut counted, mut is_code) = (0, 0, false);
        loop {
            if let Some(start) = self.comment {
                let Some(end) = text[at..].find(COMMENT_END) else { return };
                at += end + COMMENT_END.len();
                self.found.push(start..offset + at);
                (self.comment, counted) = (None, at);
            }
            let Some(next) = text[at..].find(COMMENT).map(|next| at + next) else { return };
            is_code ^= text[counted..next].matches('`').count() % 2 == 1;
            (counted, at) = (next, next + COMMENT.len());
            let is_quoted = is_code && last_tick.is_some_and(|tick| tick > next);
            let has_end = self.last_end.is_some_and(|end| end >= offset + at);
            self.comment = (has_end && !is_quoted).then_some(offset + next);
        }
    }
}

/// Returns the mark of the fence that starts on a line, behind `>` and marks of lists.
fn fence_mark(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    while let Some(next) = rest.strip_prefix('>').or_else(|| after_item_mark(rest)) {
        rest = next.trim_start();
    }
    let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let info = rest.trim_start_matches(sign);
    let mark = &rest[..rest.len() - info.len()];
    (mark.len() >= 3 && (sign == '~' || !info.contains('`'))).then_some(mark)
}

fn is_end_of_fence(line: &str, mark: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '>']).trim_end();
    rest.len() >= mark.len() && rest.chars().all(|sign| mark.starts_with(sign))
}

/// Returns what is behind the mark of a list item, if a text starts with one: `- `, `1. `.
pub fn after_item_mark(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[&str] = if rest.len() == text.len() { &["- ", "* ", "+ "] } else { &[". ", ") "] };
    marks.iter().find_map(|mark| rest.strip_prefix(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut parts = Vec::new();
        each_shown("", text, &mut |_, _, part| parts.push(part));
        parts.join("|")
    }

    #[test]
    fn code_and_comments_are_hidden_and_what_looks_like_them_is_not() {
        for (text, expected) in [
            ("a\n```sh\nx\n~~~\n``` y\n````\nb", "a|b"),
            ("~~~~\n```\n~~~\n~~~~~\nb", "b"),
            ("- a\n  ```\n  x\n  ```\n> ~~~\n> x\n> ~~~\nb\n```\nopen", "- a|b"),
            ("1. ```\n   x\n   ```\n```x``` y", "```x``` y"),
            ("a <!-- x --> b <!-- x\n```\nx\n--> c\n--> d", "a | b | c|--> d"),
            ("`<!-- a -->` b\n<!-- open", "`<!-- a -->` b|<!-- open"),
            ("# a\n\n    x\n\n     x\nb\n    c\n", "# a|b|    c"),
            ("- a\n\n    b\n```\nc\n```\n\n    d\ne\n\nf\n\n    x\n", "- a|    b|    d|e|f"),
            ("    # a\n\n    b\n  - c\n\n      d\n", "    # a|    b|  - c|      d"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn code_on_a_line_ends_at_as_many_backticks_as_it_starts_with() {
        for (line, expected) in [
            ("a `b` ``c`d`` e", vec!["a ", "!b", " ", "!c`d", " e"]),
            ("a ` b `` c", vec!["a ` b `` c"]),
            ("``` `é`", vec!["``` ", "!é", ""]),
        ] {
            let parts = code_parts(line).into_iter();
            let marked = parts.map(|(part, is_code)| if is_code { format!("!{part}") } else { part.into() });
            assert_eq!(marked.collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn many_marks_are_read_in_time() {
        for mark in ["`", "<!--", "`<!--", "> ", "- ", "```\n", "<!-- -->", "1"] {
            let text = mark.repeat(300_000) + "\n-->";
            assert!(hidden(&text).len() <= 300_000, "{mark}");
            assert!(code_parts(&text).len() <= 300_001, "{mark}");
        }
    }
}
