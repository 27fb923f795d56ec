//! JSON5, as people write settings: comments, names without quotes, strings in single quotes, a comma at the end.

use serde_json::Value;

/// Returns the value of a text; `None` if it can't be read.
pub fn value(text: &str) -> Option<Value> {
    serde_json::from_str(&as_json(text)).ok()
}

/// Returns a text as JSON. What is no JSON5 either stays wrong.
fn as_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' | '\'' => string(rest, c, &mut out),
            c if is_in_word(c) => word(rest, &mut out),
            c => {
                if matches!(c, ']' | '}') {
                    let all = out.trim_end();
                    out.truncate(all.strip_suffix(',').unwrap_or(all).len());
                }
                // JSON knows fewer spaces.
                out.push(if c.is_whitespace() { ' ' } else { c });
                c.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    out
}

/// Writes the name or the value at the start of a text, and returns its length.
fn word(text: &str, out: &mut String) -> usize {
    let len = text.find(|c| !is_in_word(c)).unwrap_or(text.len());
    match text[len..].trim_start().starts_with(':') {
        true => out.push_str(&Value::from(&text[..len]).to_string()),
        false => out.push_str(text[..len].trim_start_matches('+')),
    }
    len
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '+' | '-' | '.')
}

/// Writes the string at the start of a text in double quotes, and returns its length.
fn string(text: &str, quote: char, out: &mut String) -> usize {
    let mut signs = text.char_indices().skip(1);
    out.push('"');
    while let Some((at, c)) = signs.next() {
        match c {
            c if c == quote => {
                out.push('"');
                return at + 1;
            }
            '\\' => match signs.next().map(|(_, next)| next) {
                Some(next @ ('u' | 'b' | 'f' | 'n' | 'r' | 't' | '\\' | '"')) => out.extend([c, next]),
                // The string goes on in the next line.
                Some('\n' | '\r') | None => {}
                Some(next) => out.push(next),
            },
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_in_settings_is_read() {
        let text = "\u{feff}// settings\n{\n  agents: { defaults: { most: 120, 'a b': 'it\\'s \"x\" // no', }, },\n  \
                    /* more */ \"list\": [1, +2.5, 1e3, true, null,], path: 'C:\\\\a\\\n/b', $x-y: -7\n}\n";
        let own = value(text).unwrap();
        assert_eq!(own["agents"]["defaults"]["most"], 120);
        assert_eq!(own["agents"]["defaults"]["a b"], "it's \"x\" // no");
        assert_eq!(own["list"], serde_json::json!([1, 2.5, 1000.0, true, null]));
        assert_eq!((&own["path"], &own["$x-y"]), (&"C:\\a/b".into(), &(-7).into()));
    }

    #[test]
    fn what_is_not_complete_is_no_value() {
        for text in ["", "{", "{a: 'b}", "{a: b}", "/* {}", "{a: 1 b: 2}", "[1,,2]", "{a: \"\\"] {
            assert!(value(text).is_none(), "{text:?}");
        }
    }
}
