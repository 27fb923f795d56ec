//! A content in whatever form it may be in a file, and the search for many at once.
//!
//! A text is looked for as UTF-8, escaped as in JSON (each spelling of an escape, and JSON
//! within JSON), in base64 whatever is before it, in hexadecimal and in UTF-16. Base64
//! that is broken into lines, and what is encrypted or compressed in ways of its own, is
//! found by nobody.

use std::collections::{BTreeSet, HashMap};

use super::edit;
use super::json::{Unit, units};

/// What is shorter, in characters, is not looked for: it would be found everywhere.
pub const SHORTEST: usize = 12;
/// What is longer, in characters, is looked for by its beginning.
const LONGEST: usize = 1024;
/// So many bytes of a form find it; no form is shorter.
const WINDOW: usize = 8;

/// Contents to be looked for. One pass over the bytes finds all of them, however many there
/// are: a search for each form by itself would read a store hundreds of times.
#[derive(Default)]
pub struct Needles {
    contents: Vec<Vec<u8>>,
    skipped: usize,
    forms: Vec<Form>,
    by_window: HashMap<u64, Vec<u32>>,
    /// Which windows are worth a look, by hash: one bit each.
    filter: Vec<u64>,
}

struct Form {
    content: usize,
    bytes: Vec<u8>,
}

impl Needles {
    /// Needles for these contents; what is too short is counted and left out.
    pub fn of<C: AsRef<[u8]>>(contents: impl IntoIterator<Item = C>) -> Needles {
        let mut needles = Needles { filter: vec![0; 1024], ..Needles::default() };
        let mut known: BTreeSet<Vec<u8>> = BTreeSet::new();
        for content in contents {
            let Some(content) = beginning(content.as_ref()) else {
                needles.skipped += 1;
                continue;
            };
            if known.insert(content.clone()) {
                needles.add(content);
            }
        }
        needles
    }

    fn add(&mut self, content: Vec<u8>) {
        for bytes in forms(&content) {
            let Some(window) = window(&bytes, 0) else { continue };
            let slot = slot(window);
            self.filter[slot / 64] |= 1 << (slot % 64);
            self.by_window.entry(window).or_default().push(self.forms.len() as u32);
            self.forms.push(Form { content: self.contents.len(), bytes });
        }
        self.contents.push(content);
    }

    /// How many contents are looked for.
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// How many contents were too short to be looked for.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Whether any is in the bytes.
    pub fn any(&self, bytes: &[u8]) -> bool {
        self.each(bytes, &mut |_| true)
    }

    /// The contents that are in the bytes, by their places among those that are looked for.
    pub fn which(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.each(bytes, &mut |content| {
            found.insert(content);
            false
        });
        found
    }

    /// The same without some contents.
    pub fn without(&self, some: &BTreeSet<usize>) -> Needles {
        let left = self.contents.iter().enumerate().filter(|(at, _)| !some.contains(at));
        Needles { skipped: self.skipped, ..Needles::of(left.map(|(_, content)| content)) }
    }

    /// Hands on what is found until `stop` says that it is enough.
    fn each(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut escaped = None;
        // As it is, as JSON, and as JSON within JSON.
        for _ in 0..3 {
            let now = escaped.as_deref().unwrap_or(bytes);
            if self.pass(now, stop) {
                return true;
            }
            match unescaped(now) {
                Some(plain) => escaped = Some(plain),
                None => return false,
            }
        }
        false
    }

    fn pass(&self, bytes: &[u8], stop: &mut dyn FnMut(usize) -> bool) -> bool {
        for (at, own) in bytes.windows(WINDOW).enumerate() {
            let Some(window) = window(own, 0) else { return false };
            let slot = slot(window);
            if self.filter[slot / 64] & 1 << (slot % 64) == 0 {
                continue;
            }
            for form in self.by_window.get(&window).into_iter().flatten() {
                let form = &self.forms[*form as usize];
                if bytes[at..].starts_with(&form.bytes) && stop(form.content) {
                    return true;
                }
            }
        }
        false
    }
}

fn window(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + WINDOW)?.try_into().ok()?))
}

fn slot(window: u64) -> usize {
    (window.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

/// What is looked for to find a content; `None` where it is too short.
fn beginning(content: &[u8]) -> Option<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(content) else {
        return (content.len() >= SHORTEST).then(|| content[..content.len().min(LONGEST)].to_vec());
    };
    let text = text.trim();
    text.char_indices().nth(SHORTEST - 1)?;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    Some(text.as_bytes()[..end].to_vec())
}

/// Every form of a content.
fn forms(content: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut spellings = BTreeSet::from([content.to_vec()]);
    if let Ok(text) = std::str::from_utf8(content) {
        let quoted = edit::quoted(text);
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

/// JSON with everything that is not ASCII escaped.
fn ascii(json: &str) -> String {
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

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The characters of base64 that say nothing but `bytes`, where so many bytes are before
/// them in a group of three.
fn base64_within(bytes: &[u8], before: usize) -> Vec<u8> {
    let (first, last) = ((before * 8).div_ceil(6), (before + bytes.len()) * 8 / 6);
    let bit = |at: usize| {
        let at = at - before * 8;
        bytes[at / 8] >> (7 - at % 8) & 1
    };
    let sextet = |at: usize| (at * 6..at * 6 + 6).fold(0, |value, at| value << 1 | bit(at));
    (first..last).map(|at| ALPHABET[usize::from(sextet(at))]).collect()
}

fn url_safe(byte: u8) -> u8 {
    match byte {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}

/// The bytes with every escape of JSON undone; `None` where there is none.
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
                    match unit {
                        Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        _ => out.extend_from_slice("\u{fffd}".as_bytes()),
                    }
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

/// How many bytes at the start are whole escapes.
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

#[cfg(test)]
mod tests;
