//! Reads Rust code for the rules: its imports, and the code without comments, strings and tests.

use std::ops::Range;

/// Returns the modules of this crate that code names, with their lines: `crate::a`,
/// `crate::{a, b}`, and `palimp::a` in the binary.
pub fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for root in ["crate::", "palimp::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at + root.len()..];
            let line = line_at(code, at);
            found.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
    }
    found.sort();
    found
}

fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![name_at(path)] };
    parts_of_group(group)
        .into_iter()
        .map(|part| name_at(part.trim()))
        .filter(|name| !name.is_empty())
        .collect()
}

pub fn parts_of_group(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), '}')]) {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    parts
}

fn name_at(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

pub fn words_at(text: &str, word: &str) -> impl Iterator<Item = usize> {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let is_open = [word.as_bytes().first(), word.as_bytes().last()].map(|end| !end.is_some_and(letter));
    let (text, length) = (text.as_bytes(), word.len());
    memchr::memmem::find_iter(text, word)
        .filter(move |at| {
            let before = text[..*at].last();
            (is_open[0] || !before.is_some_and(letter))
                && (is_open[1] || !text.get(at + length).is_some_and(letter))
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// True if `word` is in `line` without a letter before or after it.
pub fn has_word(line: &str, word: &str) -> bool {
    words_at(line, word).next().is_some()
}

pub fn line_at(text: &str, at: usize) -> usize {
    line_ends(&text[..at]) + 1
}

fn line_ends(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Returns `text` with comments, strings and `#[cfg(test)]` items blanked; line ends stay.
pub fn code_of(text: &str) -> String {
    without_tests(without_comments_and_strings(text))
}

/// Returns code with `#[cfg(test)]` items blanked.
pub fn without_tests(mut code: String) -> String {
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = end_of_item(&code, start + "#[cfg(test)]".len());
        let blank: String = "\n".repeat(line_ends(&code[start..end]));
        code.replace_range(start..end, &blank);
    }
    code
}

fn end_of_item(code: &str, from: usize) -> usize {
    let mut depth = 0;
    for at in memchr::memchr3_iter(b'{', b'}', b';', &code.as_bytes()[from..]) {
        match code.as_bytes()[from + at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return from + at + 1;
        }
    }
    code.len()
}

pub fn strings_of(text: &str) -> Vec<(usize, String)> {
    let text = text.split_once("#[cfg(test)]\nmod ").map_or(text, |(own, _)| own);
    let own = |text: &str| unescaped(text.trim_matches(|c| "rb#".contains(c)).trim_matches('"'));
    let is_string = |text: &str| !text.starts_with('\'') && !text.starts_with('/');
    let strings = pieces_with_lines(text).into_iter().filter(|(_, text)| is_string(text));
    strings.map(|(line, text)| (line, own(text))).collect()
}

pub fn comments_of(text: &str) -> Vec<(usize, String)> {
    let own = |text: &str| Some(text.strip_prefix("//")?.trim_start_matches(['/', '!']).trim().to_owned());
    pieces_with_lines(text).into_iter().filter_map(|(line, text)| Some((line, own(text)?))).collect()
}

fn pieces_with_lines(text: &str) -> Vec<(usize, &str)> {
    let (mut line, mut at) = (1, 0);
    let with_line = |own: Range<usize>| {
        line += line_ends(&text[at..own.start]);
        at = own.start;
        (line, &text[own])
    };
    pieces(text).into_iter().map(with_line).collect()
}

fn unescaped(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |whole, line| whole + line.trim_start()).replace("\\n", "\n").replace("\\\"", "\"")
}

/// Returns `text` with comments and strings blanked; line ends stay.
pub fn without_comments_and_strings(text: &str) -> String {
    let (mut code, mut at) = (String::with_capacity(text.len()), 0);
    for own in pieces(text) {
        code.push_str(&text[at..own.start]);
        code.push_str(&"\n".repeat(line_ends(&text[own.clone()])));
        code.push(' ');
        at = own.end;
    }
    code + &text[at..]
}

fn pieces(text: &str) -> Vec<Range<usize>> {
    let (bytes, mut found, mut at) = (text.as_bytes(), Vec::new(), 0);
    while let Some(next) = memchr::memchr3(b'"', b'\'', b'/', &bytes[at..]).map(|next| at + next) {
        let own = match bytes[next] {
            b'/' => comment(&text[next..]).map(|length| next..next + length),
            _ => literal(text, at, next),
        };
        at = own.as_ref().map_or(next + 1, |own| own.end);
        found.extend(own);
    }
    found
}

fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    for at in 0..text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 2);
        }
    }
    Some(text.len())
}

/// Returns the literal whose quote is at `quote`, with the letters before it that belong to it, from `from` on.
fn literal(text: &str, from: usize, quote: usize) -> Option<Range<usize>> {
    let before = &text[from..quote];
    let body = &text[quote..];
    let opening = before.trim_end_matches('#');
    let is_name = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let prefix = ["br", "r", "b"].into_iter().find(|own| opening.ends_with(own));
    let prefix = prefix.filter(|own| !is_name(&opening[..opening.len() - own.len()])).unwrap_or_default();
    let start = from + opening.len() - prefix.len();
    if body.starts_with('"') && prefix.ends_with('r') {
        let end = format!("\"{}", "#".repeat(before.len() - opening.len()));
        return Some(start..quote + 1 + body[1..].find(&end)? + end.len());
    }
    let length = match body.chars().next()? {
        '"' => quoted(body, b'"')?,
        // A lifetime has no closing quote after one character.
        _ if body[1..].starts_with('\\') => quoted(body, b'\'')?,
        _ => {
            let end = 1 + body[1..].chars().next()?.len_utf8();
            body[end..].starts_with('\'').then_some(end + 1)?
        }
    };
    Some(quote - if before.ends_with(prefix) { prefix.len() } else { 0 }..quote + length)
}

/// Returns the length of a quoted literal with escapes, including the quotes.
fn quoted(text: &str, quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'\\', quote, text.as_bytes().get(at..)?)?;
        if text.as_bytes()[at] == quote {
            return Some(at + 1);
        }
        at += 2;
    }
}
