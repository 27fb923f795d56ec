//! Reads a file of JSON Lines as records.
//!
//! Complete objects that can be read without a guess are records, with their faults: several on a line, an
//! extra brace, one over several lines, NULs around one. Anything that needs a guess (torn, a raw line break
//! in a string, not UTF-8, not JSON, not an object) is one broken piece, with its bytes. A complete object
//! after a torn one is a record of its own. Nothing is dropped.

use memchr::memchr;

use super::json::Json;
use super::json_edit::scan;
use super::json_scanner::{Newlines, ScanResult, Tape};
use super::lines::{BOM, LineSpan, line_at, lines};
use super::merge_conflict::marker;
use super::torn_line::{ObjectAfterTorn, is_torn, objects_after_torn};
use crate::model::Code;
use crate::model::bytes::LineBounds;

/// Bytes that are one record, or that can't be read as one.
pub struct RecordPiece<'a> {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its first line, from 1.
    pub line: u32,
    /// The number of its lines.
    pub lines: u32,
    /// The object, unless the piece is broken.
    pub object: Option<Json<'a>>,
    pub faults: &'a [Code],
}

/// Reads JSON Lines and passes each record or broken piece to `take`. Returns the faults of the file.
pub fn split(bytes: &[u8], take: &mut dyn FnMut(RecordPiece<'_>)) -> Vec<(Code, u32)> {
    split_by(bytes, true, take)
}

/// Like [`split`], but a torn record and the rest of its line are one broken piece.
pub fn split_lines(bytes: &[u8], take: &mut dyn FnMut(RecordPiece<'_>)) -> Vec<(Code, u32)> {
    split_by(bytes, false, take)
}

fn split_by(bytes: &[u8], takes_apart: bool, take: &mut dyn FnMut(RecordPiece<'_>)) -> Vec<(Code, u32)> {
    // Each failed attempt to join lines costs its bytes. The budget limits their sum, so that a hostile file
    // takes time in proportion to its length.
    let budget = bytes.len().saturating_mul(4).saturating_add(1 << 20);
    let (tape, inner) = (Tape::default(), Tape::default());
    let mut splitter = Splitter { bytes, tape, inner, line: 1, budget, takes_apart, take };
    splitter.run()
}

struct Splitter<'a, 't> {
    bytes: &'a [u8],
    tape: Tape,
    inner: Tape,
    line: u32,
    budget: usize,
    takes_apart: bool,
    take: &'t mut dyn FnMut(RecordPiece<'_>),
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
            at = self.line(line).unwrap_or(line.next);
            self.line = first + lines(&self.bytes[line.start..at]).count() as u32;
            if at == self.bytes.len() && self.bytes.last() != Some(&b'\n') {
                file_faults.push((Code::NoFinalNewline, self.line - 1));
            }
        }
        file_faults
    }

    /// Reads a line. Returns the start of the next one, if an object of it reaches over several lines.
    fn line(&mut self, line: LineSpan) -> Option<usize> {
        let (start, end) = trim(self.bytes, line.start, line.end);
        let around = [&self.bytes[line.start..start], &self.bytes[end..line.end]];
        let mut faults: Vec<Code> = Vec::new();
        if around.iter().any(|part| memchr(0, part).is_some()) {
            faults.push(Code::NulBytes);
        }
        if start == end {
            if !faults.is_empty() {
                self.broken(line.start, line.end, 1, &faults);
            }
            return None;
        }
        if has_mark(around[0]) {
            faults.push(Code::ByteOrderMark);
        }
        self.objects(start, end, faults, false)
    }

    fn objects(
        &mut self,
        mut start: usize,
        end: usize,
        mut faults: Vec<Code>,
        mut before: bool,
    ) -> Option<usize> {
        loop {
            if self.bytes[start] != b'{' {
                self.no_object(start, end);
                return None;
            }
            match self.tape.scan(&self.bytes[start..end], Newlines::Refused) {
                ScanResult::Whole { end: len, .. } => {
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
                        return None;
                    }
                    faults.clear();
                    if has_mark(&self.bytes[stop..after_braces]) {
                        faults.push(Code::ByteOrderMark);
                    }
                    start = after_braces;
                    before = true;
                }
                ScanResult::Incomplete => return self.incomplete(start, end, faults),
                ScanResult::Bad(_) => {
                    self.bad(start, end, faults);
                    return None;
                }
            }
        }
    }

    /// Reads an object that does not end on its line: one over several lines, or a torn one.
    fn incomplete(&mut self, start: usize, end: usize, mut faults: Vec<Code>) -> Option<usize> {
        if let Some((stop, raw_newline)) = self.join(start) {
            let last = line_at(self.bytes, self.bytes.line_start(stop)).map_or(stop, |line| line.next);
            if !raw_newline {
                faults.push(Code::MultiLineRecord);
            }
            return Some(self.joined(start, stop, raw_newline, faults).unwrap_or(last));
        }
        let whole = objects_after_torn(&self.bytes[start..end], &|_| false).unwrap_or_default();
        self.apart((start, end), whole, Code::TornLine, faults);
        None
    }

    /// Reads something that starts with a brace and is not an object.
    fn bad(&mut self, start: usize, end: usize, faults: Vec<Code>) {
        let content = &self.bytes[start..end];
        let whole = objects_after_torn(content, &|_| false).unwrap_or_default();
        let code = match whole.iter().any(|own| own.is_own) || is_torn(content, &whole) {
            true => Code::TornLine,
            false => self.why_bad(start, end),
        };
        self.apart((start, end), whole, code, faults);
    }

    /// Reads something that does not start with a brace. Complete records may follow it: it is the end of a
    /// line that was broken before them, or another program wrote bytes between records.
    fn no_object(&mut self, start: usize, end: usize) {
        let whole = objects_after_torn(&self.bytes[start..end], &|_| false).unwrap_or_default();
        let first = whole.iter().find(|own| own.is_own && self.takes_apart);
        let code = self.why_no_object(start, first.map_or(end, |own| start + own.range.start));
        self.apart((start, end), whole, code, Vec::new());
    }

    /// Takes the broken part, and the complete records after it on its line.
    fn apart(
        &mut self,
        (start, end): (usize, usize),
        whole: Vec<ObjectAfterTorn>,
        code: Code,
        mut faults: Vec<Code>,
    ) {
        faults.retain(|fault| *fault != code);
        faults.insert(0, code);
        let mut at = start;
        let takes_apart = self.takes_apart;
        for own in whole.into_iter().filter(|own| own.is_own && takes_apart) {
            let (from, stop) = (start + own.range.start, start + own.range.end);
            if at < from {
                self.broken(at, from, 1, &faults);
                faults = vec![Code::TornLine];
            }
            let (next, _) = trim(self.bytes, stop, end);
            at = skip_braces(self.bytes, next, end);
            self.tape.scan(&self.bytes[from..stop], Newlines::Refused);
            self.whole(from, stop, 1, &between(&self.bytes[stop..at]));
        }
        if at < end {
            self.broken(at, end, 1, &faults);
        }
    }

    /// Takes an object over several lines, and what follows it on its last line.
    fn joined(
        &mut self,
        start: usize,
        stop: usize,
        raw_newline: bool,
        mut faults: Vec<Code>,
    ) -> Option<usize> {
        let count = lines(&self.bytes[start..stop]).count() as u32;
        let line = line_at(self.bytes, self.bytes.line_start(stop));
        let line_end = line.map_or(self.bytes.len(), |line| line.end);
        let (next, end) = trim(self.bytes, stop, line_end);
        let rest = skip_braces(self.bytes, next, end);
        if raw_newline {
            let braces_end = trim(self.bytes, start, rest.max(stop)).1;
            self.broken(start, braces_end, count, &[Code::RawNewline]);
        } else {
            if rest > next {
                faults.push(Code::ExtraBrace);
            }
            self.whole(start, stop, count, &faults);
        }
        if rest == end {
            return None;
        }
        self.line += count - 1;
        self.objects(rest, end, Vec::new(), true)
    }

    /// Returns the end of an object on a later line, and whether a string in it has a raw line break.
    fn join(&mut self, start: usize) -> Option<(usize, bool)> {
        let reach = self.bytes.len().min(start.saturating_add(self.budget));
        let outcome = self.inner.scan(&self.bytes[start..reach], Newlines::Noticed);
        let (stop, raw_newline) = match outcome {
            ScanResult::Whole { end, raw_newline } => (start + end, raw_newline),
            ScanResult::Bad(at) => {
                self.budget = self.budget.saturating_sub(at);
                return None;
            }
            ScanResult::Incomplete => {
                self.budget = self.budget.saturating_sub(reach - start);
                return None;
            }
        };
        self.budget = self.budget.saturating_sub(stop - start);
        let swallows = self.swallows_a_record(start, stop);
        (!swallows).then_some((stop, raw_newline))
    }

    /// True if a line between `start` and `stop` is a complete object without indentation. Then the first
    /// line is torn, and the others are records of their own.
    fn swallows_a_record(&mut self, start: usize, stop: usize) -> bool {
        let later: Vec<LineSpan> = lines(&self.bytes[start..stop]).skip(1).collect();
        later.into_iter().any(|line| {
            let content = &self.bytes[start + line.start..start + line.end];
            content.len() > 2 && content[0] == b'{' && scan(&mut self.inner, content).is_ok()
        })
    }

    /// Returns why something that starts with a brace is not an object, if nothing is torn.
    fn why_bad(&self, start: usize, end: usize) -> Code {
        let content = &self.bytes[start..end];
        match (memchr(0, content), std::str::from_utf8(content)) {
            (Some(_), _) => Code::NulBytes,
            (None, Err(_)) => Code::InvalidUtf8,
            (None, Ok(_)) => Code::BadJson,
        }
    }

    /// Returns why something that does not start with a brace is not an object.
    fn why_no_object(&mut self, start: usize, end: usize) -> Code {
        let content = &self.bytes[start..end];
        if marker(content).is_some() {
            return Code::ConflictMarkers;
        }
        if std::str::from_utf8(content).is_err() {
            return Code::InvalidUtf8;
        }
        if memchr(0, content).is_some() {
            return Code::NulBytes;
        }
        match self.inner.scan(content, Newlines::Refused) {
            ScanResult::Whole { end, .. } if end == content.len() => Code::NotAnObject,
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
        let object = Some(Json::of(bytes, &self.tape));
        (self.take)(RecordPiece { start, end, line: self.line, lines, object, faults });
    }

    fn broken(&mut self, start: usize, end: usize, lines: u32, faults: &[Code]) {
        (self.take)(RecordPiece { start, end, line: self.line, lines, object: None, faults });
    }
}

/// Returns the faults of a record after a torn one, given the bytes between it and the next.
fn between(bytes: &[u8]) -> Vec<Code> {
    let has = |byte| memchr(byte, bytes).is_some();
    let faults = [(has(0), Code::NulBytes), (has(b'}'), Code::ExtraBrace), (true, Code::GluedRecords)];
    faults.into_iter().filter(|(is_so, _)| *is_so).map(|(_, code)| code).collect()
}

/// Returns the range without white space and NULs at its ends, and without byte order marks at its start.
fn trim(bytes: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    while start < end && (is_blank(bytes[start]) || bytes[start..end].starts_with(BOM)) {
        start += if is_blank(bytes[start]) { 1 } else { BOM.len() };
    }
    while end > start && is_blank(bytes[end - 1]) {
        end -= 1;
    }
    (start, end)
}

/// True for what may be around records: white space and NULs.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0)
}

fn has_mark(bytes: &[u8]) -> bool {
    bytes.windows(BOM.len()).any(|part| part == BOM)
}

/// Returns the place after closing braces, and after anything else that may separate records.
fn skip_braces(bytes: &[u8], mut at: usize, end: usize) -> usize {
    while at < end {
        at += match bytes[at] {
            b'}' | b' ' | b'\t' | 0 => 1,
            _ if bytes[at..end].starts_with(BOM) => BOM.len(),
            _ => break,
        };
    }
    at
}

#[cfg(test)]
mod tests;
