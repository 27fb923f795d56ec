//! Writes scalars so that every YAML reader reads the same text.

use crate::text::front_matter::quoted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes, if that can be read back.
    Plain,
    /// In `'`, if that can be read back.
    Single,
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarPlace {
    Line,
    Brackets,
}

/// Words that YAML 1.1 or 1.2 does not read as text.
const WORDS: [&str; 12] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "=", "<<"];

pub fn style(raw: &str) -> ScalarStyle {
    match raw.chars().next() {
        Some('"') => ScalarStyle::Double,
        Some('\'') => ScalarStyle::Single,
        _ => ScalarStyle::Plain,
    }
}

/// Returns the scalar in that style, or in double quotes if that style is not possible.
pub fn written(text: &str, style: ScalarStyle, place: ScalarPlace) -> String {
    let in_brackets = place == ScalarPlace::Brackets;
    match style {
        ScalarStyle::Plain if is_plain(text, place) && !is_typed(text) => text.to_owned(),
        ScalarStyle::Single if !(text.chars().any(needs_escape) || in_brackets && text.contains('\'')) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => in_double_quotes(text, in_brackets),
    }
}

/// Returns the scalar that replaces another. A number or a boolean may replace one without quotes.
pub fn in_place_of(text: &str, old: &str) -> String {
    let is_null = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "" | "null" | "~");
    let is_alike = style(old) == ScalarStyle::Plain && is_typed(old) && !is_null(text) && !is_null(old);
    if is_alike && is_typed(text) && is_plain(text, ScalarPlace::Line) {
        return text.to_owned();
    }
    written(text, style(old), ScalarPlace::Line)
}

/// Returns the number of bytes of the scalar at the start of the line, without a comment.
pub fn length(line: &str) -> usize {
    let Some(quote) = line.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return line.find(" #").map_or(line, |at| line.get(..at).unwrap_or(line)).trim_end().len();
    };
    quoted(line, quote).1
}

fn is_plain(text: &str, place: ScalarPlace) -> bool {
    let starts = text.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`.".contains(c));
    let in_brackets = place == ScalarPlace::Brackets && text.contains([',', '[', ']', '{', '}', '?']);
    let as_mark = text.contains(": ") || text.ends_with(':') || text.contains(" #");
    let whole = !text.is_empty() && text.trim() == text && !text.chars().any(needs_escape);
    whole && !starts && !in_brackets && !as_mark
}

/// True if a YAML reader may read it as a number, a boolean or null.
fn is_typed(text: &str) -> bool {
    let bare = text.replace('_', "");
    let digits = bare.trim_start_matches(['-', '+']);
    let starts = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = starts
        && (digits.parse::<f64>().is_ok()
            || digits.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'))
            || ["0x", "0o", "0b"].iter().any(|mark| digits.starts_with(mark))
            || matches!(digits.to_ascii_lowercase().as_str(), ".inf" | ".nan"));
    is_number || WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// True if the character can't be on a line as it is: controls, other line ends, byte order marks.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Puts a text in double quotes. In brackets a quote is written as `\x22`: readers look for the end of a list
/// with less care than for the end of a scalar.
fn in_double_quotes(text: &str, in_brackets: bool) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' if in_brackets => out.push_str("\\x22"),
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns the lines of a block scalar with another text, if a block can have that text.
pub fn block(header: &str, below: &[&str], text: &str, end: &str) -> Option<String> {
    let is_usual = matches!(header, "|" | "|-" | ">" | ">-");
    let lines: Vec<&str> = text.split('\n').collect();
    let fits = |line: &&str| !line.is_empty() && line.trim_end() == *line && !line.chars().any(needs_escape);
    let starts = text.starts_with(char::is_whitespace);
    if !is_usual || starts || !lines.iter().all(fits) || header.starts_with('>') && lines.len() > 1 {
        return None;
    }
    let first = below.iter().find(|line| !line.trim().is_empty())?;
    let indent = first.get(..first.len() - first.trim_start().len())?;
    Some(lines.iter().map(|line| format!("{indent}{line}{end}")).collect())
}
