//! Finds passwords in logins, as in `login: anna / X`, and in the columns of tables.

use std::ops::Range;

use super::label::{PasswordLabel, ValueLink};
use super::password_value::{is_key, is_odd, is_password, is_user};
use super::reader::{TextReader, is_space, line_start};
use super::value_after::{links, value};
use super::words::WORDS;

/// The most rows of a table that are read.
const ROWS: usize = 64;

pub fn is_login(name: &str) -> bool {
    WORDS.logins.has(&name.to_lowercase())
}

/// Returns the password of a login: `login: anna / X`, `creds anna:X`.
pub fn login_value(text: &str) -> Option<Range<usize>> {
    let mut reader = TextReader { text, at: 0 };
    reader.skip(|c| c == '*' || c == '"');
    let label = PasswordLabel { name: "login", is_in_sentence: false, is_second: true, is_name: false };
    for word in 0..=4 {
        reader.spaces();
        if word > 0 || !text.starts_with(':') || text.starts_with(": ") {
            links(&mut reader, word);
        }
        reader.skip(|c| "*`\"".contains(c));
        let user = reader.skip(|c| c.is_alphanumeric() || "_.@+-".contains(c));
        reader.skip(|c| "*`\"".contains(c));
        let mut near = reader;
        near.spaces();
        if near.take("/ ") || reader.take("/") || reader.take(":") && !reader.rest().starts_with([' ', '/']) {
            near.at = near.at.max(reader.at);
            let found = value(near, ValueLink::Verb, label)?;
            let (inner, after) = (&text[found.clone()], &text[found.end..]);
            let is_it = !inner.contains(['/', ':', '@'])
                || is_odd(inner) && !inner.contains(['/', ':']) && !is_user(inner);
            // `login / logout / refresh` names no user, and three things.
            let is_list = after.trim_start().starts_with('/') || user.is_empty() && !is_odd(inner);
            return (is_it && !is_list).then_some(found);
        }
        if !reader.rest().starts_with(is_space) {
            return None;
        }
    }
    None
}

/// True if a label is a cell of the head of a table.
pub fn is_head(before: &str, after: &str) -> bool {
    let line = before[line_start(before)..].trim_start();
    let cell = after.trim_start_matches(|c| c == '*' || is_space(c));
    line.starts_with('|') && cell.starts_with('|')
}

/// Returns the passwords in a column of a table, whose head ends here.
pub fn column(text: &str, columns: usize, label: PasswordLabel<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for (row, line) in text.split_inclusive('\n').enumerate().take(ROWS) {
        let start = at;
        at += line.len();
        if row == 0 {
            continue;
        }
        if !line.trim_start().starts_with('|') {
            break;
        }
        let Some((before, _)) = line.match_indices('|').nth(columns - 1) else { continue };
        let cell = &line[before + 1..];
        let cell = &cell[..cell.find('|').unwrap_or(cell.len())];
        let lead = cell.len() - cell.trim_start_matches([' ', '`', '*']).len();
        let inner = cell[lead..].trim_end_matches([' ', '`', '*', '\n', '\r']);
        let is_it = is_password(inner, ValueLink::Sign, true, true);
        if !inner.contains(' ') && is_it && (!label.is_name || is_key(inner, true)) {
            let from = start + before + 1 + lead;
            found.push(from..from + inner.len());
        }
    }
    found
}
