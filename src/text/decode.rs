//! Undoes the encodings that a value may have in a file.

use std::borrow::Cow;

use super::json::{escape_len, units};
use super::line_ends;

/// A text may be in JSON within JSON, as deep as this.
const LAYERS: usize = 4;

/// How many bytes are decoded at once.
const PIECE: usize = 4 << 20;
/// Encoded in each way that is undone, a byte of a value takes fewer bytes than this.
const EXPANSION: usize = 64;
/// Pieces overlap by this many bytes at least.
const OVERLAP: usize = 256 << 10;

/// Passes the bytes, and each part of them that can be decoded, to `see`, with the form that it had and `\n` for each
/// line end. Leaves out parts that are too short for a value of `shortest` bytes. Many bytes are decoded piece by piece:
/// each value of at most `longest` bytes is complete in one of them, and may be passed twice. No further piece is decoded
/// once `see` has returned true.
pub fn each_decoding(
    bytes: &[u8],
    (shortest, longest): (usize, usize),
    see: &mut dyn FnMut(&[u8], &'static str) -> bool,
) {
    let mut is_stopped = false;
    let overlap = longest.saturating_mul(EXPANSION).max(OVERLAP);
    let (mut at, piece) = (0_usize, PIECE.max(overlap.saturating_mul(4)));
    while !is_stopped {
        let end = bytes.len().min(at.saturating_add(piece));
        each_decoding_of_piece(&bytes[at..end], shortest, &mut |decoded, form| {
            is_stopped |= see(decoded, form)
        });
        if end == bytes.len() {
            break;
        }
        at = end - overlap;
    }
}

fn each_decoding_of_piece(bytes: &[u8], shortest: usize, see: &mut dyn FnMut(&[u8], &'static str)) {
    let see = &mut |own: &[u8], form: &'static str| see(&line_ends::unified(own), form);
    let (mut layer, mut form) = (Cow::Borrowed(bytes), "as text");
    for depth in 0..=LAYERS {
        see(&layer, form);
        each_base64(&layer, shortest, &mut |own| with_escapes(own, "in base64", see));
        each_hex(&layer, shortest, &mut |own| with_escapes(own, "in hexadecimal", see));
        each_utf16(&layer, &mut |own| with_escapes(own, "in UTF-16", see));
        let Some(next) = unescaped(&layer).filter(|_| depth < LAYERS) else { return };
        (layer, form) = (Cow::Owned(next), "escaped as in JSON");
    }
}

fn with_escapes(bytes: &[u8], form: &'static str, see: &mut dyn FnMut(&[u8], &'static str)) {
    see(bytes, form);
    if let Some(plain) = unescaped(bytes) {
        see(&plain, form);
    }
}

/// Returns the bytes with every escape of JSON undone. `None` if there is no backslash.
fn unescaped(bytes: &[u8]) -> Option<Vec<u8>> {
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
    while let Some(own) = escape_len(&bytes[len..]) {
        len += own;
    }
    len
}

/// Passes what every run of base64 characters says, from each of its first four characters on: a text before
/// it may look like a part of it.
fn each_base64(bytes: &[u8], shortest: usize, see: &mut dyn FnMut(&[u8])) {
    let mut out = Vec::new();
    // Four characters say three bytes.
    let len = (shortest * 4).div_ceil(3).max(4);
    each_run(bytes, len, &BASE64, &mut |run| {
        for start in 0..4 {
            out.clear();
            for four in run[start..].chunks(4) {
                let bits = four.iter().fold(0, |bits, byte| bits << 6 | sextet(*byte).unwrap_or_default());
                let whole = (bits << (6 * (4 - four.len()))).to_be_bytes();
                out.extend_from_slice(&whole[1..four.len().max(1)]);
            }
            see(&out);
        }
    });
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn each_hex(bytes: &[u8], shortest: usize, see: &mut dyn FnMut(&[u8])) {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default() as u8;
    each_run(bytes, (shortest * 2).max(2), &HEX, &mut |run| {
        for start in 0..2 {
            let pairs = run[start..].chunks_exact(2);
            see(&pairs.map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect::<Vec<u8>>());
        }
    });
}

/// Passes the text that the bytes are as UTF-16, at both places and in both byte orders. Text that is UTF-8
/// without a zero byte is not tried.
fn each_utf16(bytes: &[u8], see: &mut dyn FnMut(&[u8])) {
    if memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok() {
        return;
    }
    for start in 0..2.min(bytes.len()) {
        for order in [u16::from_le_bytes, u16::from_be_bytes] {
            let units = bytes[start..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
            let chars = char::decode_utf16(units).map(|own| own.unwrap_or(char::REPLACEMENT_CHARACTER));
            see(chars.collect::<String>().as_bytes());
        }
    }
}

/// Passes the runs of at least `len` bytes of a class to `see`. Looks only at every `len`th byte where there is none.
fn each_run<'b>(bytes: &'b [u8], len: usize, class: &[bool; 256], see: &mut dyn FnMut(&'b [u8])) {
    let is_in = |at: usize| class[usize::from(bytes[at])];
    let mut at = 0;
    while at + len <= bytes.len() {
        let last = at + len - 1;
        if !is_in(last) {
            at = last + 1;
            continue;
        }
        let start = (at..last).rev().find(|own| !is_in(*own)).map_or(at, |own| own + 1);
        let end = (last..bytes.len()).find(|own| !is_in(*own)).unwrap_or(bytes.len());
        if end - start >= len {
            see(&bytes[start..end]);
        }
        at = end;
    }
}

const fn class(is_base64: bool) -> [bool; 256] {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let own = byte as u8;
        all[byte] = match is_base64 {
            true => own.is_ascii_alphanumeric() || matches!(own, b'+' | b'/' | b'-' | b'_'),
            false => own.is_ascii_hexdigit(),
        };
        byte += 1;
    }
    all
}

const BASE64: [bool; 256] = class(true);
const HEX: [bool; 256] = class(false);
