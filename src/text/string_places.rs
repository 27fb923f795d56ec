//! The text of a JSON string, with the place where each byte of it is stored.

use std::borrow::Cow;

use super::json::{escape_len, units};

/// Returns the text of the inside of a JSON string. If it has escapes, also where each byte is stored.
pub fn unescaped(inner: &[u8]) -> (Cow<'_, [u8]>, Option<Vec<usize>>) {
    let Some(escaped) = std::str::from_utf8(inner).ok().filter(|own| own.contains('\\')) else {
        return (Cow::Borrowed(inner), None);
    };
    let (mut text, mut places) = (Vec::new(), Vec::new());
    let mut rest = escaped;
    while !rest.is_empty() {
        let len = char_len(rest);
        let at = escaped.len() - rest.len();
        for unit in units(&rest[..len]) {
            let own = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
            text.extend_from_slice(own.encode_utf8(&mut [0; 4]).as_bytes());
            places.resize(text.len(), at);
        }
        rest = &rest[len..];
    }
    places.push(escaped.len());
    (Cow::Owned(text), Some(places))
}

/// Returns the length of the first character of a JSON string as it is spelled. Text that is no JSON may have a `\u`
/// without digits, as in `C:\users`.
fn char_len(rest: &str) -> usize {
    let first = |text: &str| text.chars().next().map_or(0, char::len_utf8);
    let is_pair = |own: &&str| units(own).count() == 1;
    match escape_len(rest.as_bytes()) {
        Some(6) => rest.get(..12).filter(is_pair).map_or(6, str::len),
        Some(len) => len,
        None if rest.starts_with('\\') => 1 + first(&rest[1..]),
        None => first(rest),
    }
}
