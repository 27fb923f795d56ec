//! JSON as spans of its bytes.
//!
//! Nothing is normalised: number spelling, doubled keys, escapes and lone surrogates stay as they are in the
//! bytes. A value is read from them on demand.

use std::borrow::Cow;

use crate::model::Moment;

use super::json_scanner::{Tape, TapeNode, sign};

pub use super::json_scanner::JsonKind;

/// One value within scanned bytes.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    bytes: &'a [u8],
    tape: &'a Tape,
    at: usize,
}

impl<'a> Json<'a> {
    /// Returns the value that the last scan of `tape` found in `bytes`. It must be complete.
    pub fn of(bytes: &'a [u8], tape: &'a Tape) -> Self {
        Json { bytes, tape, at: 0 }
    }

    fn node(&self) -> &'a TapeNode {
        &self.tape.nodes[self.at]
    }

    fn sibling(&self, at: usize) -> Json<'a> {
        Json { at, ..*self }
    }

    pub fn kind(&self) -> JsonKind {
        self.node().kind
    }

    pub fn raw(&self) -> &'a [u8] {
        let node = self.node();
        &self.bytes[node.start as usize..node.end as usize]
    }

    /// Returns its exact text. Bytes that are not UTF-8 become U+FFFD.
    pub fn spelled(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.raw())
    }

    /// Returns the scanned bytes in this range.
    pub fn around(&self, range: std::ops::Range<usize>) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes.get(range).unwrap_or_default())
    }

    /// Returns its start and its end in the scanned bytes.
    pub fn span(&self) -> (usize, usize) {
        let node = self.node();
        (node.start as usize, node.end as usize)
    }

    /// Returns the members of an object in order, with doubled keys; none for other values.
    pub fn members(&self) -> impl Iterator<Item = (Json<'a>, Json<'a>)> + use<'a> {
        let this = *self;
        self.inner(JsonKind::Object, 1).map(move |value| (this.sibling(value.at - 1), value))
    }

    /// Returns the items of an array; none for other values.
    pub fn items(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        self.inner(JsonKind::Array, 0)
    }

    /// Returns the values in a value of that kind. Before each is this number of nodes of names.
    fn inner(&self, kind: JsonKind, names: usize) -> impl Iterator<Item = Json<'a>> + use<'a> {
        let this = *self;
        let last = if self.kind() == kind { self.node().next as usize } else { 0 };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            if at >= last {
                return None;
            }
            let value = this.sibling(at + names);
            at = value.node().next as usize;
            Some(value)
        })
    }

    /// Returns the member of that name. The last one of doubled keys counts, as in every common parser.
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        if self.at > 0 {
            return self.members().filter(|(key, _)| key.is_text(name)).last().map(|(_, value)| value);
        }
        let sign = sign(name.as_bytes());
        let mut alike = self.tape.outer.iter().rev().filter(|own| own.sign == sign || own.sign == 0);
        let own = alike.find(|own| self.sibling(own.at as usize).is_text(name))?;
        Some(self.sibling(own.at as usize + 1))
    }

    /// Returns the member at the end of a path of names.
    pub fn path(&self, names: &[&str]) -> Option<Json<'a>> {
        names.iter().try_fold(*self, |value, name| value.get(name))
    }

    /// True if it is this string.
    pub fn is_text(&self, text: &str) -> bool {
        let node = self.node();
        match node.is_escaped {
            false => {
                let is_as_long = (node.end - node.start) as usize == text.len() + 2;
                is_as_long && self.quoted() == Some(text.as_bytes())
            }
            true => self.text().is_some_and(|own| own == text),
        }
    }

    /// Returns the inside of a string, with its escapes.
    pub fn quoted(&self) -> Option<&'a [u8]> {
        (self.kind() == JsonKind::String).then(|| {
            let raw = self.raw();
            &raw[1..raw.len() - 1]
        })
    }

    /// Returns the text of a string. Lone surrogates and bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        let inner = self.quoted()?;
        if self.node().is_escaped {
            let chars = String::from_utf8_lossy(inner);
            let plain = units(&chars).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
            return Some(Cow::Owned(plain.collect()));
        }
        // Nearly all strings are UTF-8, and a check is cheaper than a replacement.
        Some(std::str::from_utf8(inner).map_or_else(|_| String::from_utf8_lossy(inner), Cow::Borrowed))
    }

    /// Returns the value of a number, as exactly as an f64 can have it.
    pub fn number(&self) -> Option<f64> {
        if self.kind() != JsonKind::Number {
            return None;
        }
        std::str::from_utf8(self.raw()).ok()?.parse().ok()
    }

    /// Returns a whole number from 0 to about 2^63, spelled `5` or `5.0`.
    pub fn count(&self) -> Option<u64> {
        let number = self.number()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9.3e18).then_some(number as u64)
    }

    pub fn bool(&self) -> Option<bool> {
        (self.kind() == JsonKind::Bool).then(|| self.raw() == b"true")
    }

    /// Returns the time that a string names.
    pub fn moment(&self) -> Option<Moment> {
        Moment::of(&self.text()?)
    }

    /// True if it is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == JsonKind::Null
    }

    /// Returns the value as text for people: strings without quotes, everything else as spelled.
    pub fn plain(&self) -> String {
        self.text().unwrap_or_else(|| self.spelled()).into_owned()
    }

    /// Returns what is in it but in no string value: the names of members, and numbers.
    pub fn each_other(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        let this = *self;
        let all = (self.at..self.node().next as usize).map(move |at| this.sibling(at));
        all.filter(|own| own.node().is_key || own.kind() == JsonKind::Number)
    }

    /// Calls `see` with every string in it and its path of names. Iterative: no nesting exhausts the stack.
    pub fn each_string(&self, see: &mut dyn FnMut(&[Cow<'a, str>], Json<'a>)) {
        let end = self.node().next as usize;
        let mut names: Vec<(Cow<'a, str>, usize)> = Vec::new();
        let mut path: Vec<Cow<'a, str>> = Vec::new();
        let mut at = self.at;
        while at < end {
            while names.last().is_some_and(|&(_, until)| at >= until) {
                names.pop();
                path.pop();
            }
            let value = self.sibling(at);
            if value.node().is_key {
                let until = self.sibling(at + 1).node().next as usize;
                let name = value.text().unwrap_or_default();
                path.push(name.clone());
                names.push((name, until));
            } else if value.kind() == JsonKind::String {
                see(&path, value);
            }
            at += 1;
        }
    }
}

/// Returns the length of the escape that bytes begin with; `None` if they begin with no complete one.
pub(super) fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\\', b'u', digits @ ..] => digits.get(..4)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        _ => None,
    }
}

/// Returns the characters of the inside of a string, unescaped. An error is half a surrogate pair without its other half.
pub fn units(inner: &str) -> impl Iterator<Item = Result<char, u16>> + '_ {
    let mut chars = inner.chars().peekable();
    let mut next = None;
    std::iter::from_fn(move || {
        let first = next.take().or_else(|| next_escaped(&mut chars))?;
        let Err(high @ 0xd800..0xdc00) = first else { return Some(first) };
        if chars.peek() != Some(&'\\') {
            return Some(first);
        }
        match next_escaped(&mut chars) {
            Some(Err(low @ 0xdc00..0xe000)) => {
                let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(low) - 0xdc00);
                Some(Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)))
            }
            // What follows the lone half is returned next.
            other => {
                next = other;
                Some(first)
            }
        }
    })
}

/// Returns the next character, or the code of a surrogate escape.
fn next_escaped(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Result<char, u16>> {
    let c = chars.next()?;
    if c != '\\' {
        return Some(Ok(c));
    }
    let plain = match chars.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let code = (0..4).try_fold(0, |code, _| Some(code * 16 + chars.next()?.to_digit(16)?))?;
            return Some(char::from_u32(code).ok_or(code as u16));
        }
        other => other,
    };
    Some(Ok(plain))
}
