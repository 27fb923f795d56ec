//! A stream of bytes with every escape of JSON undone.

use crate::text::json::{Unit, units};

/// A pair of escapes that are one character has as many bytes.
const LONGEST: usize = 12;

/// What it needs to know of the bytes before: an escape that may go on.
#[derive(Default)]
pub(super) struct Unescaped {
    held: Vec<u8>,
}

impl Unescaped {
    /// What the next bytes come to. What may go on is held until the last.
    pub(super) fn next(&mut self, bytes: &[u8], is_last: bool) -> Vec<u8> {
        let all;
        let bytes = match self.held.is_empty() {
            true => bytes,
            false => {
                all = [&std::mem::take(&mut self.held), bytes].concat();
                &all
            }
        };
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(slash) = memchr::memchr(b'\\', &bytes[at..]) {
            out.extend_from_slice(&bytes[at..at + slash]);
            at += slash;
            let run = escapes(&bytes[at..], is_last);
            if run == 0 && !is_last && bytes.len() - at < LONGEST {
                self.held = bytes[at..].to_vec();
                return out;
            }
            match std::str::from_utf8(&bytes[at..at + run]) {
                Ok(run) if !run.is_empty() => {
                    undone(run, &mut out);
                    at += run.len();
                }
                _ => {
                    out.push(b'\\');
                    at += 1;
                }
            }
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }
}

fn undone(run: &str, out: &mut Vec<u8>) {
    for unit in units(run) {
        match unit {
            Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => out.extend_from_slice("\u{fffd}".as_bytes()),
        }
    }
}

/// How many bytes at the start are whole escapes, without those whose other half may follow the end.
fn escapes(bytes: &[u8], is_last: bool) -> usize {
    let (mut len, mut before) = (0, 0);
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
            let is_half = matches!(
                bytes.get(before..before + 4),
                Some([b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B'])
            );
            let may_go_on = !is_last && is_half && len == before + 6 && bytes.len() - len < LONGEST / 2;
            return if may_go_on { before } else { len };
        }
        (before, len) = (len, len + own);
    }
}
