//! Finds the password before its label.

use std::ops::Range;

use super::label::{PasswordLabel, ValueLink};
use super::password_value::{is_key, is_odd, is_password, trimmed};
use super::words::WORDS;

/// Returns a value before its label, as in `X is the root password`.
pub fn value_before(text: &str, label: PasswordLabel<'_>) -> Option<Range<usize>> {
    let start = text.rfind(['\n', ';']).map_or(0, |at| at + 1);
    let line = &text[start..];
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        words.extend((!word.is_empty()).then_some((at, word)));
        at += word.len() + 1;
    }
    let of_name = |word: &str| label.is_name && WORDS.names_after.has(word);
    let is_link = |word: &str| WORDS.backwards.has(word) || WORDS.backwards_as.has(word) || of_name(word);
    let is_link_at = |at: usize| words.get(at).is_some_and(|(_, word)| is_link(word.trim_start_matches('(')));
    let last = (0..words.len()).rfind(|at| is_link_at(*at))?;
    let link = (0..=last).rev().take_while(|at| is_link_at(*at)).last()?;
    let (at, word) = *words.get(link.checked_sub(1)?)?;
    let between = &words[last + 1..];
    if between.len() > 4 || between.iter().any(|(_, word)| word.ends_with(['.', ',', ':'])) {
        return None;
    }
    let lead = word.len() - word.trim_start_matches(['"', '\'', '`', '*', '(', '“', '«', '「']).len();
    let inner = trimmed(&word[lead..]).trim_end_matches(['"', '`', '”', '»', '」']);
    let is_quoted = lead > 0 && inner.len() < word.len() - lead;
    let is_use =
        |at: usize| words.get(at).is_some_and(|(_, word)| WORDS.before_value.has(&word.to_lowercase()));
    let is_as = WORDS.backwards_as.has(words[last].1)
        && between.len() < 3
        && link > 1
        && (is_use(link - 2) || link > 2 && is_use(link - 3));
    let is_it = match is_odd(inner) {
        _ if label.is_name => is_key(inner, true) && !WORDS.no_keys.has_part(&line[..at]),
        true => inner.len() >= 6 && is_password(inner, ValueLink::FarVerb, false, false),
        false => {
            (is_as || is_quoted && words[link].1.len() > 1 && words[link].1.is_ascii())
                && is_password(inner, ValueLink::Verb, is_quoted, false)
        }
    };
    is_it.then(|| start + at + lead..start + at + lead + inner.len())
}
