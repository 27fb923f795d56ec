//! The text of a JSON string, with the place where each byte of it is stored.

use std::borrow::Cow;

use crate::text::json::{StringUnit, units};

/// Returns the text of the inside of a JSON string. If it has escapes, also where each byte is stored.
pub fn unescaped(inner: &[u8]) -> (Cow<'_, [u8]>, Option<Vec<usize>>) {
    let Some(escaped) = std::str::from_utf8(inner).ok().filter(|own| own.contains('\\')) else {
        return (Cow::Borrowed(inner), None);
    };
    let (mut text, mut places) = (Vec::new(), Vec::new());
    let mut rest = escaped;
    while !rest.is_empty() {
        let len = escape_len(rest);
        let at = escaped.len() - rest.len();
        let mut bytes = [0; 4];
        for unit in units(&rest[..len]) {
            let own = match unit {
                StringUnit::Char(own) => own.encode_utf8(&mut bytes),
                StringUnit::Lone(_) => char::REPLACEMENT_CHARACTER.encode_utf8(&mut bytes),
            };
            places.extend(std::iter::repeat_n(at, own.len()));
            text.extend_from_slice(own.as_bytes());
        }
        rest = &rest[len..];
    }
    places.push(escaped.len());
    (Cow::Owned(text), Some(places))
}

/// Returns the length of the first character of a JSON string as it is spelled.
fn escape_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let plain = || rest.chars().next().map_or(1, char::len_utf8);
    match bytes {
        [b'\\', b'u', ..] => {
            let is_pair = bytes.len() >= 12
                && matches!(bytes[2..4], [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B'])
                && bytes[6..].starts_with(b"\\u")
                && matches!(bytes[8..10], [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F']);
            if is_pair { 12 } else { 6.min(bytes.len()) }
        }
        [b'\\', _, ..] => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        _ => plain(),
    }
}
