//! Finds the password after its label.

use std::ops::Range;

use super::label::{PasswordLabel, ValueLink};
use super::password_value::{is_key, is_odd, is_password, phrase, trimmed};
use super::reader::{TextReader, is_space, is_unspaced};
use super::words::WORDS;

/// The most words between a label and what links it with its value.
const MOST_WORDS: usize = 8;
/// The longest password, in bytes.
const LONGEST: usize = 128;

/// What may stand between a label and its value.
const SIGNS: [&str; 15] =
    ["=>", "->", ":=", "===", "==", "=", "→", "：", ":", "|", ">", "⇒", "– ", "— ", "- "];

pub fn value_after(text: &str, label: PasswordLabel<'_>) -> Option<Range<usize>> {
    let mut reader = TextReader { text, at: 0 };
    let is_plain = suffix(&mut reader, label)?;
    reader.skip(|c| matches!(c, '\u{300}'..='\u{36f}'));
    if let Some(found) = argument(reader, label) {
        return Some(found);
    }
    // The end of a name in quotes, or of words in bold.
    let is_bold = reader.skip(|c| "*\"`]\\_?»”）".contains(c)).contains("**");
    if reader.take("'s ") || reader.take("’s ") {
        return value(reader, ValueLink::Verb, label);
    }
    reader.skip(|c| "'\"`".contains(c));
    let mut is_joined = false;
    for word in 0..=MOST_WORDS {
        reader.spaces();
        let mut near = reader;
        match links(&mut near, word) {
            Some(link) => {
                let most = if is_joined { ValueLink::Preposition } else { ValueLink::Sign };
                let link = link.min(if is_plain { most } else { most.min(ValueLink::FarVerb) });
                let found = value(near, link, label);
                if found.is_some() || link == ValueLink::Sign && !label.is_name {
                    return found;
                }
                // Another cell of the row, or who it is for.
                reader = if label.is_name { near } else { reader };
            }
            None if word == 0 && is_plain => {
                if let Some(found) = beside(reader, label, is_bold) {
                    return Some(found);
                }
            }
            None => {}
        }
        let is_code = label.is_of_digits() && (label.name != "pin" || word == 0);
        let of_code = if is_code { code(reader) } else { None };
        let found = of_code.or_else(|| match label.is_key() {
            // After other words a name says too little, except of a value in quotes.
            true if label.is_name && word > 0 && !is_opening(reader.rest()) => None,
            true => value(reader, ValueLink::Space, label),
            false if word > 0 => random_word(reader),
            false => None,
        });
        if found.is_some() {
            return found;
        }
        if label.is_weak() {
            return None;
        }
        is_joined |= reader.rest().starts_with([',', ';']);
        if !next_word(&mut reader, word, label)? {
            return None;
        }
    }
    None
}

/// Returns a value with no link between it and its label.
fn beside(reader: TextReader<'_>, label: PasswordLabel<'_>, is_bold: bool) -> Option<Range<usize>> {
    let of_pair = if label.is_second || is_bold { ValueLink::Verb } else { ValueLink::Space };
    let link = if is_opening(reader.rest()) && !label.is_weak() { ValueLink::Sign } else { of_pair };
    let after = |start: &str| {
        reader.rest().starts_with(start).then(|| TextReader { at: reader.at + start.len(), ..reader })
    };
    let after_comma = || value(after(", ").filter(|_| !label.is_weak())?, ValueLink::Preposition, label);
    let after_adverb = || value(after(WORDS.adverbs.at(reader.rest())?)?, ValueLink::Space, label);
    // A value on the line after a label that is alone on its line.
    let below = || {
        let mut below = reader;
        let is_alone = (label.is_name || !label.is_in_sentence) && below.line_ends();
        if is_alone { value(below, ValueLink::Verb, label) } else { None }
    };
    value(reader, link, label).or_else(after_comma).or_else(after_adverb).or_else(below)
}

/// Returns a code of digits that ends a sentence, as in `the door code of the office 4711`.
fn code(mut reader: TextReader<'_>) -> Option<Range<usize>> {
    let start = reader.at;
    let digits = reader.skip(|c| c.is_ascii_digit()).len();
    let is_end = reader.rest().is_empty()
        || reader.rest().starts_with(['.', ',', '\n', ' ', ';', '*', '#'])
            && !reader.rest().starts_with(" %");
    ((4..=8).contains(&digits) && is_end).then_some(start..reader.at)
}

/// Returns a word in parentheses, or at the end of a sentence, that looks like a password by itself.
fn random_word(mut reader: TextReader<'_>) -> Option<Range<usize>> {
    let is_inside = reader.take("(");
    let rest = reader.rest();
    let word = trimmed(&rest[..rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len())]);
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let is_mixed = has(char::is_uppercase) && has(char::is_lowercase)
        || has(|c| !c.is_alphanumeric() && !"-_./:@'’()+".contains(c));
    let is_it = word.chars().count() >= 8
        && has(|c| c.is_ascii_digit())
        && is_mixed
        && is_password(word, ValueLink::Preposition, false, false);
    let is_over = is_inside || ends(&rest[word.len()..]);
    (is_it && is_over).then(|| reader.at..reader.at + word.len())
}

/// Returns a value in quotes after the name of its parameter: `'password', 'X'`, `[name=password]').fill('X')`.
fn argument(mut reader: TextReader<'_>, label: PasswordLabel<'_>) -> Option<Range<usize>> {
    let is_end = !reader.skip(|c| "\"'`])\\".contains(c)).is_empty();
    reader.spaces();
    let is_call =
        reader.take(".") && !reader.skip(|c| c.is_ascii_alphabetic()).is_empty() && reader.take("(");
    let is_next = is_call || reader.take(",");
    reader.spaces();
    (is_end && is_next && is_opening(reader.rest())).then(|| value(reader, ValueLink::Sign, label))?
}

/// Reads what follows a label without a space, as in `password_old`. `None` if it is no password then, as in
/// `password-manager`. False if nothing is known of it.
fn suffix(reader: &mut TextReader<'_>, label: PasswordLabel<'_>) -> Option<bool> {
    let next = reader.rest().chars().next()?;
    let is_particle = |c: char| {
        matches!(c, 'は' | 'が' | '는' | '은' | '이' | '가' | '是' | '为' | '為' | '改' | '已' | '现' | '就')
    };
    if let Some(object) = ['を', '를', '을'].iter().find(|particle| **particle == next) {
        let rest = reader.rest();
        let is_set =
            ["に変", "に設", "にし", "に更", "로 ", "로)", "로 변"].iter().any(|end| rest.contains(end));
        reader.at += if is_set { object.len_utf8() } else { 0 };
        return is_set.then_some(true);
    }
    if label.is_unspaced() {
        // A label that goes on is another word: パスワードマネージャー.
        return (!is_unspaced(next) || is_particle(next)).then_some(true);
    }
    if next.is_alphabetic() && !is_unspaced(next) {
        return None;
    }
    let follows = reader.rest().chars().nth(1).unwrap_or(' ');
    if !next.is_ascii_digit() && (!"_-.".contains(next) || !follows.is_alphanumeric()) {
        return Some(true);
    }
    let words = reader.skip(|c| c.is_alphanumeric() || "_-.".contains(c)).to_lowercase();
    let mut all = words.split(['_', '-', '.']).filter(|word| !word.is_empty()).peekable();
    let is_known = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit()) || WORDS.usual_parts.has(word);
    let mut is_plain = true;
    for word in all.by_ref() {
        if is_other(word, true, label) {
            return None;
        }
        is_plain &= is_known(word);
    }
    Some(is_plain)
}

/// True if a word after a label, directly or further on, makes it another thing.
fn is_other(word: &str, is_next: bool, label: PasswordLabel<'_>) -> bool {
    let of_password = || WORDS.other_things.has(word) || is_next && WORDS.parts_of_names.has(word);
    if label.is_name { WORDS.no_keys.has_part(word) } else { of_password() }
}

/// Reads signs and verbs. `None` if there are none.
pub fn links(reader: &mut TextReader<'_>, word: usize) -> Option<ValueLink> {
    let mut link = None;
    loop {
        reader.spaces();
        let start = reader.at;
        reader.skip(|c| c == '*');
        if let Some(sign) = SIGNS.iter().find(|sign| reader.rest().starts_with(**sign)) {
            reader.at += sign.len();
            reader.skip(|c| c == '*');
            reader.spaces();
            // A value on a line of its own.
            let line = reader.at;
            if !(sign.contains([':', '：']) && reader.line_ends() && !reader.rest().is_empty()) {
                reader.at = line;
            }
            link = Some(ValueLink::Sign);
            continue;
        }
        reader.at = start;
        let rest = reader.rest();
        let (verb, preposition) = (WORDS.links.at(rest), WORDS.prepositions.at(rest));
        let is_verb = verb.map(str::len) >= preposition.map(str::len);
        let found = if is_verb { verb } else { preposition };
        let adverb = || WORDS.adverbs.at(rest).filter(|_| link.is_some());
        let Some(next) = found.or_else(adverb) else { return link };
        if !is_verb && link.is_none() && !rest[next.len()..].starts_with(' ') {
            return None;
        }
        reader.at += next.len();
        reader.take(",");
        reader.spaces();
        let of_word = match (is_verb, word) {
            (false, _) => ValueLink::Preposition,
            (true, 0) => ValueLink::Verb,
            _ => ValueLink::FarVerb,
        };
        link = link.max(Some(of_word));
    }
}

/// Skips a word between a label and its link. False if the sentence ends, `None` if the label is about something else.
fn next_word(reader: &mut TextReader<'_>, number: usize, label: PasswordLabel<'_>) -> Option<bool> {
    if !label.is_name && reader.take("(") {
        let inside = reader.skip(|c| c != ')' && c != '\n');
        let ends = reader.take(")");
        return Some(ends && inside.len() < 48);
    }
    let start = reader.at;
    // A name in quotes.
    if let Some(mark) = ["`", "\""].iter().find(|mark| reader.rest().starts_with(**mark)) {
        reader.take(mark);
        let inside = reader.skip(|c| !"`\"\n".contains(c));
        return Some(reader.take(mark) && inside.len() < 32 && reader.rest().starts_with([' ', ':', ',']));
    }
    loop {
        reader.skip(|c| !c.is_whitespace() && !":=：,;.\"`|)\\→。，".contains(c));
        // A point within a word, as in the name of a host; a port, as in `host:5432`.
        let mut rest = reader.rest().chars();
        let is_inside = rest.next().is_some_and(|c| ".:".contains(c))
            && rest.next().is_some_and(|c| c.is_alphanumeric() || c == '/');
        if !is_inside {
            break;
        }
        reader.at += 1;
    }
    let word = &reader.text[start..reader.at];
    let lower = word.to_lowercase();
    if is_other(&lower, number == 0, label) {
        return None;
    }
    let next = reader.rest().chars().next();
    Some(
        label.is_name && (word.contains(['(', '\'']) || reader.line_ends())
            || reader.take(",")
            || reader.take(";")
            || !word.is_empty() && next.is_some_and(|c| is_space(c) || ":=：→".contains(c)),
    )
}

const OPENINGS: [(&str, &str); 12] = [
    ("\\\"", "\\\""),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("«\u{a0}", "»"),
    ("« ", "»"),
    ("«", "»"),
    ("“", "”"),
    ("„", "“"),
    ("「", "」"),
    ("『", "』"),
    ("**", "**"),
];

fn is_opening(text: &str) -> bool {
    OPENINGS.iter().any(|(open, _)| text.starts_with(open))
}

/// Reads a value, if it may be a password.
pub fn value(mut reader: TextReader<'_>, link: ValueLink, label: PasswordLabel<'_>) -> Option<Range<usize>> {
    reader.skip(|c| c == '(' || is_space(c));
    if reader.rest().starts_with("**") && reader.rest()[2..].starts_with(['`', '"', '\'']) {
        reader.at += 2;
    }
    let opening = OPENINGS.iter().find(|(open, _)| reader.rest().starts_with(open));
    if label.is_key() {
        reader.at += opening.map_or(0, |(open, _)| open.len());
        let is_end = |c: char| c.is_whitespace() || !c.is_ascii() || "\"`'|\\".contains(c);
        let word = trimmed(reader.rest().split(is_end).next().unwrap_or_default());
        return is_key(word, label.is_name).then(|| reader.at..reader.at + word.len());
    }
    if let Some((open, close)) = opening {
        reader.at += open.len();
        let rest = reader.rest();
        let inside = rest[..rest.find(close)?].trim_end_matches(['\u{a0}', ' ']);
        let fits = inside.len() <= LONGEST && !inside.contains(['\n', '\r']);
        let is_it = fits
            && !is_weak(inside, link, label)
            && (is_password(inside, link.max(ValueLink::Verb), true, label.is_of_digits())
                || label.is_phrase() && phrase(inside) == Some(inside.len()));
        return is_it.then(|| reader.at..reader.at + inside.len());
    }
    let rest = reader.rest();
    if label.is_phrase()
        && link >= ValueLink::FarVerb
        && let Some(len) = phrase(rest)
    {
        return Some(reader.at..reader.at + len);
    }
    let is_end = |c: char| c.is_whitespace() || is_unspaced(c) || "\"`|\\，。；、）」»“”（".contains(c);
    let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let word = trimmed(word);
    let after = &rest[word.len()..];
    let is_asked = after.trim_start_matches(is_space).starts_with(['に', 'を', 'で', 'と', 'へ'])
        && !after.contains("に変")
        && !after.contains("に設");
    let is_over = || {
        ends(after) && !(label.is_weak() && label.is_in_sentence)
            || label.is_foreign() && word.is_ascii() && !is_asked
    };
    // A place or a person that the password is of: `the password to db-3 is X`.
    let mut next = TextReader { text: reader.text, at: reader.at + word.len() };
    if link < ValueLink::FarVerb && links(&mut next, 1).is_some_and(|link| link > ValueLink::Preposition) {
        return None;
    }
    let is_apart = label.is_foreign() && word.is_ascii();
    let link = if link < ValueLink::FarVerb && is_apart { ValueLink::Verb } else { link };
    let is_usual = is_password(word, link, false, label.is_of_digits() || label.is_unspaced());
    let is_it =
        word.len() <= LONGEST && is_usual && !is_weak(word, link, label) && (is_odd(word) || is_over());
    is_it.then(|| reader.at..reader.at + word.len())
}

/// True if a value after a label that means much else has no digit, or is no word.
fn is_weak(value: &str, link: ValueLink, label: PasswordLabel<'_>) -> bool {
    let is_it = value.contains(|c: char| c.is_ascii_digit()) && !value.contains([' ', '=', '(']);
    let is_pin = label.name.eq_ignore_ascii_case("pin") && value.contains(|c: char| !c.is_ascii_digit());
    is_pin || label.is_weak() && link < ValueLink::Sign && !is_it
}

/// True if a sentence, a line or a cell ends here: in the middle of a sentence, a plain word is one of its words.
fn ends(rest: &str) -> bool {
    let after = rest.trim_start_matches(is_space);
    let is_end = after.starts_with([
        '\n', '\r', '|', '\\', '(', '"', '<', '—', '–', '/', '。', '，', '；', '、', '）', '」', '（', '*',
    ]);
    after.is_empty() || is_end || rest.starts_with(['.', ',', ';', '!', ')', '*', '\'', '`'])
}
