//! Lines that cover the bytes of a file without gaps.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::model::Span;
use crate::model::bytes::LineBounds;

/// The byte order mark in UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line: its content from `start` to `end`, its line end from `end` to `next`. The lines of a file have
/// no gaps: each starts where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpan {
    /// The first byte of its content.
    pub start: usize,
    /// One past its content, before `\n` or `\r\n`.
    pub end: usize,
    /// The start of the next line.
    pub next: usize,
}

/// The bytes as a text that has everything in the same place: a byte that is not UTF-8 is a `?`.
pub fn text_in_place(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(
        |_| {
            let parts = bytes.utf8_chunks();
            parts.flat_map(|part| [part.valid().to_owned(), "?".repeat(part.invalid().len())]).collect()
        },
        Cow::Borrowed,
    )
}

/// Returns the line that starts at `start`, if any byte is left.
pub fn line_at(bytes: &[u8], start: usize) -> Option<LineSpan> {
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    let Some(feed) = memchr(b'\n', rest) else {
        return Some(LineSpan { start, end: bytes.len(), next: bytes.len() });
    };
    let end = start + feed;
    let crlf = feed > 0 && bytes[end - 1] == b'\r';
    Some(LineSpan { start, end: end - usize::from(crlf), next: end + 1 })
}

/// Returns the lines of `bytes`, in order.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = LineSpan> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let line = line_at(bytes, next)?;
        next = line.next;
        Some(line)
    })
}

/// Returns the complete lines of a range, without the last line end. If `is_start` is true, the bytes are the
/// start of a file, and its byte order mark is left out, too.
pub fn around(bytes: &[u8], range: Range<usize>, is_start: bool) -> Range<usize> {
    let before = bytes.get(..range.start).unwrap_or_default();
    let rest = bytes.get(range.end..).unwrap_or_default();
    let mark = if is_start && before.starts_with(BOM) { BOM.len() } else { 0 };
    let start = memchr::memrchr(b'\n', before).map_or(mark, |feed| feed + 1);
    let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
    let is_crlf = line.len() < rest.len() && line.ends_with(b"\r");
    start..range.end + line.len() - usize::from(is_crlf)
}

/// Returns the edits that remove records, with extra braces and spaces around them, and lines left empty.
pub fn removal_edits(bytes: &[u8], records: &[Span]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut spans: Vec<Range<usize>> =
        records.iter().map(|span| span.start as usize..(span.end as usize).min(bytes.len())).collect();
    spans.sort_by_key(|span| span.start);
    let filler = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'}' | 0);
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | 0);
    // The start of a long file is not read for a record far after it.
    let mark = |at: usize| if at <= BOM.len() && bytes.is_at(0, BOM) { BOM.len() } else { 0 };
    let mut holes: Vec<Range<usize>> = Vec::new();
    for span in spans {
        let end = span.end + bytes[span.end..].iter().take_while(|byte| filler(byte)).count();
        let start = start_of_run(&bytes[..span.start], blank);
        let start = start.max(mark(start));
        match holes.last_mut() {
            // Adjacent records of a line are removed together.
            Some(last) if last.end >= start => last.end = end.max(last.end),
            _ => holes.push(start..end),
        }
    }
    let whole = |hole: Range<usize>| {
        let starts = hole.start == mark(hole.start) || bytes[hole.start - 1..hole.start] == [b'\n'];
        let ends = bytes[hole.end..bytes.len().min(hole.end + 1)] == [b'\n'];
        let end = if starts && ends { hole.end + 1 } else { hole.end };
        // The rest of the line keeps its line end.
        let back = end - start_of_run(&bytes[..end], |byte| *byte == b'\r').max(hole.start);
        let end = if ends && !starts { end - back } else { end };
        (hole.start..end, Vec::new())
    };
    holes.into_iter().map(whole).collect()
}

/// Returns the start of the run of matching bytes at the end of bytes.
fn start_of_run(bytes: &[u8], is: impl Fn(&u8) -> bool) -> usize {
    bytes.len() - bytes.iter().rev().take_while(|byte| is(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn without(bytes: &str, record: &str) -> String {
        let start = bytes.find(record).unwrap();
        let span = Span { start: start as u64, end: (start + record.len()) as u64 };
        let mut left = bytes.as_bytes().to_vec();
        for (range, _) in removal_edits(bytes.as_bytes(), &[span]).into_iter().rev() {
            left.drain(range);
        }
        String::from_utf8(left).unwrap()
    }

    #[test]
    fn a_record_leaves_with_its_line_or_with_its_part_of_it() {
        assert_eq!(without("{a}\n{b}\n{c}\n", "{b}"), "{a}\n{c}\n");
        assert_eq!(without("{a}\r\n{b}\r\n", "{a}"), "{b}\r\n");
        assert_eq!(without("{a} {b}\n", "{a}"), "{b}\n");
        assert_eq!(without("{a}{b}\r\n", "{b}"), "{a}\r\n");
        assert_eq!(without("{a}}\n{b}", "{a}"), "{b}");
        assert_eq!(without("{a}\n{b}", "{b}"), "{a}\n");
        assert_eq!(without("\u{feff}{a}\n{b}\n", "{a}"), "\u{feff}{b}\n");
    }

    proptest! {
        #![proptest_config(crate::tries::config(256, 4_096))]

        #[test]
        fn lines_tile_any_bytes(bytes in proptest::collection::vec(proptest::sample::select(b"a\n\r\0\xff".to_vec()), 0..40)) {
            let mut at = 0;
            for line in lines(&bytes) {
                prop_assert!(line.start == at && line.start <= line.end && line.end < line.next.max(line.end + 1));
                at = line.next;
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
