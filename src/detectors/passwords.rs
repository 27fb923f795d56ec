//! Finds passwords by the label before them, as in `password: X`, `das Passwort ist X` and `密码是X`, or after them, as in
//! `X is the password`. The rules of `assets/detectors.json` with `"judge": "label"` have the labels.
//!
//! A password may be a plain word. What is between the label and the value says how much the value itself must look
//! like one: after a sign, a word is enough if nothing else is meant; after a space it needs letters and digits.

mod label;
mod login;
mod password_value;
mod reader;
mod value_after;
mod value_before;
mod words;

use std::ops::Range;

use label::PasswordLabel;
use login::{column, is_head, is_login, login_value};
use reader::{is_unspaced, line_start};
use value_after::value_after;
use value_before::value_before;
use words::WORDS;

/// How far from the label a value is looked for, in bytes.
const REACH: usize = 240;

/// Returns the passwords that belong to a label: of the head of a column, those of all rows.
pub fn labelled(bytes: &[u8], label: Range<usize>, is_name: bool) -> Vec<Range<usize>> {
    // A short label is searched for with what follows it.
    let name = std::str::from_utf8(bytes.get(label.clone()).unwrap_or_default()).unwrap_or_default();
    let is_mark = |c: char| !c.is_alphanumeric();
    let start = label.start + name.len() - name.trim_start_matches(is_mark).len();
    let name = name.trim_matches(is_mark);
    let label = start..start + name.len();
    let (before, after) = (&bytes[..label.start], &bytes[label.end..]);
    let is_assigned = after.trim_ascii_start().starts_with(b"=");
    let is_path = before.ends_with(b"/") && after.starts_with(b"/");
    if !starts_word(before, name, is_assigned) || !ends_word(after, name) || is_path {
        return Vec::new();
    }
    let before = valid_end(&before[before.len().saturating_sub(REACH)..]);
    let near = valid_start(&after[..after.len().min(REACH)]);
    // `public key`, but not `id 12, key`
    let clause = before.rsplit(|c: char| c.is_ascii_digit() || "\n,;/|".contains(c)).next();
    if is_name && clause.is_some_and(|own| WORDS.no_keys.has_part(own)) {
        return Vec::new();
    }
    let shifted = |found: Range<usize>, by: usize| by + found.start..by + found.end;
    let password_label = PasswordLabel::of(name, before, is_name);
    if is_head(before, near) && !is_login(name) {
        let columns = before[line_start(before)..].matches('|').count();
        let found = column(valid_start(after), columns, password_label);
        if !found.is_empty() {
            return found.into_iter().map(|found| shifted(found, label.end)).collect();
        }
    }
    let is_pair = is_login(name) || !is_name && before.trim_end_matches(' ').ends_with('/');
    let of_login = if is_pair { login_value(near) } else { None };
    if let Some(found) = of_login.or_else(|| value_after(near, password_label).filter(|_| !is_login(name))) {
        return vec![shifted(found, label.end)];
    }
    let next = near.trim_start_matches([' ', '-', '_']);
    let is_other = WORDS.parts_of_names.at(next).or_else(|| WORDS.other_things.at(next)).is_some();
    let found = if is_other || is_login(name) { None } else { value_before(before, password_label) };
    found.map(|found| shifted(found, label.start - before.len())).into_iter().collect()
}

/// True if a name such as `nextPageToken` or `api_key_id` is that of no secret.
pub fn is_of_no_key(name: &[u8]) -> bool {
    WORDS.no_key_names.are_in(&String::from_utf8_lossy(name).to_lowercase())
}

fn valid_start(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

fn valid_end(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().last().filter(|chunk| chunk.invalid().is_empty()).map_or("", |chunk| chunk.valid())
}

/// True if a label begins here: it is a word of its own, or a part of a name such as `DB_PASSWORD` and `dbPassword`.
/// `is_assigned` says that a sign follows, as in `remotepass = X`.
fn starts_word(before: &[u8], name: &str, is_assigned: bool) -> bool {
    let Some(last) = valid_end(&before[before.len().saturating_sub(4)..]).chars().next_back() else {
        return true;
    };
    let first = name.chars().next().unwrap_or_default();
    let is_escape = matches!(before, [.., b'\\', b'n' | b'r' | b't']);
    let is_capital = first.is_uppercase() && last.is_lowercase();
    let is_part = name.len() > 7 && last.is_ascii() || is_assigned && last.is_ascii_alphabetic();
    is_escape
        || !last.is_alphanumeric()
        || is_unspaced(last)
        || is_capital
        || is_unspaced(first)
        || last.is_ascii_digit()
        || is_part
}

/// True if a label ends here. `user:password@host` has none.
fn ends_word(after: &[u8], name: &str) -> bool {
    let next = valid_start(&after[..after.len().min(4)]).chars().next();
    let goes_on = next.is_some_and(|c| c.is_alphabetic() && !is_unspaced(c) && !name.ends_with(is_unspaced));
    !goes_on && !after.starts_with(b"@") && !after.starts_with(b">@")
}
