//! Reads objects piece by piece, because a scanned index of a gigabyte of records does not fit in memory.

use std::borrow::Cow;
use std::ops::Range;

use super::record_reader::{whole_object, without_mark};
use crate::model::Bytes;
use crate::model::bytes::Ranges;
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::{Newlines, ScanResult, Tape};
use crate::text::lines::BOM;

/// An event while an object is read.
pub enum JsonEvent<'a> {
    /// A complete member of it.
    Member(Json<'a>),
    /// The start of a member whose members follow.
    Inner,
    /// A key of that member, and its value.
    Value(&'a str, Json<'a>),
    /// A key of that member. The items of its value follow.
    Key(&'a str),
    /// One of these items.
    Item(Json<'a>),
}

/// Receives the events of an object.
pub trait JsonVisitor {
    /// Returns how deep a member of this name is opened: 0 not at all, 1 to its members, 2 to their items.
    fn depth(&self, name: &str) -> u8;

    /// Takes an event in the member of this name.
    fn visit(&mut self, name: &str, met: JsonEvent<'_>);

    /// True if it needs no more events.
    fn is_done(&self) -> bool {
        false
    }
}

/// The bytes of an object with its opened members emptied.
pub struct JsonOutline<'b> {
    /// The object with `{}` for each opened member.
    pub text: Cow<'b, [u8]>,
    /// The end of each opened member in `text`, and the number of bytes left out of it.
    left_out: Vec<(usize, usize)>,
    mark: usize,
}

impl JsonOutline<'_> {
    /// Converts a range of `text` to the range in the bytes.
    pub fn range(&self, own: Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let before = self.left_out.iter().take_while(|(end, _)| *end <= at);
            self.mark + at + before.map(|(_, len)| len).sum::<usize>()
        };
        place(own.start)..place(own.end)
    }
}

/// Visits the object after the byte order mark, if there is one. The last of doubled members counts.
pub fn visit_object<V: JsonVisitor>(bytes: &Bytes, visit: impl Fn() -> V) -> Option<(V, JsonOutline<'_>)> {
    if bytes.is_file_backed() {
        let mut own = visit();
        if let Some(outline) = WindowReader::of(bytes).object(&mut own) {
            return Some((own, outline));
        }
    }
    let body = without_mark(bytes);
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, body).ok()?;
    let mut own = visit();
    whole(object, &mut own);
    let outline =
        JsonOutline { text: Cow::Borrowed(body), left_out: Vec::new(), mark: bytes.len() - body.len() };
    Some((own, outline))
}

/// Returns file-backed bytes as an object whose nested objects are empty; `None` if they are not an object.
pub fn outline(bytes: &Bytes) -> Option<Vec<u8>> {
    let (_, own) = visit_object(bytes, || OutlineOnly)?;
    Some([&bytes.at(0..own.mark), &*own.text].concat())
}

/// Only checks that it is an object.
struct OutlineOnly;

impl JsonVisitor for OutlineOnly {
    fn depth(&self, _name: &str) -> u8 {
        2
    }

    fn visit(&mut self, _name: &str, _met: JsonEvent<'_>) {}
}

fn whole<V: JsonVisitor>(object: Json<'_>, visit: &mut V) {
    for (key, value) in object.members() {
        let name = key.text().unwrap_or_default();
        let is_last = object.get(&name).is_some_and(|last| last.span() == value.span());
        if !is_last {
            continue;
        }
        let depth = visit.depth(&name);
        if depth == 0 || value.kind() != JsonKind::Object {
            visit.visit(&name, JsonEvent::Member(value));
            continue;
        }
        visit.visit(&name, JsonEvent::Inner);
        for (key, value) in value.members() {
            if visit.is_done() {
                return;
            }
            let key = key.text().unwrap_or_default();
            if depth == 1 || value.kind() != JsonKind::Array {
                visit.visit(&name, JsonEvent::Value(&key, value));
                continue;
            }
            visit.visit(&name, JsonEvent::Key(&key));
            value.items().for_each(|item| visit.visit(&name, JsonEvent::Item(item)));
        }
    }
}

/// The size of the window in bytes. Small in unit tests.
const WINDOW: usize = if cfg!(test) { 16 } else { 256 << 10 };
/// The most bytes of one piece. An object with a longer one is read at once.
const LONGEST: usize = 32 << 10;
/// The most members of an object that is read piece by piece.
const MEMBERS: usize = 256;

/// A place in bytes that are read window by window. `None` from its methods means: read all bytes at once.
struct WindowReader<'b> {
    bytes: &'b Bytes,
    window: Cow<'b, [u8]>,
    /// The place of the window in the bytes.
    start: usize,
    /// The place in the window.
    at: usize,
    tape: Tape,
    key: String,
}

impl<'b> WindowReader<'b> {
    fn of(bytes: &'b Bytes) -> Self {
        let (window, tape, key) = Default::default();
        WindowReader { bytes, window, start: 0, at: 0, tape, key }
    }

    fn object<V: JsonVisitor>(mut self, visit: &mut V) -> Option<JsonOutline<'b>> {
        let mark = if self.bytes.is_at(0, BOM) { BOM.len() } else { 0 };
        self.start = mark;
        let mut names: Vec<String> = Vec::new();
        let mut inner: Vec<Range<usize>> = Vec::new();
        self.open(b'{')?;
        while self.next(b'}', names.len())? {
            self.key()?;
            let name = self.key.clone();
            if names.contains(&name) || names.len() == MEMBERS {
                return None;
            }
            let depth = visit.depth(&name);
            let own =
                if depth > 0 && self.peek()? == b'{' { self.members(&name, depth, visit)? } else { 0..0 };
            match own.is_empty() {
                true => {
                    let value = self.piece()?;
                    visit.visit(&name, JsonEvent::Member(Json::of(&self.window[value], &self.tape)));
                }
                false => inner.push(own),
            }
            names.push(name);
        }
        self.is_over()?;
        self.outline(mark, &inner)
    }

    /// Reads the members of an object. Returns its range.
    fn members<V: JsonVisitor>(&mut self, name: &str, depth: u8, visit: &mut V) -> Option<Range<usize>> {
        visit.visit(name, JsonEvent::Inner);
        self.open(b'{')?;
        let (start, mut count) = (self.start + self.at - 1, 0);
        while self.next(b'}', count)? {
            count += 1;
            self.key()?;
            if depth > 1 && self.peek()? == b'[' {
                self.items(name, visit)?;
                continue;
            }
            let value = self.piece()?;
            if !visit.is_done() {
                visit.visit(name, JsonEvent::Value(&self.key, Json::of(&self.window[value], &self.tape)));
            }
        }
        Some(start..self.start + self.at)
    }

    fn items<V: JsonVisitor>(&mut self, name: &str, visit: &mut V) -> Option<()> {
        self.open(b'[')?;
        visit.visit(name, JsonEvent::Key(&self.key));
        let mut count = 0;
        while self.next(b']', count)? {
            count += 1;
            let item = self.piece()?;
            if !visit.is_done() {
                visit.visit(name, JsonEvent::Item(Json::of(&self.window[item], &self.tape)));
            }
        }
        Some(())
    }

    fn is_last(&self) -> bool {
        self.start + self.window.len() == self.bytes.len()
    }

    /// Moves the window to the current place, and reads more than the rest of the old one.
    fn fill(&mut self) -> Option<()> {
        let (start, rest) = (self.start + self.at, self.window.len() - self.at);
        if self.is_last() || rest > LONGEST {
            return None;
        }
        let end = self.bytes.len().min(start + WINDOW.max(2 * rest));
        self.window = self.bytes.range(start..end)?;
        (self.start, self.at) = (start, 0);
        Some(())
    }

    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            self.at += self.window[self.at..].iter().take_while(|byte| is_blank(byte)).count();
            match self.window.get(self.at) {
                Some(byte) => return Some(*byte),
                None => self.fill()?,
            }
        }
    }

    fn open(&mut self, byte: u8) -> Option<()> {
        let is_it = self.peek()? == byte;
        self.at += 1;
        is_it.then_some(())
    }

    /// True if another child follows, false at the end. `before` is the number of children so far.
    fn next(&mut self, end: u8, before: usize) -> Option<bool> {
        match self.peek()? {
            byte if byte == end => {
                self.at += 1;
                Some(false)
            }
            _ if before == 0 => Some(true),
            b',' => {
                self.at += 1;
                Some(true)
            }
            _ => None,
        }
    }

    /// Reads a key and the colon after it.
    fn key(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        let own = self.piece()?;
        let key = Json::of(&self.window[own], &self.tape).text()?;
        self.key.clear();
        self.key.push_str(&key);
        self.open(b':')
    }

    fn piece(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        loop {
            let rest = &self.window[self.at..];
            match self.tape.scan(rest, Newlines::Refused) {
                // A number may continue after the window.
                ScanResult::Whole { end, .. } if end < rest.len() || self.is_last() => {
                    std::str::from_utf8(&rest[..end]).ok().filter(|own| own.len() <= LONGEST)?;
                    self.at += end;
                    return Some(self.at - end..self.at);
                }
                ScanResult::Bad { .. } => return None,
                ScanResult::Whole { .. } | ScanResult::Incomplete => self.fill()?,
            }
        }
    }

    /// Checks that only white space follows.
    fn is_over(&mut self) -> Option<()> {
        loop {
            if !self.window[self.at..].iter().all(u8::is_ascii_whitespace) {
                return None;
            }
            self.at = self.window.len();
            if self.is_last() {
                return Some(());
            }
            self.fill()?;
        }
    }

    fn outline(&self, mark: usize, inner: &[Range<usize>]) -> Option<JsonOutline<'b>> {
        let (mut text, mut left_out, mut at) = (Vec::new(), Vec::new(), mark);
        for own in inner {
            text.extend_from_slice(&self.bytes.range(at..own.start)?);
            text.extend_from_slice(b"{}");
            left_out.push((text.len(), own.len() - 2));
            at = own.end;
        }
        text.extend_from_slice(&self.bytes.range(at..self.bytes.len())?);
        Some(JsonOutline { text: Cow::Owned(text), left_out, mark })
    }
}

#[cfg(test)]
pub mod tests;
