//! Judges values that have no form of their own: is it random, or a word, or a placeholder?

use std::collections::BTreeSet;
use std::ops::Range;

use super::rules::Judge;
use crate::text::names;

/// A number with fewer digits is a part of a name.
const NUMBER: usize = 6;
/// The minimum length of a key without a form.
const KEY: usize = 10;
/// The minimum entropy of a key without a form, in bits a character.
const KEY_ENTROPY: f64 = 2.8;

/// Words in the place of a password in the pattern of a URL.
const PASSWORD_WORDS: [&[u8]; 4] = [b"password", b"passwd", b"pass", b"pwd"];
/// A word of letters alone that is at least this long may be a key.
const LETTERS: usize = 24;

/// Returns the Shannon entropy of bytes, in bits a byte.
pub fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let len = bytes.len() as f64;
    let share = |count: &u32| f64::from(*count) / len;
    counts.iter().filter(|count| **count > 0).map(|own| -share(own) * share(own).log2()).sum()
}

/// True if a value says that it is none: an example, a mask, a variable.
pub fn is_placeholder(value: &[u8]) -> bool {
    const SIGNS: [&str; 10] =
        names("EXAMPLE REDACTED PLACEHOLDER xxxxxx XXXXXX *** ••• ...... your-token your-key");
    let same = value.windows(8).any(|own| own.iter().all(|byte| *byte == own[0]));
    same || SIGNS.iter().any(|sign| memchr::memmem::find(value, sign.as_bytes()).is_some())
}

/// Returns the value without marks around it, if it may be a secret.
pub fn value(bytes: &[u8], span: Range<usize>, judge: Judge) -> Option<Range<usize>> {
    let text = bytes.get(span.clone())?;
    let is_mark = |byte: &u8| b"\"'`\\,;)]}>".contains(byte);
    let lead = text.iter().take_while(|byte| b"\"'`\\".contains(byte)).count();
    let rest = &text[lead..];
    // A quote or a line end in the middle ends the value.
    let stop = rest.iter().position(|byte| b"\"`\n\r\\".contains(byte)).unwrap_or(rest.len());
    // Marks of other scripts end a sentence, too.
    let marks = ["，", "。", "；", "、", "）", "」", "»", "“", "”"];
    let stop = marks
        .iter()
        .filter_map(|mark| memchr::memmem::find(&rest[..stop], mark.as_bytes()))
        .min()
        .unwrap_or(stop);
    let mut rest = &rest[..stop];
    let is_quoted = bytes.get(span.end).is_some_and(|byte| b"\"'`\\".contains(byte));
    while let [head @ .., last] = rest {
        let is_end = matches!(last, b'.' | b':' | b'?') && !is_quoted && stop == text.len() - lead;
        if !is_mark(last) && !is_end {
            break;
        }
        rest = head;
    }
    let own = span.start + lead..span.start + lead + rest.len();
    may_be_secret(rest, judge).then_some(own)
}

fn may_be_secret(value: &[u8], judge: Judge) -> bool {
    if is_placeholder(value) || is_variable(value) {
        return false;
    }
    if judge == Judge::Url {
        return value.len() >= 3 && !PASSWORD_WORDS.iter().any(|own| value.eq_ignore_ascii_case(own));
    }
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    // A mark at the end belongs to the sentence.
    let inner = value.strip_suffix(b"!").unwrap_or(value);
    let sign = inner.iter().any(|byte| byte.is_ascii_punctuation() && !b"-_./".contains(byte));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let is_phrase = value.iter().filter(|byte| **byte == b'-').count() > 2;
    let odd_case = mixed && has(|byte| b"+/=".contains(byte));
    let is_odd = odd_case || value.len() >= LETTERS && mixed && is_odd_case(value);
    let is_key = has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || is_odd || sign) || is_phrase;
    value.len() >= KEY && is_key && entropy(value) >= KEY_ENTROPY && !is_word_list(value)
}

/// True if a word has capitals where names in code have none.
fn is_odd_case(value: &[u8]) -> bool {
    let turns = value.windows(2).filter(|own| own[0].is_ascii_uppercase() && own[1].is_ascii_uppercase());
    let starts = value.windows(2).filter(|own| own[0].is_ascii_lowercase() && own[1].is_ascii_uppercase());
    value.len() >= 8 && turns.count() > 0 && starts.count() > 1
}

/// True if the value means another one: a variable, a call, a path, a type.
pub fn is_variable(value: &[u8]) -> bool {
    const STARTS: [&str; 17] = names(": = ! $ { < % [ ( ./ ~/ http: https: process.env os. env. env:");
    const PARTS: [&[u8]; 7] = [b"()", b"(", b"::", b"->", b"://", b"${", b"{{"];
    let has_part = |parts: &[&[u8]]| parts.iter().any(|own| memchr::memmem::find(value, own).is_some());
    // `%C3%A9` in a URL is a letter.
    let is_start = |own: &&str| {
        value.starts_with(own.as_bytes())
            && (**own != *"%" || value.ends_with(b"%") || value.starts_with(b"%("))
    };
    let is_known = STARTS.iter().any(is_start) || has_part(&PARTS);
    is_known && (!is_jumble(value) || has_part(&CALLS))
        || is_version(value)
        || is_option(value)
        || value.starts_with(b"/") && !is_base64(value)
}

/// Parts of values that are calls, types or addresses, whatever else is in them.
const CALLS: [&[u8]; 7] = [b"()", b"$(", b"::", b"->", b"://", b"${", b"{{"];

/// True if a value has letters of both cases, digits, several signs, and no word: nobody writes code so.
fn is_jumble(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let signs: BTreeSet<&u8> = value.iter().filter(|byte| byte.is_ascii_punctuation()).collect();
    let is_word = |own: &[u8]| own.len() > 4;
    let is_variable = matches!(value, [b'$', next, ..] if next.is_ascii_alphabetic());
    signs.len() > 2
        && !is_variable
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && !value.split(|byte| !byte.is_ascii_alphabetic()).any(is_word)
}

/// True for an option of a command: `--x`, `-Zname=y`.
pub fn is_option(value: &[u8]) -> bool {
    let Some(name) = value.strip_prefix(b"-") else { return false };
    let has_name = name.first().is_some_and(u8::is_ascii_alphabetic);
    let is_set = name.iter().position(|byte| *byte == b'=').is_some_and(|at| name[at..].len() > 2);
    name.starts_with(b"-") || has_name && is_set
}

/// True for the number of a version: `v2.24.7`.
pub fn is_version(value: &[u8]) -> bool {
    let Some(numbers) = value.strip_prefix(b"v") else { return false };
    let mut parts = numbers.split(|byte| *byte == b'.');
    value.contains(&b'.') && parts.all(|own| !own.is_empty() && own.iter().all(u8::is_ascii_digit))
}

/// The least length of a value that begins as a path and may be base64.
const BASE64: usize = 32;

/// True if a value that begins as a path is more like base64.
fn is_base64(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    value.len() >= BASE64
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && has(u8::is_ascii_digit)
        && is_odd_case(value)
}

/// True if the value is a plain word, or words that are joined as names are.
fn is_word_list(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    const WORDS: [&[u8]; 6] = [b"example", b"placeholder", b"your-", b"your_", b"changeme", b"dummy"];
    let is_plain = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphabetic) || part.iter().all(u8::is_ascii_digit) && part.len() < NUMBER
    };
    let parts: Vec<&[u8]> = value.split(|byte| b"-_./# ".contains(byte)).collect();
    if WORDS.iter().any(|own| memchr::memmem::find(&lower, own).is_some()) {
        return true;
    }
    let is_small = |part: &[u8]| part.len() > 2 && part.iter().all(u8::is_ascii_lowercase);
    // Four words and more with hyphens are a passphrase.
    if parts.len() > 3
        && !value.iter().any(|byte| b"_./ ".contains(byte))
        && parts.iter().all(|own| is_small(own))
    {
        return false;
    }
    // `base64url-encoded`, `SHA256-signed`
    let is_said =
        value.len() < 24 && value.contains(&b'-') && parts.iter().any(|own| own.len() > 4 && is_small(own));
    // `self.dot2_token`, `DOT11_AUTH_ALGORITHM`: names in code have a digit here and there.
    let is_name = |part: &&[u8]| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        letters > 0 && part[letters..].iter().all(u8::is_ascii_digit) && part.len() - letters < 3
    };
    let is_number = lower.starts_with(b"0x") && lower.len() < 16
        || lower.first().is_some_and(u8::is_ascii_digit)
            && [b"i8".as_slice(), b"u8", b"i16", b"u16", b"i32", b"u32", b"i64", b"u64"]
                .iter()
                .any(|end| lower.strip_suffix(*end).is_some_and(|own| own.iter().all(u8::is_ascii_digit)));
    is_number || is_said || parts.len() > 1 && parts.iter().all(|own| is_plain(own) || is_name(own))
}

/// The minimum length of a word that may be a token without a known prefix.
const RANDOM: usize = 12;

/// True if a word is probably a key or a token without a known prefix: long, with letters and digits.
pub fn is_random(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    word.len() >= RANDOM && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}
