//! Tidies broken lines without a guess: each complete object gets its own line, an object over several lines
//! is joined, and bytes between records that are not text are removed. Every other byte stays.

use std::ops::Range;

use super::json_lines::{is_blank, split_lines};
use super::json_scanner::{Newlines, ScanResult, Tape};
use super::torn_line::{first_name, objects_after_torn};

/// Tidied lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TidyLines {
    /// The new bytes.
    pub bytes: Vec<u8>,
    /// The removed bytes, each with its former place. They are only white space, braces, NULs and byte order
    /// marks between records and between the members of a record.
    pub removed: Vec<(usize, Vec<u8>)>,
}

/// The maximum number of rounds until nothing changes.
const ROUNDS: usize = 6;

/// Tidies lines. `None` if there is nothing to tidy, or if a few rounds are not enough.
pub fn tidy_lines(lines: &[u8], is_record: &dyn Fn(&[u8]) -> bool) -> Option<TidyLines> {
    let mut own = once(lines, is_record);
    for _ in 1..ROUNDS {
        let next = once(&own.bytes, is_record);
        if next.bytes == own.bytes {
            return (own.bytes != lines).then_some(own);
        }
        let placed = placed(lines, &own, next.removed);
        own.removed.extend(placed);
        own.bytes = next.bytes;
    }
    None
}

/// Returns what a later round removed, with the places in the original lines. These also have the bytes that
/// were removed earlier, and other white space.
fn placed(before: &[u8], own: &TidyLines, out: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
    let counts = |byte: &u8| !byte.is_ascii_whitespace();
    let mut gone = own.removed.iter().peekable();
    let (mut at, mut known, mut looked) = (0, 0, 0);
    let mut place = |to: usize| {
        let passed = own.bytes.get(looked..to).unwrap_or_default().iter().filter(|byte| counts(byte)).count();
        (known, looked) = (known + passed, to.max(looked));
        while let Some(byte) = before.get(at) {
            if let Some((start, bytes)) = gone.next_if(|(start, _)| *start <= at) {
                at = at.max(start + bytes.len());
                continue;
            }
            match counts(byte) {
                true if known == 0 => break,
                true => known -= 1,
                false => {}
            }
            at += 1;
        }
        at
    };
    let found = |(to, bytes): (usize, Vec<u8>)| {
        let at = place(to);
        let is_there = |at: &usize| before.get(*at..).is_some_and(|rest| rest.starts_with(&bytes));
        // White space is before the part that is counted. The halves of a joined record are in another order.
        let near = std::iter::once(at).chain(at.checked_sub(bytes.len()));
        let found = near.into_iter().find(is_there).or_else(|| memchr::memmem::find(before, &bytes));
        // A line end that the first round added was not in the file.
        Some((found?, bytes))
    };
    out.into_iter().filter_map(found).collect()
}

fn once(lines: &[u8], is_record: &dyn Fn(&[u8]) -> bool) -> TidyLines {
    let end: &[u8] = if lines.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let mut pen = TidyWriter { lines, end, own: TidyLines::default(), at: 0, was_piece: false };
    split_lines(lines, &mut |piece| {
        pen.between(piece.start);
        pen.was_piece = true;
        let content = &lines[piece.start..piece.end];
        match &piece.object {
            Some(_) if piece.lines > 1 => pen.joined(content),
            Some(_) => pen.own.bytes.extend_from_slice(content),
            None if content.iter().all(|byte| is_blank(*byte)) => pen.drop_line(content),
            None => pen.torn(content, is_record),
        }
        pen.at = pen.at.max(piece.end);
    });
    pen.between(lines.len());
    pen.own
}

struct TidyWriter<'a> {
    lines: &'a [u8],
    end: &'static [u8],
    own: TidyLines,
    /// Everything before it is written.
    at: usize,
    was_piece: bool,
}

impl TidyWriter<'_> {
    /// Writes what is between records: white space stays, and two records on a line are separated.
    fn between(&mut self, to: usize) {
        let gap = self.lines.get(self.at..to).unwrap_or_default();
        if self.was_piece && to < self.lines.len() && !gap.contains(&b'\n') {
            self.own.removed.extend((!gap.is_empty()).then(|| (self.at, gap.to_vec())));
            self.own.bytes.extend_from_slice(self.end);
            self.at = to;
            return;
        }
        let mut start = 0;
        while start < gap.len() {
            let is_out = |byte: &u8| !byte.is_ascii_whitespace();
            let noise = gap[start..].iter().take_while(|byte| is_out(byte)).count();
            if noise > 0 {
                self.own.removed.push((self.at + start, gap[start..start + noise].to_vec()));
            }
            start += noise;
            let blanks = gap[start..].iter().take_while(|byte| !is_out(byte)).count();
            self.own.bytes.extend_from_slice(&gap[start..start + blanks]);
            start += blanks;
        }
        self.at = to;
    }

    /// Removes a line without content, with its line end.
    fn drop_line(&mut self, content: &[u8]) {
        let at = self.at;
        let behind = self.lines.get(at + content.len()..).unwrap_or_default();
        let end = behind.iter().take_while(|byte| **byte == b'\r').count();
        self.at = at + content.len() + if behind.get(end) == Some(&b'\n') { end + 1 } else { 0 };
        self.own.removed.push((at, self.lines.get(at..self.at).unwrap_or_default().to_vec()));
        self.was_piece = false;
    }

    /// Writes a record on one line: removes line breaks and indentation outside texts.
    fn joined(&mut self, content: &[u8]) {
        let (mut is_text, mut is_escaped, mut indents) = (false, false, false);
        let mut gone = 0..0;
        for (at, &byte) in content.iter().enumerate() {
            let is_break = !is_text && matches!(byte, b'\n' | b'\r');
            indents = is_break || indents && matches!(byte, b' ' | b'\t');
            if indents {
                gone = if gone.is_empty() { at..at + 1 } else { gone.start..at + 1 };
                continue;
            }
            if !gone.is_empty() {
                self.own.removed.push((self.at + gone.start, content[gone.clone()].to_vec()));
                gone = 0..0;
            }
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ => {}
            }
            self.own.bytes.push(byte);
        }
    }

    /// Writes complete records on the line of a torn one to lines of their own.
    fn torn(&mut self, content: &[u8], is_record: &dyn Fn(&[u8]) -> bool) {
        let first = content.starts_with(b"{").then(|| first_name(content)).flatten();
        let is_one = |own: &[u8]| first.is_some() && first_name(own) == first || is_record(own);
        let behind = objects_after_torn(content, is_record).unwrap_or_default();
        let whole: Vec<Range<usize>> =
            behind.into_iter().map(|own| own.range).filter(|own| is_one(&content[own.clone()])).collect();
        let mut rest: Vec<&[u8]> = Vec::new();
        let mut parts: Vec<&[u8]> = Vec::new();
        let mut at = 0;
        for own in whole.iter().cloned().chain(std::iter::once(content.len()..content.len())) {
            let before = content.get(at..own.start).unwrap_or_default();
            rest.push(before);
            parts.extend([before, &content[own.clone()]]);
            at = own.end;
        }
        let halves = rest.concat();
        // One was written into the other, which is complete without it.
        if !whole.is_empty() && is_object(&halves) && is_one(&halves) {
            parts = std::iter::once(&*halves).chain(whole.into_iter().map(|own| &content[own])).collect();
        }
        let is_nothing = |own: &&[u8]| own.iter().all(|byte| is_blank(*byte));
        let mut from = self.at;
        for own in &parts {
            self.own.removed.extend((is_nothing(own) && !own.is_empty()).then(|| (from, own.to_vec())));
            from += own.len();
        }
        parts.retain(|own| !is_nothing(own));
        self.own.bytes.extend_from_slice(&parts.join(self.end));
    }
}

fn is_object(bytes: &[u8]) -> bool {
    let found = Tape::default().scan(bytes, Newlines::Refused);
    bytes.first() == Some(&b'{')
        && matches!(found, ScanResult::Whole { end, .. } if bytes[end..].iter().all(|byte| is_blank(*byte)))
        && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &str) -> Option<String> {
        let own = tidy_lines(lines.as_bytes(), &|own| own.starts_with(b"{\"id\""))?;
        Some(String::from_utf8(own.bytes).unwrap())
    }

    #[test]
    fn whole_records_get_lines_of_their_own_and_torn_ones_stay_beside_them() {
        for (lines, expected) in [
            ("{\"id\":1}{\"id\":2}\n", "{\"id\":1}\n{\"id\":2}\n"),
            ("{\"id\":1} {\"id\":2}\r\n", "{\"id\":1}\r\n{\"id\":2}\r\n"),
            ("{\"id\":1}}\n", "{\"id\":1}\n"),
            ("\0\0{\"id\":1}\0\n", "{\"id\":1}\n"),
            ("\0\0\0\n{\"id\":1}\n", "{\"id\":1}\n"),
            ("{\"id\":1}\n\u{feff}{\"id\":2}\n", "{\"id\":1}\n{\"id\":2}\n"),
            ("{\n  \"id\": 1,\n  \"a\": \"b \\\" c\"\n}\n", "{\"id\": 1,\"a\": \"b \\\" c\"}\n"),
            ("{\"id\":1,\"te{\"id\":2}\n", "{\"id\":1,\"te\n{\"id\":2}\n"),
            ("{\"id\":1,\"te{\"id\":2}xt\":\"a\"}\n", "{\"id\":1,\"text\":\"a\"}\n{\"id\":2}\n"),
        ] {
            assert_eq!(told(lines).as_deref(), Some(expected), "{lines:?}");
            assert_eq!(told(expected), None, "{expected:?}");
        }
    }

    #[test]
    fn a_torn_line_alone_and_prose_with_an_object_in_it_stay_as_they_are() {
        for lines in ["{\"id\":1,\"te\n", "{\"id\":1}\n", "see {\"a\":1} there\n", "  {\"id\":1}  \n\n", ""] {
            assert_eq!(told(lines), None, "{lines:?}");
        }
    }

    #[test]
    fn what_leaves_is_told_with_its_place() {
        let own = tidy_lines(b"\0{\"id\":1}}}\0{\"id\":2}\n", &|_| true).unwrap();
        assert_eq!(own.removed, [(0, vec![0]), (9, b"}}\0".to_vec())]);
    }

    #[test]
    fn white_space_that_leaves_is_told_with_its_place() {
        let out = |lines: &str| {
            let own = tidy_lines(lines.as_bytes(), &|own| own.starts_with(b"{\"id\"")).unwrap();
            assert!(
                own.removed.iter().all(|(at, gone)| lines.as_bytes()[*at..].starts_with(gone)),
                "{lines:?}"
            );
            let told = own.removed.into_iter().map(|(at, gone)| (at, String::from_utf8(gone).unwrap()));
            told.collect::<Vec<_>>()
        };
        let told =
            |all: &[(usize, &str)]| all.iter().map(|(at, own)| (*at, (*own).to_owned())).collect::<Vec<_>>();
        assert_eq!(out("{\"id\":1} \t{\"id\":2}\r\n"), told(&[(8, " \t")]));
        assert_eq!(
            out("{\n  \"id\": 1,\r\r\n\t\"a\": \"b\"\n}\n"),
            told(&[(1, "\n  "), (12, "\r\r\n\t"), (24, "\n")])
        );
        assert_eq!(out("\0\0\r\r\n{\"id\":1}\n"), told(&[(0, "\0\0\r\r\n")]));
        assert_eq!(out("{\"id\":1,\"te{\"id\":2} \0 {\"id\":3}\n"), told(&[(19, " \0 ")]));
    }
}
