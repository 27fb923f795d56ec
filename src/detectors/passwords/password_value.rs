//! Judges whether a value may be a password, by what is before it.

use super::label::ValueLink;
use super::reader::is_unspaced;
use super::words::WORDS;
use crate::detectors::judge::{entropy, is_option, is_placeholder, is_random, is_version};

/// Returns a word without the marks that belong to the sentence.
pub fn trimmed(word: &str) -> &str {
    let mut word = word;
    while let Some(last) = word.chars().next_back() {
        let is_unbalanced = |open: char| word.matches(last).count() > word.matches(open).count();
        let goes = match last {
            '.' | ',' | ':' | ';' | '\'' => true,
            ')' => is_unbalanced('('),
            ']' => is_unbalanced('['),
            '}' => is_unbalanced('{'),
            '>' => word.contains('<'),
            '*' => true,
            '!' | '?' => !is_odd(word),
            _ => false,
        };
        if !goes {
            break;
        }
        word = &word[..word.len() - last.len_utf8()];
    }
    // `password>X</password>`
    word.split_once("</").map_or(word, |(inner, _)| inner)
}

/// Returns the length of a passphrase of several words, up to the end of the line or the sentence.
pub fn phrase(text: &str) -> Option<usize> {
    let line = &text[..text.find(['\n', '\\', '"', '.', ',', ';', '(']).unwrap_or(text.len())];
    let line = line.trim_end();
    let all: Vec<&str> = line.split(' ').collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '\'');
    let first = all[0].to_lowercase();
    let is_said =
        WORDS.no_passwords.has(&first) && !WORDS.determiners.has(&first) || WORDS.other_things.has(&first);
    let is_kept = all.iter().any(|word| {
        ["vault", "keychain", "bitwarden", "1password", "keepass"].contains(&&*word.to_lowercase())
    });
    ((3..=12).contains(&all.len()) && all.iter().all(is_word) && !is_said && !is_kept).then_some(line.len())
}

/// True if a value has letters and digits, or signs: it is no word of a sentence.
pub fn is_odd(value: &str) -> bool {
    let inner = value.strip_suffix(['!', '?']).unwrap_or(value);
    let has = |is: fn(char) -> bool| inner.chars().any(is);
    let is_sign = |c: char| c.is_ascii_punctuation() && !"-_./'+&,:()".contains(c);
    let pairs = || inner.as_bytes().windows(2);
    let turns = pairs().filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let is_in_capitals = pairs().any(|pair| pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase());
    let (letter, digit, sign) = (has(char::is_alphabetic), has(|c| c.is_ascii_digit()), has(is_sign));
    digit && (letter || sign || inner.len() >= 6)
        || sign && letter
        || inner.len() > 7 && (turns > 2 || turns > 1 && is_in_capitals)
}

/// The least length of a key that only its label shows.
const KEY: usize = 20;
const BARE_KEY: usize = 16;

/// True for a random value of many letters and digits. `is_bare` says that nothing but a name is beside it.
pub fn is_key(value: &str, is_bare: bool) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-.+/=~".contains(c);
    value.len() >= if is_bare { BARE_KEY } else { KEY }
        && value.chars().all(is_letter)
        && is_random(value)
        && entropy(value.as_bytes()) >= 3.0
        && !is_host(&value.to_lowercase())
        && !is_variable(value)
        && !is_placeholder(value.as_bytes())
        && (!is_bare || is_bare_key(value))
}

/// True for a key that nothing but a name is beside: its letters and digits take turns as in no word, date or version, and
/// it is no id, such as `evt_…`, `0x…` and the first part of a UUID, and no path.
fn is_bare_key(value: &str) -> bool {
    let class = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let pairs = value.as_bytes().windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphanumeric));
    let turns: Vec<&[u8]> = pairs.filter(|pair| class(pair[0]) != class(pair[1])).collect();
    let of_digits = turns.iter().filter(|pair| pair.iter().any(u8::is_ascii_digit)).count();
    let first = value.split(['-', '_']).next().unwrap_or_default();
    let is_id = first.len() < 9 && !first.contains(char::is_uppercase)
        || value.bytes().all(|byte| byte.is_ascii_hexdigit()) && value.len() < 30;
    let is_path = value.contains('/') && !value.contains(char::is_uppercase);
    let is_plain = !value.starts_with("0x") && !value.trim_end_matches('=').contains(['.', '=']);
    turns.len() * 5 >= value.len() && of_digits > 1 && !is_id && !is_path && is_plain
}

/// True if a value may be a password after such a link.
pub fn is_password(value: &str, link: ValueLink, is_quoted: bool, is_of_digits: bool) -> bool {
    let lower = value.to_lowercase();
    let count = value.chars().count();
    let is_foreign = value.chars().filter(|c| is_unspaced(*c)).count() * 2 > count;
    if count < 4
        || is_foreign
        || is_placeholder(value.as_bytes())
        || is_variable(value)
        || is_said(&lower, value)
    {
        return false;
    }
    if value.contains(' ') {
        let count = value.split(' ').filter(|word| word.len() > 1).count();
        return is_quoted
            && link >= ValueLink::FarVerb
            && count > 2
            && (link == ValueLink::Sign || !value.contains(['.', ',', ':', '(', '=', '/']))
            && !is_said(value.split(' ').next().unwrap_or_default(), "");
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if digits == value.len() {
        return is_of_digits && digits < 13
            || link == ValueLink::Sign
            || link == ValueLink::Verb && digits > 5;
    }
    let is_numbers = value.chars().all(|c| c.is_ascii_digit() || ".:-/+%~xX".contains(c));
    match link {
        _ if is_numbers || is_code(value) => false,
        ValueLink::Space => {
            is_odd(value)
                && count >= 6
                && !lower.contains(['(', '=', '/', ':'])
                && !is_host(&lower)
                && !is_user(&lower)
        }
        ValueLink::Preposition => {
            is_odd(value) && count >= 6 && !is_host(&lower) && !is_user(&lower) || is_quoted
        }
        _ if is_odd(value) => link == ValueLink::Sign || !is_host(&lower),
        ValueLink::FarVerb | ValueLink::Verb => (is_quoted || is_plain_word(&lower, true)) && count >= 5,
        ValueLink::Sign => is_quoted || is_plain_word(&lower, false),
    }
}

/// True if the value means another one: a variable, a call, a reference.
fn is_variable(value: &str) -> bool {
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_named = value.strip_prefix(['$', '%']).is_some_and(|name| {
        is_name(name.trim_end_matches('%'))
            && (name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            && !name.contains(|c: char| c.is_ascii_digit())
    });
    // `$row['pw']`
    let item = value.strip_prefix('$').and_then(|rest| rest.split_once('['));
    let is_item = item.is_some_and(|(name, _)| is_name(name));
    let call = value.split_once('(').is_some_and(|(name, _)| {
        is_name(name) && name.len() > 2 && !name.contains(|c: char| c.is_ascii_digit())
    });
    is_named
        || call
        || is_item
        || is_version(value.as_bytes())
        || is_option(value.as_bytes())
        || WORDS.references.begin(value)
        || ["()", "::", "://", "${", "{{", "->"].iter().any(|part| value.contains(part))
}

/// True if a word is one that people say of passwords, and no password.
fn is_said(lower: &str, value: &str) -> bool {
    let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let separators = ['-', '_', '/', '.', '=', ' ', '(', '['];
    let (first, rest) = lower.split_once(separators).unwrap_or((lower, ""));
    let is_joined =
        value.len() > first.len() && !value.contains('.') && !rest.contains(|c: char| c.is_ascii_digit());
    WORDS.no_passwords.has(word)
        || is_joined && (WORDS.no_passwords.has(first) || WORDS.other_things.has(first))
        || WORDS.placeholders.are_in(lower)
}

fn is_plain_word(lower: &str, is_verb: bool) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "-_.'+&".contains(c);
    lower.chars().all(is_word)
        && lower.chars().any(char::is_alphabetic)
        && !(is_verb && WORDS.endings.end(lower, 2))
}

/// True for a name of code, such as `user.password`, `DB_PASSWORD`, `getPassword()` and `hashed_password`.
fn is_code(value: &str) -> bool {
    let lower = value.to_lowercase();
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_name = value.chars().all(|c| c.is_ascii_alphanumeric() || "_.?&[]".contains(c));
    let is_constant = value.contains('_')
        && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let has_label = WORDS.code_labels.are_in(&lower);
    let first = lower.split(['.', '_', '[', '(']).next().unwrap_or_default();
    let is_of_code =
        (is_name || value.contains('(')) && value.contains(['.', '_', '[', '(']) && WORDS.code.has(first);
    let is_call = value.contains(['(', '{', '<', '['])
        && value.ends_with([')', '}', '>', ';', ',', ']'])
        && !has_digit
        || value.split_once('[').is_some_and(|(name, index)| {
            index.ends_with(']') && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
    is_constant
        || is_name && !has_digit && has_label
        || is_of_code
        || is_call
        || WORDS.file_endings.end(&lower, 0)
}

/// True for a user of a host: `root@db1`.
pub fn is_user(lower: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    lower.split_once('@').is_some_and(|(user, host)| {
        is_name(user) && is_name(host) && user.chars().all(|c| !c.is_ascii_digit())
    })
}

/// True for the name of a host: `db1.example.com`.
fn is_host(lower: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut parts = lower.split('.');
    let top = parts.next_back().unwrap_or_default();
    lower.contains('.') && top.len() > 1 && top.chars().all(|c| c.is_ascii_lowercase()) && parts.all(is_name)
}
