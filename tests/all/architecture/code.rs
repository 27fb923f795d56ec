//! Reads Rust code for the rules: its imports, and the code without comments, strings and tests.

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
            let line = code[..at].matches('\n').count() + 1;
            found.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
    }
    found.sort();
    found
}

/// Returns the first name of a path, or of each path of a braced group.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![name_at(path)] };
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name_at(group[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name_at(group[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn name_at(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// True if `word` is in `line` without a letter before or after it.
pub fn has_word(line: &str, word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joined_before = word.starts_with(letter) && before.is_some_and(letter);
        let joined_after = word.ends_with(letter) && after.is_some_and(letter);
        !joined_before && !joined_after
    })
}

/// Returns `text` with comments, strings and `#[cfg(test)]` items blanked; line ends stay.
pub fn code_of(text: &str) -> String {
    let mut code = without_comments_and_strings(text);
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = end_of_item(&code, start + "#[cfg(test)]".len());
        let blank: String = code[start..end].chars().filter(|c| *c == '\n').collect();
        code.replace_range(start..end, &blank);
    }
    code
}

/// Returns the end of the item that starts at `from`: after its closing brace, or its semicolon.
fn end_of_item(code: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == '}' || c == ';') {
            return from + at + 1;
        }
    }
    code.len()
}

/// Returns the strings before the tests, with escapes resolved, with their lines.
pub fn strings_of(text: &str) -> Vec<(usize, String)> {
    let text = text.split_once("#[cfg(test)]\nmod ").map_or(text, |(own, _)| own);
    let mut strings = Vec::new();
    let (mut rest, mut line, mut before) = (text, 1, None);
    while let Some(c) = rest.chars().next() {
        let is_string = !rest.starts_with('\'') && !rest.starts_with("//");
        let length = comment(rest).or_else(|| literal(rest, before));
        let own = &rest[..length.unwrap_or(c.len_utf8())];
        if length.is_some() && is_string {
            strings.push((line, unescaped(own.trim_matches(|c| "rb#".contains(c)).trim_matches('"'))));
        }
        line += own.matches('\n').count();
        (rest, before) = (&rest[own.len()..], Some(c));
    }
    strings
}

/// Returns the comments, with their lines.
pub fn comments_of(text: &str) -> Vec<(usize, String)> {
    let mut comments = Vec::new();
    let (mut rest, mut line, mut before) = (text, 1, None);
    while let Some(c) = rest.chars().next() {
        let length = comment(rest).or_else(|| literal(rest, before));
        let own = &rest[..length.unwrap_or(c.len_utf8())];
        if let Some(comment) = own.strip_prefix("//") {
            comments.push((line, comment.trim_start_matches(['/', '!']).trim().to_owned()));
        }
        line += own.matches('\n').count();
        (rest, before) = (&rest[own.len()..], Some(c));
    }
    comments
}

fn unescaped(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |whole, line| whole + line.trim_start()).replace("\\n", "\n").replace("\\\"", "\"")
}

/// Returns `text` with comments and strings blanked; line ends stay.
pub fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| literal(rest, code.chars().next_back()));
        match skipped {
            Some(length) => {
                code.extend(rest[..length].chars().filter(|c| *c == '\n'));
                code.push(' ');
                rest = &rest[length..];
            }
            None => {
                code.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    code
}

fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
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

fn literal(text: &str, before: Option<char>) -> Option<usize> {
    let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let start = text.char_indices().take(3).find(|(_, c)| ['"', '\'', '#'].contains(c));
    let prefix = start.filter(|_| !in_name).map_or("", |(at, _)| &text[..at]);
    let body = &text[prefix.len()..];
    if ["r", "br"].contains(&prefix) {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let inner = body[hashes..].strip_prefix('"')?;
        let end = inner.find(&format!("\"{}", "#".repeat(hashes)))?;
        return Some(prefix.len() + hashes + 1 + end + 1 + hashes);
    }
    if !["", "b"].contains(&prefix) {
        return None;
    }
    match body.chars().next()? {
        '"' => Some(prefix.len() + quoted(body, '"')?),
        // A lifetime has no closing quote after one character.
        '\'' if body[1..].starts_with('\\') => Some(prefix.len() + quoted(body, '\'')?),
        '\'' => {
            let c = body[1..].chars().next()?;
            let end = 1 + c.len_utf8();
            body[end..].starts_with('\'').then_some(prefix.len() + end + 1)
        }
        _ => None,
    }
}

/// Returns the length of a quoted literal with escapes, including the quotes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}
