//! Finds what looks sensitive in text: tokens of providers, private keys, credentials, personal data.
//!
//! Bytes in, spans out: nothing here knows a store. The rules for tokens are data,
//! `assets/detectors.json`; what has a check digit or a grammar is code.

use std::borrow::Cow;
use std::ops::Range;

mod judge;
mod kind;
mod names;
mod numbers;
mod passwords;
mod places;
mod provider;
mod redaction_mark;
mod rules;
mod tokens;

pub use judge::is_random;
pub use kind::{Detection, Kind, MASK};
pub use names::NameList;
pub use provider::{Provider, provider_of};
pub use redaction_mark::{label, pseudonym};

/// Returns everything that looks sensitive, sorted and without overlaps.
pub fn detect(bytes: &[u8], names: Option<&NameList>) -> Vec<Detection> {
    let mut all: Vec<Detection> = tokens::tokens(bytes).collect();
    let others = numbers::numbers(bytes).into_iter().chain(places::places(bytes));
    let others = others.chain(names.into_iter().flat_map(|own| own.find(bytes)));
    all.extend(others.filter(|own| !redaction_mark::is_redacted(bytes, own)));
    tokens::without_overlaps(all)
}

/// Returns the values that give access to something: tokens, keys, passwords.
fn secrets(bytes: &[u8]) -> Vec<Detection> {
    tokens::without_overlaps(tokens::tokens(bytes).collect())
}

/// Returns the places of secrets in `text`, in bytes.
pub fn secret_spans(text: &str) -> Vec<Range<usize>> {
    secrets(text.as_bytes()).into_iter().map(|found| found.span).collect()
}

/// True if `bytes` have a secret, as text or within JSON strings.
pub fn has_secret(bytes: &[u8]) -> bool {
    tokens::tokens(bytes).next().is_some()
}

/// Masks every secret in `text`: its prefix stays, the rest becomes `••••••`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut shown = 0;
    for Detection { hidden, .. } in secrets(text.as_bytes()) {
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

/// Returns a value with its secret part hidden. `prefix` is the length of the part that says what it is.
pub fn masked(kind: Kind, value: &[u8], prefix: usize) -> String {
    let text = String::from_utf8_lossy(value);
    let first = |count: usize| text.chars().take(count).collect::<String>();
    let last = |count: usize| {
        let skip = text.chars().count().saturating_sub(count);
        text.chars().skip(skip).collect::<String>()
    };
    match kind {
        Kind::PrivateKey => MASK.to_owned(),
        Kind::Token | Kind::Jwt => {
            let lead = value.get(..prefix).map(String::from_utf8_lossy).unwrap_or_default();
            format!("{lead}{MASK}")
        }
        Kind::Card => format!("{MASK}{}", last(4)),
        Kind::Iban | Kind::Phone => format!("{}{MASK}{}", first(2), last(2)),
        Kind::Email => match text.split_once('@') {
            Some((local, host)) => {
                let top = host.rsplit_once('.').map_or("", |(_, top)| top);
                format!("{}{MASK}@{MASK}.{top}", local.chars().take(1).collect::<String>())
            }
            None => MASK.to_owned(),
        },
        Kind::Name | Kind::Address => format!("{}{MASK}", first(1)),
        Kind::Home => {
            let end = text.rfind(['/', '\\']).map_or(0, |at| at + 1);
            format!("{}{MASK}", &text[..end])
        }
        Kind::UrlCredentials | Kind::Password => MASK.to_owned(),
    }
}

/// Returns the first character boundary from `at` on outside of secrets: a cut value is not recognised.
pub fn cut(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let spans = secret_spans(text).into_iter();
    let at = spans.take_while(|span| span.start < at).find(|span| at < span.end).map_or(at, |span| span.end);
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
