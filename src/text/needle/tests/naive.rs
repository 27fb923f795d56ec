//! Finds contents in the simplest way: compares every complete form with every place.

use std::collections::BTreeSet;

use super::*;
use crate::text::json_edit;

/// Returns the contents that are in the bytes.
pub(super) fn which(contents: &[Vec<u8>], bytes: &[u8]) -> BTreeSet<usize> {
    let mut known: Vec<&[u8]> = Vec::new();
    for content in contents.iter().filter_map(|own| beginning(own)) {
        if !known.contains(&content) {
            known.push(content);
        }
    }
    let (mut found, mut now) = (BTreeSet::new(), bytes.to_vec());
    for _ in 0..=LAYERS {
        let holds = |form: &Vec<u8>| now.windows(form.len()).any(|own| own == form);
        found.extend((0..known.len()).filter(|at| forms(known[*at]).iter().any(holds)));
        let Some(next) = unescaped(&now) else { break };
        now = next;
    }
    found
}

fn forms(content: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut spellings = BTreeSet::from([content.to_vec()]);
    if let Ok(text) = std::str::from_utf8(content) {
        let quoted = json_edit::quoted(text);
        let inner = &quoted[1..quoted.len() - 1];
        spellings.extend([inner.as_bytes().to_vec(), ascii(inner).into_bytes()]);
    }
    let mut forms = BTreeSet::new();
    for spelling in spellings {
        for before in 0..3 {
            let standard = base64_within(&spelling, before);
            forms.insert(standard.iter().map(|&byte| url_safe(byte)).collect());
            forms.insert(standard);
        }
        let hex = |digits: &[u8; 16]| {
            let pair = |byte: &u8| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
            spelling.iter().flat_map(pair).collect::<Vec<u8>>()
        };
        forms.extend([hex(b"0123456789abcdef"), hex(b"0123456789ABCDEF")]);
        if let Ok(text) = std::str::from_utf8(&spelling) {
            forms.insert(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
            forms.insert(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        forms.insert(spelling);
    }
    forms
}

/// Escapes everything in JSON that is not ASCII.
pub(super) fn ascii(json: &str) -> String {
    let mut units = [0; 2];
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
    }
    out
}

pub(super) const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the base64 characters that depend on `bytes` alone, after `before` bytes in a group of three.
fn base64_within(bytes: &[u8], before: usize) -> Vec<u8> {
    let (first, last) = ((before * 8).div_ceil(6), (before + bytes.len()) * 8 / 6);
    let bit = |at: usize| {
        let at = at - before * 8;
        bytes[at / 8] >> (7 - at % 8) & 1
    };
    let sextet = |at: usize| (at * 6..at * 6 + 6).fold(0, |value, at| value << 1 | bit(at));
    (first..last).map(|at| ALPHABET[usize::from(sextet(at))]).collect()
}

pub(super) fn url_safe(byte: u8) -> u8 {
    match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}
