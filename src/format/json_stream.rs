//! Objects that are looked through piece by piece: an index of a gigabyte's records is too large to hold
//! where each value of it is.

use std::borrow::Cow;
use std::ops::Range;

use super::record_reader::{whole_object, without_mark};
use crate::model::Bytes;
use crate::model::bytes::Ranges;
use crate::text::json::{Json, JsonKind};
use crate::text::json_scanner::{Newlines, ScanResult, Tape};
use crate::text::lines::BOM;

/// What is met in an object.
pub enum JsonEvent<'a> {
    /// One of its members, whole.
    Member(Json<'a>),
    /// A member of it that is gone into.
    Inner,
    /// A key of that, and its value.
    Value(&'a str, Json<'a>),
    /// A key of that, the items of whose value follow.
    Key(&'a str),
    /// One of them.
    Item(Json<'a>),
}

/// Who looks through an object.
pub trait JsonVisitor {
    /// How far a member of that name is gone into: not at all, to its members, or to the items of those.
    fn depth(&self, name: &str) -> u8;

    /// Takes what was met in the member of that name.
    fn visit(&mut self, name: &str, met: JsonEvent<'_>);

    /// Whether it knows enough.
    fn is_done(&self) -> bool {
        false
    }
}

/// What the bytes of an object are without those of the members that were gone into.
pub struct JsonOutline<'b> {
    /// The object, with nothing in those.
    pub text: Cow<'b, [u8]>,
    /// Where each of those ends in that text, and how many bytes of it are left out.
    left_out: Vec<(usize, usize)>,
    mark: usize,
}

impl JsonOutline<'_> {
    /// Where a range of the text is in the bytes.
    pub fn range(&self, own: Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let before = self.left_out.iter().take_while(|(end, _)| *end <= at);
            self.mark + at + before.map(|(_, len)| len).sum::<usize>()
        };
        place(own.start)..place(own.end)
    }
}

/// Looks through the object that is all of the bytes but for their mark; `None` where there is none. Of doubled
/// members the last counts.
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

/// What bytes that are not held are as an object, with nothing in the objects in it; `None` where they are none.
pub fn outline(bytes: &Bytes) -> Option<Vec<u8>> {
    let (_, own) = visit_object(bytes, || OutlineOnly)?;
    Some([&bytes.at(0..own.mark), &*own.text].concat())
}

/// Looks through nothing but whether it is an object.
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

/// So many bytes are looked at at once; in tests of the library few.
const WINDOW: usize = if cfg!(test) { 16 } else { 256 << 10 };
/// A longer piece is none: then it takes all bytes at once.
const LONGEST: usize = 32 << 10;
/// An object of more members is not gone through piece by piece.
const MEMBERS: usize = 256;

/// A place in bytes that are read window by window. Whatever is not surely an object is left to who looks at all
/// of them at once.
struct WindowReader<'b> {
    bytes: &'b Bytes,
    window: Cow<'b, [u8]>,
    /// Where the window starts.
    start: usize,
    /// The place in it.
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

    /// Goes through the members of an object; where that is.
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

    /// Whether the bytes end where the window does.
    fn is_last(&self) -> bool {
        self.start + self.window.len() == self.bytes.len()
    }

    /// Reads on from the place, more than what is behind it in the window.
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

    /// The next byte that is no white space.
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

    /// Whether another child follows those `before` it, rather than the end.
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

    /// Reads a key, and what parts it from its value.
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

    /// Where the next value is in the window.
    fn piece(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        loop {
            let rest = &self.window[self.at..];
            match self.tape.scan(rest, Newlines::Refused) {
                // A number may go on behind the window.
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

    /// Nothing but white space follows.
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
