//! Undoes the escapes of JSON in bytes.

use crate::text::json::units;

/// No escape continues after this many bytes without a backslash, not even one that undoing another one
/// makes: two escapes for one character have this many.
const CLEAR: usize = 12;

/// Splits the bytes into pieces of about `len` bytes. Undoing escapes piece by piece, even those that the
/// first undoing makes, gives the same bytes as undoing them all at once.
pub(super) fn pieces(bytes: &[u8], len: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let mut end = len.max(CLEAR).min(rest.len());
        while end < rest.len()
            && let Some(slash) = memchr::memrchr(b'\\', &rest[end - CLEAR..end])
        {
            end = (end + slash + 1).min(rest.len());
        }
        let piece;
        (piece, rest) = rest.split_at(end);
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns the bytes with every escape of JSON undone. `None` if there is no backslash.
pub(in crate::text) fn unescaped(bytes: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', bytes)?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(slash) = memchr::memchr(b'\\', &bytes[at..]) {
        out.extend_from_slice(&bytes[at..at + slash]);
        at += slash;
        let run = escapes(&bytes[at..]);
        match std::str::from_utf8(&bytes[at..at + run]) {
            Ok(run) if !run.is_empty() => {
                for unit in units(run) {
                    let own = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(own.encode_utf8(&mut [0; 4]).as_bytes());
                }
                at += run.len();
            }
            _ => {
                out.push(b'\\');
                at += 1;
            }
        }
    }
    out.extend_from_slice(&bytes[at..]);
    Some(out)
}

/// Returns how many bytes at the start are complete escapes.
fn escapes(bytes: &[u8]) -> usize {
    let mut len = 0;
    loop {
        let own = match bytes.get(len..).unwrap_or_default() {
            [b'\\', b'u', digits @ ..] => {
                let digits = digits.get(..4).is_some_and(|own| own.iter().all(u8::is_ascii_hexdigit));
                if digits { 6 } else { 0 }
            }
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            _ => 0,
        };
        if own == 0 {
            return len;
        }
        len += own;
    }
}
