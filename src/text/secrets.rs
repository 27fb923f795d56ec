//! Values that look like providers' tokens or private keys, by their prefixes.
//!
//! It runs over every record's bytes when they are read. A table of letter pairs that
//! prefixes start with, asked at every second byte, sorts out nearly all text; what
//! remains is compared with the prefixes, and the characters after one must be as many
//! and of the kind that its provider issues.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

/// What stands for the hidden part of a value.
const MASK: &str = "••••••";

/// What every private key block starts with.
const BEGIN: &[u8] = b"-----BEGIN ";

/// So long is a word that may be a token though no prefix tells.
const RANDOM: usize = 12;

/// The kind of characters that are after a prefix.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Body {
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `-` and `_`.
    Word,
    /// Letters, digits, `-`, `_`, `.`, `+`, `/` and `=`.
    Base64,
    /// Capitals and digits.
    Upper,
    /// Three parts of [`Body::Word`] characters with dots between.
    Jwt,
}

/// A prefix, the characters after it, and how many there must at least be.
struct Rule(&'static [u8], Body, usize);

/// Sorted by the first byte, and the longer prefix before a shorter one within it. No
/// rule is shorter than three bytes, which the table of pairs relies on.
const RULES: &[Rule] = &[
    Rule(b"ABIA", Body::Upper, 16),
    Rule(b"ACCA", Body::Upper, 16),
    Rule(b"AGE-SECRET-KEY-1", Body::Upper, 40),
    Rule(b"AIza", Body::Word, 35),
    Rule(b"AKIA", Body::Upper, 16),
    Rule(b"ASIA", Body::Upper, 16),
    Rule(b"ATATT3", Body::Base64, 30),
    Rule(b"GOCSPX-", Body::Word, 24),
    Rule(b"LTAI", Body::Alnum, 16),
    Rule(b"NRAK-", Body::Alnum, 27),
    Rule(b"PMAK-", Body::Word, 32),
    Rule(b"SG.", Body::Base64, 40),
    Rule(b"dapi", Body::Alnum, 32),
    Rule(b"dckr_pat_", Body::Word, 20),
    Rule(b"doo_v1_", Body::Alnum, 40),
    Rule(b"dop_v1_", Body::Alnum, 40),
    Rule(b"dor_v1_", Body::Alnum, 40),
    Rule(b"dp.pt.", Body::Alnum, 40),
    Rule(b"eyJ", Body::Jwt, 8),
    Rule(b"figd_", Body::Word, 40),
    Rule(b"github_pat_", Body::Word, 22),
    Rule(b"glcbt-", Body::Word, 20),
    Rule(b"gldt-", Body::Word, 20),
    Rule(b"glpat-", Body::Word, 16),
    Rule(b"glptt-", Body::Word, 20),
    Rule(b"glrt-", Body::Word, 20),
    Rule(b"glsa_", Body::Word, 32),
    Rule(b"ghp_", Body::Alnum, 20),
    Rule(b"gho_", Body::Alnum, 20),
    Rule(b"ghu_", Body::Alnum, 20),
    Rule(b"ghs_", Body::Alnum, 20),
    Rule(b"ghr_", Body::Alnum, 20),
    Rule(b"gsk_", Body::Alnum, 40),
    Rule(b"hf_", Body::Alnum, 30),
    Rule(b"hvb.", Body::Word, 24),
    Rule(b"hvs.", Body::Word, 24),
    Rule(b"lin_api_", Body::Alnum, 32),
    Rule(b"npm_", Body::Alnum, 30),
    Rule(b"ntn_", Body::Alnum, 40),
    Rule(b"nvapi-", Body::Word, 40),
    Rule(b"pplx-", Body::Alnum, 40),
    Rule(b"pul-", Body::Alnum, 40),
    Rule(b"pypi-", Body::Word, 32),
    Rule(b"r8_", Body::Alnum, 37),
    Rule(b"rk_live_", Body::Alnum, 16),
    Rule(b"rk_test_", Body::Alnum, 16),
    Rule(b"rubygems_", Body::Alnum, 40),
    Rule(b"sbp_", Body::Alnum, 40),
    Rule(b"sgp_", Body::Word, 40),
    Rule(b"shpat_", Body::Alnum, 24),
    Rule(b"shpca_", Body::Alnum, 24),
    Rule(b"shppa_", Body::Alnum, 24),
    Rule(b"shpss_", Body::Alnum, 24),
    Rule(b"sk-admin-", Body::Word, 20),
    Rule(b"sk-ant-", Body::Word, 16),
    Rule(b"sk-or-v1-", Body::Alnum, 20),
    Rule(b"sk-proj-", Body::Word, 16),
    Rule(b"sk-svcacct-", Body::Word, 20),
    Rule(b"sk-", Body::Alnum, 20),
    Rule(b"sk_live_", Body::Alnum, 16),
    Rule(b"sk_test_", Body::Alnum, 16),
    Rule(b"sntrys_", Body::Base64, 40),
    Rule(b"sq0atp-", Body::Word, 22),
    Rule(b"sq0csp-", Body::Word, 40),
    Rule(b"tskey-", Body::Word, 20),
    Rule(b"tvly-", Body::Word, 24),
    Rule(b"whsec_", Body::Base64, 20),
    Rule(b"xai-", Body::Alnum, 40),
    Rule(b"xapp-", Body::Word, 16),
    Rule(b"xoxa-", Body::Word, 16),
    Rule(b"xoxb-", Body::Word, 16),
    Rule(b"xoxc-", Body::Word, 16),
    Rule(b"xoxd-", Body::Base64, 16),
    Rule(b"xoxe-", Body::Word, 16),
    Rule(b"xoxe.", Body::Word, 16),
    Rule(b"xoxo-", Body::Word, 16),
    Rule(b"xoxp-", Body::Word, 16),
    Rule(b"xoxr-", Body::Word, 16),
    Rule(b"xoxs-", Body::Word, 16),
    Rule(b"ya29.", Body::Base64, 20),
];

/// For each pair of bytes a bit: whether some prefix has it at its start or one byte
/// later. At every second byte of a text that holds a prefix, one of the two shows.
const PAIRS: [u64; 1024] = {
    let mut pairs = [0; 1024];
    let mut rule = 0;
    while rule <= RULES.len() {
        let prefix = if rule < RULES.len() { RULES[rule].0 } else { BEGIN };
        let mut at = 0;
        while at < 2 {
            let pair = prefix[at] as usize | (prefix[at + 1] as usize) << 8;
            pairs[pair / 64] |= 1 << (pair % 64);
            at += 1;
        }
        rule += 1;
    }
    pairs
};

/// For each byte the range of the rules that start with it.
const STARTS: [(u8, u8); 256] = {
    let mut starts = [(0, 0); 256];
    let mut rule = 0;
    while rule < RULES.len() {
        let first = RULES[rule].0[0] as usize;
        if starts[first].1 == 0 {
            starts[first].0 = rule as u8;
        }
        starts[first].1 = rule as u8 + 1;
        rule += 1;
    }
    starts
};

/// A sensitive value, and what of it may be shown.
#[derive(Debug, PartialEq)]
struct Sensitive {
    span: Range<usize>,
    /// The part that [`MASK`] takes the place of.
    hidden: Range<usize>,
}

/// Where sensitive values are in `text`, in bytes.
pub fn sensitive_spans(text: &str) -> Vec<Range<usize>> {
    all(text.as_bytes()).map(|found| found.span).collect()
}

/// `text` with every sensitive value masked: its prefix stays, the rest is `••••••`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut shown = 0;
    for Sensitive { hidden, .. } in all(text.as_bytes()) {
        masked.push_str(text.get(shown..hidden.start).unwrap_or_default());
        masked.push_str(MASK);
        shown = hidden.end;
    }
    if shown == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(shown..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Whether a word is likely no word but a key or a token without a prefix that tells: long, with
/// letters and digits.
pub fn is_random(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    word.len() >= RANDOM && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// The first place from `at` on where `text` can be cut so that no value loses its end,
/// without which it would not be known as one. A character boundary.
pub fn cut(text: &str, at: usize) -> usize {
    let at = all(text.as_bytes())
        .map(|found| found.span)
        .take_while(|span| span.start < at)
        .find(|span| at < span.end)
        .map_or(at, |span| span.end);
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// Whether `bytes` hold a sensitive value, as text or within JSON strings.
pub fn is_sensitive(bytes: &[u8]) -> bool {
    all(bytes).next().is_some()
}

fn all(bytes: &[u8]) -> impl Iterator<Item = Sensitive> + '_ {
    let mut scan = Scan { bytes, at: 0, no_jwt_before: 0 };
    std::iter::from_fn(move || scan.next())
}

struct Scan<'a> {
    bytes: &'a [u8],
    /// Nothing before it is looked at again.
    at: usize,
    /// No JWT starts before it: its first part would end where one already failed.
    /// Without this, a text of many `eyJ-` would take time by its square.
    no_jwt_before: usize,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<Sensitive> {
        let mut even = self.at;
        while let Some(&[a, b]) = self.bytes.get(even..even + 2) {
            let pair = usize::from(a) | usize::from(b) << 8;
            if PAIRS[pair / 64] >> (pair % 64) & 1 == 1 {
                let before = even.checked_sub(1).filter(|before| *before >= self.at);
                let found = before.and_then(|start| self.starting(start)).or_else(|| self.starting(even));
                if let Some(found) = found {
                    self.at = found.span.end;
                    return Some(found);
                }
            }
            even += 2;
        }
        self.at = self.bytes.len();
        None
    }

    /// The value that starts at `start`, if one does.
    fn starting(&mut self, start: usize) -> Option<Sensitive> {
        let first = *self.bytes.get(start)?;
        if first == b'-' {
            return self.key_block(start);
        }
        let (from, to) = STARTS[usize::from(first)];
        if from == to || !is_boundary(self.bytes, start) {
            return None;
        }
        let rules = RULES.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        rules.iter().find_map(|rule| self.token(start, rule))
    }

    fn token(&mut self, start: usize, Rule(prefix, body, least): &Rule) -> Option<Sensitive> {
        let from = start + prefix.len();
        let rest = self.bytes.get(start..)?.strip_prefix(*prefix)?;
        let len = match body {
            Body::Jwt => self.jwt(from, *least)?,
            Body::Upper => {
                let len = run(rest, Body::Upper);
                let cut = rest.get(len).is_some_and(u8::is_ascii_alphanumeric);
                (!cut).then_some(len)?
            }
            _ => run(rest, *body),
        };
        (len >= *least).then_some(Sensitive { span: start..from + len, hidden: from..from + len })
    }

    /// How long the rest of a JWT is whose first part goes on at `from`.
    fn jwt(&mut self, from: usize, least: usize) -> Option<usize> {
        if from < self.no_jwt_before {
            return None;
        }
        let mut len = 0;
        for part in 0..3 {
            let rest = self.bytes.get(from + len..)?;
            let of_part = run(rest, Body::Word);
            if part == 0 {
                self.no_jwt_before = from + of_part;
            }
            let ends = part == 2 || rest.get(of_part) == Some(&b'.');
            if of_part < least || !ends {
                return None;
            }
            len += of_part + usize::from(part < 2);
        }
        Some(len)
    }

    /// A private key block up to its end, or to the end of the text where it has none.
    fn key_block(&self, start: usize) -> Option<Sensitive> {
        let rest = self.bytes.get(start..)?;
        let after = rest.strip_prefix(BEGIN)?;
        let label = after.get(..after.iter().position(|byte| *byte == b'-')?)?;
        let plausible = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
        if !label.iter().all(plausible) || memmem::find(label, b"PRIVATE KEY").is_none() {
            return None;
        }
        let body = after.get(label.len()..)?.strip_prefix(b"-----")?;
        let from = self.bytes.len() - body.len();
        let end = [b"-----END ", label, b"-----"].concat();
        let (len, end_len) = match memmem::find(body, &end) {
            Some(len) => (len, end.len()),
            None => (body.len(), 0),
        };
        // What mask left behind hides nothing.
        if body.get(..len) == Some(MASK.as_bytes()) {
            return None;
        }
        Some(Sensitive { span: start..from + len + end_len, hidden: from..from + len })
    }
}

/// How many bytes from the start are of the kind.
fn run(bytes: &[u8], body: Body) -> usize {
    let fits = |byte: &u8| match body {
        Body::Alnum => byte.is_ascii_alphanumeric(),
        Body::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Body::Word | Body::Jwt => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
        Body::Base64 => {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=')
        }
    };
    bytes.iter().position(|byte| !fits(byte)).unwrap_or(bytes.len())
}

/// Whether a token may start at `at`: no letter or digit is before it, save one that
/// belongs to an escape of a JSON string, such as the `n` of `\n`.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    match before {
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

#[cfg(test)]
mod tests;
