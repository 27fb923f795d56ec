//! The forms that a redaction writes. They are defined here alone, and no detector finds them again.

use std::ops::Range;

use memchr::memmem;

use super::{Detection, Kind, MASK};

const LABEL: &str = "[REDACTED";
const PSEUDONYM: &str = "redacted-";
/// The kind in a pseudonym if the value has none.
const NO_KIND: &str = "value";
/// The number of hex digits of a pseudonym.
const DIGITS: usize = 8;
/// A label or a pseudonym is at most this long, in bytes.
const LONGEST: usize = 96;
/// With fewer letters and digits beside a mark, a value is what a mask leaves to recognise it by.
const LEFT: usize = 6;

/// Returns the label of a value: the name of the rule that finds it, if one does.
pub fn label(rule: Option<&str>) -> String {
    rule.map_or_else(|| format!("{LABEL}]"), |rule| format!("{LABEL}:{rule}]"))
}

/// Returns the pseudonym of a value, with the first digits of a digest of it in hex.
pub fn pseudonym(kind: Option<Kind>, digest: &str) -> String {
    let kind = kind.map_or(NO_KIND, Kind::as_str);
    format!("{PSEUDONYM}{kind}-{}", digest.get(..DIGITS).unwrap_or(digest))
}

/// True if a detector has found what a redaction wrote.
pub fn is_redacted(bytes: &[u8], own: &Detection) -> bool {
    let from = own.hidden.start.saturating_sub(LONGEST);
    let near = &bytes[from..bytes.len().min(own.hidden.end + LONGEST)];
    let hidden = own.hidden.start - from..own.hidden.end - from;
    let marks = marks(near);
    if !marks.iter().any(|mark| mark.start < hidden.end && hidden.start < mark.end) {
        return false;
    }
    let is_beside = |at: &usize| !marks.iter().any(|mark| mark.contains(at));
    let left =
        hidden.filter(is_beside).filter(|at| !near[*at].is_ascii() || near[*at].is_ascii_alphanumeric());
    left.count() < LEFT
}

/// True if bytes begin with a mask or a pseudonym.
pub fn starts_redacted(bytes: &[u8]) -> bool {
    bytes.starts_with(MASK.as_bytes()) || bytes.starts_with(PSEUDONYM.as_bytes()) && name_len(bytes).is_some()
}

/// Returns where masks, labels and pseudonyms are.
fn marks(bytes: &[u8]) -> Vec<Range<usize>> {
    let masks = memmem::find_iter(bytes, MASK).map(|at| at..at + MASK.len());
    let labels = memmem::find_iter(bytes, LABEL).filter_map(|at| Some(at..at + label_len(&bytes[at..])?));
    let names = memmem::find_iter(bytes, PSEUDONYM).filter_map(|at| Some(at..at + name_len(&bytes[at..])?));
    masks.chain(labels).chain(names).collect()
}

fn label_len(bytes: &[u8]) -> Option<usize> {
    let rest = &bytes[LABEL.len()..bytes.len().min(LONGEST)];
    let len = rest.iter().position(|byte| *byte == b']')?;
    let is_rule = |byte: &u8| byte.is_ascii_alphanumeric() || b":-_.".contains(byte);
    rest[..len].iter().all(is_rule).then_some(LABEL.len() + len + 1)
}

fn name_len(bytes: &[u8]) -> Option<usize> {
    let rest = &bytes[PSEUDONYM.len()..];
    let kinds = Kind::ALL.map(Kind::as_str).into_iter().chain([NO_KIND]);
    let digits = |rest: &[u8]| rest.iter().take(DIGITS).filter(|byte| byte.is_ascii_hexdigit()).count();
    let len = kinds
        .filter_map(|kind| rest.strip_prefix(kind.as_bytes())?.strip_prefix(b"-").map(|rest| (kind, rest)))
        .find(|(_, rest)| digits(rest) == DIGITS)
        .map(|(kind, _)| kind.len() + 1 + DIGITS)?;
    Some(PSEUDONYM.len() + len)
}
