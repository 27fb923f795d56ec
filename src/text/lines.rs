//! A file of JSON Lines into lines that tile its bytes, and records within them.
//!
//! Where whole objects can be read without guessing they are records, with the fault on
//! them: several on a line, a brace too many, one over several lines, NULs around one.
//! What needs a guess (torn, a raw line break in a string, not UTF-8, not JSON, not an
//! object) is one broken stretch, with its bytes. Nothing is dropped.

use memchr::{memchr, memmem};

use super::json::Json;
use super::scan::{Newlines, Scan, Tape};
use crate::model::Code;

/// The byte order mark in UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// One line: its content from `start` to `end`, its line end from `end` to `next`.
/// The lines of a file tile its bytes: each starts where the one before it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first byte of its content.
    pub start: usize,
    /// One past its content, before `\n` or `\r\n`.
    pub end: usize,
    /// Where the next line starts.
    pub next: usize,
}

/// The line that starts at `start`, if any byte is left.
pub fn line_at(bytes: &[u8], start: usize) -> Option<Line> {
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    let Some(feed) = memchr(b'\n', rest) else {
        return Some(Line { start, end: bytes.len(), next: bytes.len() });
    };
    let end = start + feed;
    let crlf = feed > 0 && bytes[end - 1] == b'\r';
    Some(Line { start, end: end - usize::from(crlf), next: end + 1 })
}

/// The lines of `bytes`, in order.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let line = line_at(bytes, next)?;
        next = line.next;
        Some(line)
    })
}

/// A stretch of bytes that is one record, or that can't be read as one.
pub struct Piece<'a> {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its first line, from 1.
    pub line: u32,
    /// How many lines it covers.
    pub lines: u32,
    /// The object, unless the piece is broken.
    pub object: Option<Json<'a>>,
    /// What is wrong with it.
    pub faults: &'a [Code],
}

/// Reads `bytes` as JSON Lines and hands each record, or broken stretch, to `take`.
/// Returns what is wrong with the file as a whole.
pub fn split(bytes: &[u8], take: &mut dyn FnMut(Piece<'_>)) -> Vec<(Code, u32)> {
    // Each failed attempt to join lines costs its bytes; in all no more than this, so
    // that a hostile file takes time in proportion to its length.
    let budget = bytes.len().saturating_mul(4).saturating_add(1 << 20);
    let mut splitter =
        Splitter { bytes, tape: Tape::default(), inner: Tape::default(), line: 1, budget, take };
    splitter.run()
}

struct Splitter<'a, 't> {
    bytes: &'a [u8],
    tape: Tape,
    inner: Tape,
    line: u32,
    budget: usize,
    take: &'t mut dyn FnMut(Piece<'_>),
}

/// What a run of objects on one line came to.
enum Rest {
    /// The line is used up.
    Done,
    /// The record went on to the line that starts here.
    Joined(usize),
}

impl Splitter<'_, '_> {
    fn run(&mut self) -> Vec<(Code, u32)> {
        let mut file_faults = Vec::new();
        let mut at = 0;
        if self.bytes.starts_with(BOM) {
            file_faults.push((Code::ByteOrderMark, 1));
            at = BOM.len();
        }
        while let Some(line) = line_at(self.bytes, at) {
            let first = self.line;
            at = match self.line(line) {
                Rest::Done => line.next,
                Rest::Joined(next) => next,
            };
            self.line = first + lines(&self.bytes[line.start..at]).count() as u32;
            if at == self.bytes.len() && self.bytes.last() != Some(&b'\n') {
                file_faults.push((Code::NoFinalNewline, self.line - 1));
            }
        }
        file_faults
    }

    fn line(&mut self, line: Line) -> Rest {
        let (start, end) = trim(self.bytes, line.start, line.end);
        let nuls = memchr(0, &self.bytes[line.start..start.max(line.start)]).is_some()
            || memchr(0, &self.bytes[end..line.end]).is_some();
        if start == end {
            if nuls {
                self.broken(line.start, line.end, 1, &[Code::NulBytes]);
            }
            return Rest::Done;
        }
        if self.bytes[start] != b'{' {
            let code = self.why_no_object(start, end);
            self.broken(start, end, 1, &[code]);
            return Rest::Done;
        }
        self.objects(start, end, nuls)
    }

    /// Reads the objects of a line's content, which starts with a brace.
    fn objects(&mut self, mut start: usize, end: usize, nuls: bool) -> Rest {
        let mut faults: Vec<Code> = if nuls { vec![Code::NulBytes] } else { Vec::new() };
        let mut before = false;
        loop {
            match self.tape.scan(&self.bytes[start..end], Newlines::Refused) {
                Scan::Whole { end: len, .. } => {
                    let stop = start + len;
                    let (next, _) = trim(self.bytes, stop, end);
                    if memchr(0, &self.bytes[stop..next]).is_some() {
                        faults.push(Code::NulBytes);
                    }
                    let after_braces = skip_braces(self.bytes, next, end);
                    if after_braces > next {
                        faults.push(Code::ExtraBrace);
                    }
                    if before {
                        faults.push(Code::GluedRecords);
                    }
                    self.whole(start, stop, 1, &faults);
                    if after_braces == end {
                        return Rest::Done;
                    }
                    faults.clear();
                    start = after_braces;
                    before = true;
                    if self.bytes[start] != b'{' {
                        let code = self.why_no_object(start, end);
                        self.broken(start, end, 1, &[code]);
                        return Rest::Done;
                    }
                }
                Scan::Incomplete => return self.incomplete(start, end, faults),
                Scan::Bad { .. } => {
                    let code = self.why_bad(start, end);
                    faults.retain(|fault| *fault != code);
                    faults.insert(0, code);
                    self.broken(start, end, 1, &faults);
                    return Rest::Done;
                }
            }
        }
    }

    /// An object that its line does not end: one over several lines, or a torn one.
    fn incomplete(&mut self, start: usize, end: usize, mut faults: Vec<Code>) -> Rest {
        if let Some((stop, raw_newline)) = self.join(start) {
            let last = line_at(self.bytes, line_start(self.bytes, stop)).map_or(stop, |line| line.next);
            let count = lines(&self.bytes[start..stop]).count() as u32;
            if raw_newline {
                let content_end = trim(self.bytes, start, line_content_end(self.bytes, stop)).1;
                self.broken(start, content_end, count, &[Code::RawNewline]);
                return Rest::Joined(last);
            }
            faults.push(Code::MultiLineRecord);
            self.after_joined(start, stop, count, faults);
            return Rest::Joined(last);
        }
        faults.insert(0, Code::TornLine);
        self.broken(start, end, 1, &faults);
        Rest::Done
    }

    /// What stands behind a joined object on its last line.
    fn after_joined(&mut self, start: usize, stop: usize, count: u32, mut faults: Vec<Code>) {
        let line_end = line_content_end(self.bytes, stop);
        let (next, end) = trim(self.bytes, stop, line_end);
        let rest = skip_braces(self.bytes, next, end);
        if rest > next {
            faults.push(Code::ExtraBrace);
        }
        self.whole(start, stop, count, &faults);
        if rest < end {
            self.line += count - 1;
            let code = self.why_no_object(rest, end);
            self.broken(rest, end, 1, &[code]);
        }
    }

    /// Where an object that starts at `start` ends on a later line, if it does, and
    /// whether a string in it held a raw line break.
    fn join(&mut self, start: usize) -> Option<(usize, bool)> {
        let reach = self.bytes.len().min(start.saturating_add(self.budget));
        let outcome = self.inner.scan(&self.bytes[start..reach], Newlines::Noticed);
        let (stop, raw_newline) = match outcome {
            Scan::Whole { end, raw_newline } => (start + end, raw_newline),
            Scan::Bad { at } => {
                self.budget = self.budget.saturating_sub(at);
                return None;
            }
            Scan::Incomplete => {
                self.budget = self.budget.saturating_sub(reach - start);
                return None;
            }
        };
        self.budget = self.budget.saturating_sub(stop - start);
        let swallows = self.swallows_a_record(start, stop);
        (!swallows).then_some((stop, raw_newline))
    }

    /// Whether a line between `start` and `stop` is a whole object at the margin: then
    /// the first line is torn, and the others are records of their own.
    fn swallows_a_record(&mut self, start: usize, stop: usize) -> bool {
        let later: Vec<Line> = lines(&self.bytes[start..stop]).skip(1).collect();
        later.into_iter().any(|line| {
            let content = &self.bytes[start + line.start..start + line.end];
            let whole = content.first() == Some(&b'{')
                && matches!(self.inner.scan(content, Newlines::Refused), Scan::Whole { end, .. }
                    if content[end..].iter().all(u8::is_ascii_whitespace));
            whole && content.len() > 2
        })
    }

    /// Why what starts with a brace is no object.
    fn why_bad(&mut self, start: usize, end: usize) -> Code {
        let content = &self.bytes[start..end];
        if self.ends_with_an_object(start, end) {
            return Code::TornLine;
        }
        if memchr(0, content).is_some() {
            return Code::NulBytes;
        }
        if std::str::from_utf8(content).is_err() {
            return Code::InvalidUtf8;
        }
        Code::BadJson
    }

    /// Whether a whole object stands at the end of a line that starts with another:
    /// the first was torn, and the next append was glued on.
    fn ends_with_an_object(&mut self, start: usize, end: usize) -> bool {
        let content = &self.bytes[start..end];
        let mut cost = 0;
        for place in memmem::find_iter(content, b"{\"").filter(|&place| place > 0).take(256) {
            let reached = match self.inner.scan(&content[place..], Newlines::Refused) {
                Scan::Whole { end, .. } if place + end == content.len() => return true,
                Scan::Whole { end, .. } => end,
                Scan::Bad { at } => at,
                Scan::Incomplete => content.len() - place,
            };
            cost += reached;
            if cost > 4 * content.len() {
                return false;
            }
        }
        false
    }

    /// Why a stretch that does not start with a brace is no object.
    fn why_no_object(&mut self, start: usize, end: usize) -> Code {
        let content = &self.bytes[start..end];
        let marker = [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"].iter().any(|m| content.starts_with(*m));
        if marker && content.get(7).is_none_or(|&byte| byte == b' ') {
            return Code::ConflictMarkers;
        }
        if std::str::from_utf8(content).is_err() {
            return Code::InvalidUtf8;
        }
        if memchr(0, content).is_some() {
            return Code::NulBytes;
        }
        match self.inner.scan(content, Newlines::Refused) {
            Scan::Whole { end, .. } if end == content.len() => Code::NotAnObject,
            _ => Code::BadJson,
        }
    }

    fn whole(&mut self, start: usize, end: usize, lines: u32, faults: &[Code]) {
        let bytes = &self.bytes[start..end];
        if std::str::from_utf8(bytes).is_err() {
            return self.broken(start, end, lines, &[Code::InvalidUtf8]);
        }
        if lines > 1 {
            self.tape.scan(bytes, Newlines::Refused);
        }
        let object = Some(self.tape.value(bytes));
        (self.take)(Piece { start, end, line: self.line, lines, object, faults });
    }

    fn broken(&mut self, start: usize, end: usize, lines: u32, faults: &[Code]) {
        (self.take)(Piece { start, end, line: self.line, lines, object: None, faults });
    }
}

/// The range without white space and NULs at its ends.
fn trim(bytes: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0);
    while start < end && blank(bytes[start]) {
        start += 1;
    }
    while end > start && blank(bytes[end - 1]) {
        end -= 1;
    }
    (start, end)
}

/// Past the closing braces, and the blanks among them, that stand at `at`.
fn skip_braces(bytes: &[u8], mut at: usize, end: usize) -> usize {
    while at < end && matches!(bytes[at], b'}' | b' ' | b'\t' | 0) {
        at += 1;
    }
    at
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |feed| feed + 1)
}

fn line_content_end(bytes: &[u8], at: usize) -> usize {
    line_at(bytes, line_start(bytes, at)).map_or(bytes.len(), |line| line.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each piece as `line text` or `line !code text`.
    fn pieces(text: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        split(text, &mut |piece| {
            let raw = String::from_utf8_lossy(&text[piece.start..piece.end]).into_owned();
            let mark = if piece.object.is_some() { "" } else { "!" };
            let codes: Vec<&str> = piece.faults.iter().map(|code| code.as_str()).collect();
            seen.push(format!("{} {mark}{} {raw}", piece.line, codes.join("+")));
        });
        seen
    }

    #[test]
    fn whole_lines_are_records_and_blank_lines_are_nothing() {
        assert_eq!(pieces(b"{\"a\":1}\n\n  {\"b\":2} \r\n{}"), ["1  {\"a\":1}", "3  {\"b\":2}", "4  {}"]);
    }

    #[test]
    fn a_torn_line_is_one_broken_record_and_the_rest_loads() {
        assert_eq!(
            pieces(b"{\"a\":\"x\n{\"b\":2}\n{\"c\":[1,\n{\"d\":4}\n{\"e\":"),
            [
                "1 !torn-line {\"a\":\"x",
                "2  {\"b\":2}",
                "3 !torn-line {\"c\":[1,",
                "4  {\"d\":4}",
                "5 !torn-line {\"e\":"
            ]
        );
    }

    #[test]
    fn a_torn_object_with_a_whole_one_glued_on_is_one_torn_line() {
        assert_eq!(
            pieces(b"{\"a\":\"x {\"b\":2}\n{\"c\":3}\n"),
            ["1 !torn-line {\"a\":\"x {\"b\":2}", "2  {\"c\":3}"]
        );
    }

    #[test]
    fn glued_objects_are_each_a_record() {
        assert_eq!(
            pieces(b"{\"a\":1}{\"b\":2} {\"c\":3}}\n"),
            ["1  {\"a\":1}", "1 glued-records {\"b\":2}", "1 extra-brace+glued-records {\"c\":3}"]
        );
        assert_eq!(pieces(b"{\"a\":1}{\"b\":"), ["1  {\"a\":1}", "1 !torn-line {\"b\":"]);
    }

    #[test]
    fn an_object_over_several_lines_is_one_record() {
        assert_eq!(
            pieces(b"{\n  \"a\": {\n    \"b\": 1\n  }\n}\n{\"c\":3}\n"),
            ["1 multi-line-record {\n  \"a\": {\n    \"b\": 1\n  }\n}", "6  {\"c\":3}"]
        );
    }

    #[test]
    fn a_raw_line_break_in_a_string_is_one_broken_record_over_its_lines() {
        assert_eq!(
            pieces(b"{\"a\":\"x\ny\r\nz\"}\n{\"b\":2}\n"),
            ["1 !raw-newline {\"a\":\"x\ny\r\nz\"}", "4  {\"b\":2}"]
        );
    }

    #[test]
    fn nuls_around_an_object_stay_outside_it_and_within_it_break_it() {
        assert_eq!(
            pieces(b"\0\0{\"a\":1}\0\n\0\0\0\n{\"b\":\"\0\"}\n{\"c\":3}\0\0"),
            [
                "1 nul-bytes {\"a\":1}",
                "2 !nul-bytes \0\0\0",
                "3 !nul-bytes {\"b\":\"\0\"}",
                "4 nul-bytes {\"c\":3}"
            ]
        );
    }

    #[test]
    fn what_is_no_object_says_why() {
        assert_eq!(
            pieces(b"[1]\nnot json\n<<<<<<< HEAD\n=======\n{\"a\":\"\xff\"}\n{\"a\":tru}\n"),
            [
                "1 !not-an-object [1]",
                "2 !bad-json not json",
                "3 !conflict-markers <<<<<<< HEAD",
                "4 !conflict-markers =======",
                "5 !invalid-utf8 {\"a\":\"\u{fffd}\"}",
                "6 !bad-json {\"a\":tru}"
            ]
        );
    }

    #[test]
    fn a_byte_order_mark_and_a_missing_last_line_end_are_the_files() {
        let faults = split(b"\xef\xbb\xbf{\"a\":1}\n{\"b\":2}", &mut |_| {});
        assert_eq!(faults, [(Code::ByteOrderMark, 1), (Code::NoFinalNewline, 2)]);
    }

    #[test]
    fn many_torn_lines_take_time_in_proportion_to_their_bytes() {
        let text = b"{\"a\":[1,\n".repeat(200_000);
        let mut count = 0;
        split(&text, &mut |_| count += 1);
        assert_eq!(count, 200_000);
    }

    fn fragments() -> impl Strategy<Value = Vec<u8>> {
        let parts: Vec<&[u8]> = vec![
            b"{\"a\":1}",
            b"{\"a\":\"x",
            b"\n",
            b"\r\n",
            b"}",
            b"\0",
            b"{",
            b"[1]",
            b"\xff",
            b" ",
            b"\"",
            b"{\n\"b\":2\n}",
        ];
        proptest::collection::vec(proptest::sample::select(parts), 0..16).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn lines_tile_any_bytes(bytes in fragments()) {
            let mut at = 0;
            for line in lines(&bytes) {
                prop_assert!(line.start == at && line.start <= line.end && line.end < line.next.max(line.end + 1));
                at = line.next;
            }
            prop_assert_eq!(at, bytes.len());
        }

        #[test]
        fn every_byte_of_any_file_is_in_one_piece_or_between_pieces(bytes in fragments()) {
            let mut at = 0;
            let mut failed = None;
            let mut line = 0;
            split(&bytes, &mut |piece| {
                let between = &bytes[at.min(piece.start)..piece.start];
                let dropped = between.iter().any(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'}' | 0 | 0xef | 0xbb | 0xbf));
                let counted = 1 + bytes[..piece.start].iter().filter(|b| **b == b'\n').count() as u32;
                if piece.start < at || piece.end <= piece.start || dropped || piece.line < line || piece.line != counted {
                    failed = Some((piece.start, piece.end, piece.line, counted));
                }
                at = piece.end;
                line = piece.line;
            });
            prop_assert_eq!(failed, None);
            let tail = &bytes[at..];
            prop_assert!(tail.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'}' | 0 | 0xef | 0xbb | 0xbf)), "{:?}", tail);
        }
    }
}
