//! Finds values that look like tokens of providers or private keys, by their prefixes.
//!
//! It must be fast, because it reads the bytes of many records. A table of byte pairs at the start of
//! prefixes, looked up at every second byte, excludes nearly all text. The rest is compared with the
//! prefixes. The characters after a prefix must have the number and the kind that its provider issues.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

/// Replaces the hidden part of a value.
const MASK: &str = "••••••";

/// The start of every private key block.
const BEGIN: &[u8] = b"-----BEGIN ";

/// The minimum length of a word that may be a token without a known prefix.
const RANDOM: usize = 12;

/// The kind of the characters after a prefix.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TokenAlphabet {
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `-` and `_`.
    Word,
    /// Letters, digits, `-`, `_`, `.`, `+`, `/` and `=`.
    Base64,
    /// Capitals and digits.
    Upper,
    /// Three parts of [`TokenAlphabet::Word`] characters with dots between.
    Jwt,
}

/// A prefix, the characters after it, and their minimum number.
struct SecretRule(&'static [u8], TokenAlphabet, usize);

/// Sorted by the first byte, with a longer prefix before a shorter one in it. No rule is shorter than three
/// bytes: the table of pairs relies on that.
const RULES: &[SecretRule] = &[
    SecretRule(b"ABIA", TokenAlphabet::Upper, 16),
    SecretRule(b"ACCA", TokenAlphabet::Upper, 16),
    SecretRule(b"AGE-SECRET-KEY-1", TokenAlphabet::Upper, 40),
    SecretRule(b"AIza", TokenAlphabet::Word, 35),
    SecretRule(b"AKIA", TokenAlphabet::Upper, 16),
    SecretRule(b"ASIA", TokenAlphabet::Upper, 16),
    SecretRule(b"ATATT3", TokenAlphabet::Base64, 30),
    SecretRule(b"GOCSPX-", TokenAlphabet::Word, 24),
    SecretRule(b"LTAI", TokenAlphabet::Alnum, 16),
    SecretRule(b"NRAK-", TokenAlphabet::Alnum, 27),
    SecretRule(b"PMAK-", TokenAlphabet::Word, 32),
    SecretRule(b"SG.", TokenAlphabet::Base64, 40),
    SecretRule(b"dapi", TokenAlphabet::Alnum, 32),
    SecretRule(b"dckr_pat_", TokenAlphabet::Word, 20),
    SecretRule(b"doo_v1_", TokenAlphabet::Alnum, 40),
    SecretRule(b"dop_v1_", TokenAlphabet::Alnum, 40),
    SecretRule(b"dor_v1_", TokenAlphabet::Alnum, 40),
    SecretRule(b"dp.pt.", TokenAlphabet::Alnum, 40),
    SecretRule(b"eyJ", TokenAlphabet::Jwt, 8),
    SecretRule(b"figd_", TokenAlphabet::Word, 40),
    SecretRule(b"github_pat_", TokenAlphabet::Word, 22),
    SecretRule(b"glcbt-", TokenAlphabet::Word, 20),
    SecretRule(b"gldt-", TokenAlphabet::Word, 20),
    SecretRule(b"glpat-", TokenAlphabet::Word, 16),
    SecretRule(b"glptt-", TokenAlphabet::Word, 20),
    SecretRule(b"glrt-", TokenAlphabet::Word, 20),
    SecretRule(b"glsa_", TokenAlphabet::Word, 32),
    SecretRule(b"ghp_", TokenAlphabet::Alnum, 20),
    SecretRule(b"gho_", TokenAlphabet::Alnum, 20),
    SecretRule(b"ghu_", TokenAlphabet::Alnum, 20),
    SecretRule(b"ghs_", TokenAlphabet::Alnum, 20),
    SecretRule(b"ghr_", TokenAlphabet::Alnum, 20),
    SecretRule(b"gsk_", TokenAlphabet::Alnum, 40),
    SecretRule(b"hf_", TokenAlphabet::Alnum, 30),
    SecretRule(b"hvb.", TokenAlphabet::Word, 24),
    SecretRule(b"hvs.", TokenAlphabet::Word, 24),
    SecretRule(b"lin_api_", TokenAlphabet::Alnum, 32),
    SecretRule(b"npm_", TokenAlphabet::Alnum, 30),
    SecretRule(b"ntn_", TokenAlphabet::Alnum, 40),
    SecretRule(b"nvapi-", TokenAlphabet::Word, 40),
    SecretRule(b"pplx-", TokenAlphabet::Alnum, 40),
    SecretRule(b"pul-", TokenAlphabet::Alnum, 40),
    SecretRule(b"pypi-", TokenAlphabet::Word, 32),
    SecretRule(b"r8_", TokenAlphabet::Alnum, 37),
    SecretRule(b"rk_live_", TokenAlphabet::Alnum, 16),
    SecretRule(b"rk_test_", TokenAlphabet::Alnum, 16),
    SecretRule(b"rubygems_", TokenAlphabet::Alnum, 40),
    SecretRule(b"sbp_", TokenAlphabet::Alnum, 40),
    SecretRule(b"sgp_", TokenAlphabet::Word, 40),
    SecretRule(b"shpat_", TokenAlphabet::Alnum, 24),
    SecretRule(b"shpca_", TokenAlphabet::Alnum, 24),
    SecretRule(b"shppa_", TokenAlphabet::Alnum, 24),
    SecretRule(b"shpss_", TokenAlphabet::Alnum, 24),
    SecretRule(b"sk-admin-", TokenAlphabet::Word, 20),
    SecretRule(b"sk-ant-", TokenAlphabet::Word, 16),
    SecretRule(b"sk-or-v1-", TokenAlphabet::Alnum, 20),
    SecretRule(b"sk-proj-", TokenAlphabet::Word, 16),
    SecretRule(b"sk-svcacct-", TokenAlphabet::Word, 20),
    SecretRule(b"sk-", TokenAlphabet::Alnum, 20),
    SecretRule(b"sk_live_", TokenAlphabet::Alnum, 16),
    SecretRule(b"sk_test_", TokenAlphabet::Alnum, 16),
    SecretRule(b"sntrys_", TokenAlphabet::Base64, 40),
    SecretRule(b"sq0atp-", TokenAlphabet::Word, 22),
    SecretRule(b"sq0csp-", TokenAlphabet::Word, 40),
    SecretRule(b"tskey-", TokenAlphabet::Word, 20),
    SecretRule(b"tvly-", TokenAlphabet::Word, 24),
    SecretRule(b"whsec_", TokenAlphabet::Base64, 20),
    SecretRule(b"xai-", TokenAlphabet::Alnum, 40),
    SecretRule(b"xapp-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxa-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxb-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxc-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxd-", TokenAlphabet::Base64, 16),
    SecretRule(b"xoxe-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxe.", TokenAlphabet::Word, 16),
    SecretRule(b"xoxo-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxp-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxr-", TokenAlphabet::Word, 16),
    SecretRule(b"xoxs-", TokenAlphabet::Word, 16),
    SecretRule(b"ya29.", TokenAlphabet::Base64, 20),
];

/// One bit for each pair of bytes: 1 if some prefix has the pair at its start or one byte later. At every
/// second byte of a text with a prefix, one of the two pairs occurs.
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

/// For each byte, the range of the rules that start with it.
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

#[derive(Debug, PartialEq)]
struct SecretSpan {
    span: Range<usize>,
    /// The part that [`MASK`] replaces.
    hidden: Range<usize>,
}

/// Returns the places of sensitive values in `text`, in bytes.
pub fn sensitive_spans(text: &str) -> Vec<Range<usize>> {
    all(text.as_bytes()).map(|found| found.span).collect()
}

/// Masks every sensitive value in `text`: its prefix stays, the rest becomes `••••••`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut shown = 0;
    for SecretSpan { hidden, .. } in all(text.as_bytes()) {
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

/// True if a word is probably a key or a token without a known prefix: long, with letters and digits.
pub fn is_random(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    word.len() >= RANDOM && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Returns the first character boundary from `at` on outside of values: a cut value is not recognised.
pub fn cut(text: &str, at: usize) -> usize {
    let at = all(text.as_bytes())
        .map(|found| found.span)
        .take_while(|span| span.start < at)
        .find(|span| at < span.end)
        .map_or(at, |span| span.end);
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// True if `bytes` have a sensitive value, as text or within JSON strings.
pub fn is_sensitive(bytes: &[u8]) -> bool {
    all(bytes).next().is_some()
}

fn all(bytes: &[u8]) -> impl Iterator<Item = SecretSpan> + '_ {
    let mut scan = SecretScan { bytes, at: 0, no_jwt_before: 0 };
    std::iter::from_fn(move || scan.next())
}

struct SecretScan<'a> {
    bytes: &'a [u8],
    /// Nothing before it is read again.
    at: usize,
    /// No JWT starts before it: its first part would end where one has failed. Without this, a text of many
    /// `eyJ-` would take quadratic time.
    no_jwt_before: usize,
}

impl SecretScan<'_> {
    fn next(&mut self) -> Option<SecretSpan> {
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

    fn starting(&mut self, start: usize) -> Option<SecretSpan> {
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

    fn token(&mut self, start: usize, SecretRule(prefix, body, least): &SecretRule) -> Option<SecretSpan> {
        let from = start + prefix.len();
        let rest = self.bytes.get(start..)?.strip_prefix(*prefix)?;
        let len = match body {
            TokenAlphabet::Jwt => self.jwt(from, *least)?,
            TokenAlphabet::Upper => {
                let len = run(rest, TokenAlphabet::Upper);
                let cut = rest.get(len).is_some_and(u8::is_ascii_alphanumeric);
                (!cut).then_some(len)?
            }
            _ => run(rest, *body),
        };
        (len >= *least).then_some(SecretSpan { span: start..from + len, hidden: from..from + len })
    }

    /// Returns the length of the rest of a JWT whose first part continues at `from`.
    fn jwt(&mut self, from: usize, least: usize) -> Option<usize> {
        if from < self.no_jwt_before {
            return None;
        }
        let mut len = 0;
        for part in 0..3 {
            let rest = self.bytes.get(from + len..)?;
            let of_part = run(rest, TokenAlphabet::Word);
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

    /// Returns a private key block up to its end, or to the end of the text if it has none.
    fn key_block(&self, start: usize) -> Option<SecretSpan> {
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
        // A masked block hides nothing.
        if body.get(..len) == Some(MASK.as_bytes()) {
            return None;
        }
        Some(SecretSpan { span: start..from + len + end_len, hidden: from..from + len })
    }
}

fn run(bytes: &[u8], body: TokenAlphabet) -> usize {
    let fits = |byte: &u8| match body {
        TokenAlphabet::Alnum => byte.is_ascii_alphanumeric(),
        TokenAlphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        TokenAlphabet::Word | TokenAlphabet::Jwt => {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
        }
        TokenAlphabet::Base64 => {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=')
        }
    };
    bytes.iter().position(|byte| !fits(byte)).unwrap_or(bytes.len())
}

/// True if a token may start at `at`: no letter or digit is before it, except in a JSON escape such as `\n`.
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
