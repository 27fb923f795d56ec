//! Finds what the rules describe, and blocks with private keys.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use memchr::memmem;

use super::judge;
use super::passwords;
use super::redaction_mark::is_redacted;
use super::rules::{Judge, RULES, Rule};
use super::{Detection, Kind, MASK};

/// The start of every private key block.
const BEGIN: &[u8] = b"-----BEGIN ";

/// Returns what the rules find, in any order and with overlaps.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Detection> + '_ {
    let mut after_block = 0;
    let blocks = memmem::find_iter(bytes, BEGIN).filter_map(move |start| {
        let found = (start >= after_block).then(|| key_block(bytes, start)).flatten()?;
        after_block = found.span.end;
        Some(found)
    });
    let mut failed = HashMap::new();
    // Names, and longer words that begin so, are in most texts.
    let is_part = |word: &Range<usize>| bytes.get(word.end).is_some_and(u8::is_ascii_alphabetic);
    let found = RULES.hits(bytes).flat_map(move |(word, rule)| match rule.kind() {
        Kind::Jwt => web_token(bytes, word.start, rule, &mut failed).into_iter().collect(),
        _ if rule.judge == Judge::Name && (is_part(&word) || !rule.may_match(bytes, word.start)) => {
            Vec::new()
        }
        _ if matches!(rule.judge, Judge::Label | Judge::Name) => {
            let password = |span| Detection::hidden_whole(rule.kind(), rule.name.clone(), span);
            passwords::labelled(bytes, word, rule.judge == Judge::Name).into_iter().map(password).collect()
        }
        _ => Vec::from_iter(matched(bytes, word.start, rule)),
    });
    blocks.chain(found).filter(|own| !is_redacted(bytes, own))
}

/// Returns what a rule for web tokens finds at a keyword. A rule that has failed is not tried again within the same run
/// of characters: a text of many `eyJ-` would take quadratic time. `failed` has the ends of such runs, by rule.
fn web_token(
    bytes: &[u8],
    at: usize,
    rule: &Rule,
    failed: &mut HashMap<*const Rule, usize>,
) -> Option<Detection> {
    let end = failed.entry(std::ptr::from_ref(rule)).or_default();
    let found = (at >= *end).then(|| matched(bytes, at, rule))?;
    if found.is_none() {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        *end = at + bytes[at..].iter().take_while(|byte| is_word(byte)).count();
    }
    found
}

/// Returns what a rule finds at a keyword.
fn matched(bytes: &[u8], at: usize, rule: &Rule) -> Option<Detection> {
    let is_start = rule.before > 0 || rule.ignore_case || is_boundary(bytes, at);
    if !is_start || !rule.may_match(bytes, at) {
        return None;
    }
    let from = at.saturating_sub(rule.before);
    let window = bytes.get(from..rule.end(bytes, at))?;
    let (place, pattern) = (at - from, rule.pattern()?);
    let all =
        pattern.find_iter(window).take_while(|all| all.start() <= place).find(|all| place < all.end())?;
    let groups = pattern.captures_at(window, all.start())?;
    let value = groups.iter().skip(1).flatten().next().unwrap_or(all);
    let is_whole = all.range() == value.range();
    let mut span = from + value.start()..from + value.end();
    if rule.before > 0 && is_whole && !is_boundary(bytes, span.start) {
        return None;
    }
    if rule.judge != Judge::Form {
        // A word in a path or in the name of a package assigns nothing.
        let start = from + all.start();
        if start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| b"/@".contains(byte)) {
            return None;
        }
        span = judge::value(bytes, span, rule.judge)?;
        let is_call = rule.judge != Judge::Url && bytes.get(span.end) == Some(&b'(');
        let is_other = || passwords::is_of_no_key(&bytes[start..span.start]);
        if is_call || rule.judge == Judge::Key && (!is_all(bytes, span.end) || is_other()) {
            return None;
        }
    }
    if rule.judge == Judge::Form && bytes.get(span.end).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let span = whole_characters(bytes, span);
    // A token keeps its prefix when it is masked.
    let prefix = if is_whole && rule.before == 0 { rule.prefix_len(bytes.get(span.clone())?) } else { 0 };
    let hidden = span.start + prefix..span.end;
    let text = bytes.get(hidden.clone())?;
    let is_random = judge::entropy(text) >= rule.entropy && !judge::is_placeholder(text);
    is_random.then(|| Detection { kind: rule.kind(), rule: rule.name.clone(), span, hidden })
}

/// True if a key without a form of its own ends here: no character follows that its pattern has no place for. A rule
/// that takes more of it masks all of it.
fn is_all(bytes: &[u8], end: usize) -> bool {
    match bytes.get(end..).unwrap_or_default() {
        [mark, next, ..] if b"_-!$#%*~+/".contains(mark) => !next.is_ascii_alphanumeric(),
        _ => true,
    }
}

fn whole_characters(bytes: &[u8], span: Range<usize>) -> Range<usize> {
    let goes_on = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let start = (0..=span.start).rev().find(|at| !goes_on(*at)).unwrap_or_default();
    let end = (span.end..=bytes.len()).find(|at| !goes_on(*at)).unwrap_or(bytes.len());
    start..end
}

/// Returns a private key block up to its end, or to the end of the text if it has none.
fn key_block(bytes: &[u8], start: usize) -> Option<Detection> {
    let after = bytes.get(start..)?.strip_prefix(BEGIN)?;
    let label = after.get(..after.iter().position(|byte| *byte == b'-')?)?;
    let plausible = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    if !label.iter().all(plausible) || memmem::find(label, b"PRIVATE KEY").is_none() {
        return None;
    }
    let body = after.get(label.len()..)?.strip_prefix(b"-----")?;
    let from = bytes.len() - body.len();
    if !has_key(body) {
        return None;
    }
    let end = [b"-----END ", label, b"-----"].concat();
    let (len, end_len) = memmem::find(body, &end).map_or((body.len(), 0), |len| (len, end.len()));
    // A masked block hides nothing, even if its end is missing.
    if body
        .strip_prefix(MASK.as_bytes())
        .is_some_and(|rest| end_len > 0 && len == MASK.len() || !has_key(rest))
    {
        return None;
    }
    let (span, hidden) = (start..from + len + end_len, from..from + len);
    Some(Detection { kind: Kind::PrivateKey, rule: "private-key".into(), span, hidden })
}

/// The least number of characters of a key on its first line.
const KEY_LINE: usize = 8;

/// True if a key follows, and not a sentence about one.
fn has_key(body: &[u8]) -> bool {
    let is_key = |line: &[u8]| {
        let own = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
        own.count() >= KEY_LINE || line.starts_with(b"Proc-Type") || line.starts_with(b"Version:")
    };
    let near = &body[..body.len().min(400)];
    near.starts_with(MASK.as_bytes())
        || near
            .split(|byte| b" \n\r\\".contains(byte))
            .map(|line| line.strip_prefix(b"n").unwrap_or(line))
            .any(is_key)
}

/// True if a token may start at `at`: no letter or digit is before it, except in a JSON escape such as `\n`.
pub fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    match before {
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// If one value overlaps another, the rest of it is kept only if it has at least this many bytes.
const CUT: usize = 8;

/// Returns detections without overlaps, sorted. Of two, the more specific one stays whole.
pub fn without_overlaps(mut all: Vec<Detection>) -> Vec<Detection> {
    let len = |span: &Range<usize>| span.end - span.start;
    let is_key = |own: &Detection| own.kind == Kind::PrivateKey;
    all.sort_by_key(|own| (!is_key(own), own.kind, Reverse(len(&own.span)), own.span.start));
    let mut kept: BTreeMap<usize, Detection> = BTreeMap::new();
    for mut own in all {
        let before = kept.range(..=own.span.start).next_back();
        if before.is_some_and(|(_, other)| other.span.end > own.span.start) {
            continue;
        }
        if let Some((after, _)) = kept.range(own.span.start..own.span.end).next() {
            if after - own.span.start < CUT || *after <= own.hidden.start {
                continue;
            }
            own.span.end = *after;
            own.hidden.end = own.hidden.end.min(*after);
        }
        kept.insert(own.span.start, own);
    }
    kept.into_values().collect()
}
