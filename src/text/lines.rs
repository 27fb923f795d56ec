//! Lines that tile a file's bytes.

use memchr::memchr;

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_tile_any_bytes(bytes in proptest::collection::vec(proptest::sample::select(b"a\n\r\0\xff".to_vec()), 0..40)) {
            let mut at = 0;
            for line in lines(&bytes) {
                prop_assert!(line.start == at && line.start <= line.end && line.end < line.next.max(line.end + 1));
                at = line.next;
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
