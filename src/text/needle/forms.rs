//! The forms that a content may have in a file: its spelling, and the encoding of that. A form is made on
//! demand, and only as much of it as is needed.

use std::borrow::Cow;

use crate::text::canonical::write_char;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NeedleForm {
    pub(super) content: u32,
    spelling: NeedleSpelling,
    writing: NeedleEncoding,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NeedleSpelling {
    Plain,
    /// As within quotes in JSON.
    Quoted,
    /// Like `Quoted`, with everything escaped that is not ASCII.
    Ascii,
}

/// The encoding of the spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeedleEncoding {
    Plain,
    /// Base64, after this number of bytes in a group of three.
    Base64(u8),
    /// The same with the characters that are safe in URLs.
    Url(u8),
    Hex,
    UpperHex,
    Utf16Le,
    Utf16Be,
}

impl NeedleForm {
    /// Passes every form of a content to `see`, each once except for a few that are equal.
    pub(super) fn all(content: &[u8], number: u32, see: &mut dyn FnMut(NeedleForm)) {
        let text = std::str::from_utf8(content).ok();
        let is_escaped = |text: &str| text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\');
        for spelling in [NeedleSpelling::Plain, NeedleSpelling::Quoted, NeedleSpelling::Ascii] {
            let is_other = match spelling {
                NeedleSpelling::Plain => true,
                NeedleSpelling::Quoted => text.is_some_and(is_escaped),
                NeedleSpelling::Ascii => text.is_some_and(|text| !text.is_ascii()),
            };
            let mut of = |writing| see(NeedleForm { content: number, spelling, writing });
            if !is_other {
                continue;
            }
            let own = [NeedleEncoding::Plain, NeedleEncoding::Hex, NeedleEncoding::UpperHex];
            own.into_iter().chain((0..3).map(NeedleEncoding::Base64)).for_each(&mut of);
            // Only these bytes can give a base64 character that is not safe in URLs.
            if content.iter().any(|byte| matches!(byte, b'>' | b'?' | b'~' | 0x7f..)) {
                (0..3).map(NeedleEncoding::Url).for_each(&mut of);
            }
            if text.is_some() {
                [NeedleEncoding::Utf16Le, NeedleEncoding::Utf16Be].into_iter().for_each(&mut of);
            }
        }
    }

    /// Returns a length that no form of a content exceeds.
    pub(super) fn longest(content: &[u8]) -> usize {
        // An escape has six bytes for one to four bytes, and an encoding has two for each.
        content.len() * 12
    }

    /// True if the bytes begin with it.
    pub(super) fn begins(self, content: &[u8], bytes: &[u8]) -> bool {
        if self.spelling == NeedleSpelling::Plain && self.writing == NeedleEncoding::Plain {
            return bytes.starts_with(content);
        }
        let (start, is_whole) = self.start(content, 48);
        bytes.starts_with(&start) && (is_whole || bytes.starts_with(&self.start(content, usize::MAX).0))
    }

    /// Returns at most `limit` bytes of it, and whether that is all.
    pub(super) fn start(self, content: &[u8], limit: usize) -> (Vec<u8>, bool) {
        let (spelled, is_all) = self.spelling.of(content, limit.saturating_mul(2).saturating_add(8));
        let mut form = self.writing.of(&spelled);
        let is_whole = is_all && form.len() <= limit;
        form.truncate(limit);
        (form, is_whole)
    }
}

impl NeedleSpelling {
    /// Returns the content in this spelling, about `limit` bytes of it, and whether that is all.
    fn of(self, content: &[u8], limit: usize) -> (Cow<'_, [u8]>, bool) {
        let Ok(text) = std::str::from_utf8(content) else {
            // Bytes that are not text have only one spelling.
            let own = &content[..content.len().min(limit)];
            return (Cow::Borrowed(own), own.len() == content.len());
        };
        if self == NeedleSpelling::Plain {
            let mut end = text.len().min(limit);
            // A character is never cut, because a part of it could not be written as UTF-16.
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            return (Cow::Borrowed(&content[..end]), end == content.len());
        }
        let mut out = String::with_capacity(text.len().min(limit) + 16);
        let mut rest = text;
        while out.len() < limit {
            // Most of a text is spelled as it is.
            let mut bytes = rest.bytes().take(limit);
            let mut stays = bytes.position(|byte| self.changes(byte)).unwrap_or(limit.min(rest.len()));
            while !rest.is_char_boundary(stays) {
                stays -= 1;
            }
            out.push_str(&rest[..stays]);
            rest = &rest[stays..];
            let Some(c) = rest.chars().next() else { return (Cow::Owned(out.into_bytes()), true) };
            self.push(c, &mut out);
            rest = &rest[c.len_utf8()..];
        }
        (Cow::Owned(out.into_bytes()), rest.is_empty())
    }

    /// True if a character that starts with this byte may be spelled in another way.
    fn changes(self, byte: u8) -> bool {
        byte < 0x20 || matches!(byte, b'"' | b'\\') || self == NeedleSpelling::Ascii && byte >= 0x80
    }

    fn push(self, c: char, out: &mut String) {
        if c.is_ascii() || self == NeedleSpelling::Quoted {
            return write_char(c, out);
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let digit = |shift: u32| char::from_digit(u32::from(*unit >> shift & 15), 16);
            out.push_str("\\u");
            out.extend([12, 8, 4, 0].into_iter().filter_map(digit));
        }
    }
}

impl NeedleEncoding {
    fn of(self, spelled: &[u8]) -> Vec<u8> {
        let hex = |digits: &[u8; 16]| {
            let pair = |byte: &u8| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
            spelled.iter().flat_map(pair).collect()
        };
        let units = || std::str::from_utf8(spelled).unwrap_or_default().encode_utf16();
        match self {
            NeedleEncoding::Plain => spelled.to_vec(),
            NeedleEncoding::Base64(before) => base64(spelled, before, ALPHABET),
            NeedleEncoding::Url(before) => base64(spelled, before, URL_SAFE),
            NeedleEncoding::Hex => hex(b"0123456789abcdef"),
            NeedleEncoding::UpperHex => hex(b"0123456789ABCDEF"),
            NeedleEncoding::Utf16Le => units().flat_map(u16::to_le_bytes).collect(),
            NeedleEncoding::Utf16Be => units().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// Returns the base64 characters that depend on `bytes` alone, after `before` bytes in a group of three.
fn base64(bytes: &[u8], before: u8, alphabet: &[u8; 64]) -> Vec<u8> {
    // A character that is shared with the bytes before depends on those, too.
    let (head, rest) = bytes.split_at(bytes.len().min(usize::from(3 - before % 3) % 3));
    let mut out = Vec::with_capacity(bytes.len() * 4 / 3 + 4);
    let mut push = |three: [u8; 3], from: u32, to: u32| {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        out.extend((from..to).map(|at| alphabet[(bits >> (18 - 6 * at) & 63) as usize]));
    };
    match *head {
        [one] => push([0, 0, one], 3, 4),
        [one, two] => push([0, one, two], 2, 4),
        _ => {}
    }
    let mut threes = rest.chunks_exact(3);
    for three in &mut threes {
        push([three[0], three[1], three[2]], 0, 4);
    }
    match *threes.remainder() {
        [one] => push([one, 0, 0], 0, 1),
        [one, two] => push([one, two, 0], 0, 2),
        _ => {}
    }
    out
}
