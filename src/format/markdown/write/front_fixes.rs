//! Fixes of front matter that YAML can't read, or that a writer emptied or doubled.

use crate::format::markdown::topic_file;
use crate::format::notes::note_file::stem;
use crate::format::writing::FormatFix;
use crate::model::{Document, Problem};
use crate::text::front_matter::edit::{NewYamlValue, set};
use crate::text::front_matter::{AFTER_QUOTE, BAD_ESCAPE, Note, second};
use crate::text::json_edit::quoted;
use crate::text::lines::LineSpan;
use crate::text::part_range::part_range;

pub const QUOTE: &str = "quote the value";

/// Quotes a value of front matter, or an item of its list. Nothing else changes.
pub fn with_quotes((file, text): (&Document, &str), problem: &Problem, line: &LineSpan) -> Option<FormatFix> {
    let (name, why) = problem.message.strip_prefix('`')?.split_once("`: ")?;
    let written = text.get(line.start..line.end)?;
    let item = written.trim_start().strip_prefix('-').filter(|item| item.starts_with(' '));
    // The white space before the value may be what is wrong.
    let range = part_range(text, item.or_else(|| Some(written.split_once(':')?.1))?.trim_end());
    let new = format!(" {}", quoted(&plain(text[range.clone()].trim_start(), why)));
    let repaired = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
    let is_repaired = !Note::read(&repaired).faults.iter().any(|(line, _)| Some(*line) == problem.line);
    let reason = format!("YAML can't read `{name}` as it is. The text stays as it is.");
    let edits = vec![(range, new.into_bytes())];
    is_repaired.then(|| FormatFix::safe(file, QUOTE, &reason, edits))
}

/// Returns the text of a value with this fault. Quotes around all of it are no part of it.
fn plain(value: &str, why: &str) -> String {
    let (quote, escaped) = if value.starts_with('\'') { ("'", "''") } else { ("\"", "\\\"") };
    let inside = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let inside = inside.unwrap_or_default().replace(escaped, quote);
    // In `"a" and "b"` the quotes at the ends are not of one pair. In `'it's so'` they are.
    let is_pair = inside.split_once(quote).is_some_and(|(before, after)| {
        before.is_empty() || before.ends_with([' ', '(']) || after.starts_with(char::is_alphanumeric)
    });
    match why == BAD_ESCAPE || why == AFTER_QUOTE && is_pair {
        true => inside,
        false => value.to_owned(),
    }
}

/// Makes one front matter of two by what it removes, so that quarantine has it.
pub fn joined_front(file: &Document, text: &str) -> Option<FormatFix> {
    let first = Note::read(text);
    let (start, second) = second(text, &first)?;
    let closing = text[..first.body.start].trim_end().rfind('\n')? + 1;
    let opening = start + text[start..].find('\n')? + 1;
    let doubled = first.fields.iter().filter_map(|field| {
        let other = second.field(field.name)?;
        let is_empty = other.value.plain().is_empty();
        Some(if is_empty { start + other.span.start..start + other.span.end } else { field.span.clone() })
    });
    let gone = doubled.chain(std::iter::once(closing..opening));
    let mut edits: Vec<_> = gone.map(|range| (range, Vec::new())).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let reason = "Of a field that both have, the second's value stays.";
    Some(FormatFix::choice(file, ("make one front matter of both", 80), reason, edits))
}

/// Fills an empty front matter in from the file's name and the first line of its text.
pub fn filled_front(file: &Document, text: &str) -> Option<FormatFix> {
    let body = Note::read(text).body.start;
    let mut lines = text[body..].lines().map(|line| line.trim_start_matches('#').trim());
    let description = lines.find(|line| !line.is_empty())?;
    let name = stem(&file.path);
    let kind = topic_file::type_and_name(&name).map(|(kind, _)| ("type", kind));
    let mut front = text[..body].to_owned();
    for (field, value) in [("name", &*name), ("description", description)].into_iter().chain(kind) {
        front = set(&front, field, NewYamlValue::Text(value)).ok()?;
    }
    let reason = "They are from the file's name and its text: check them.";
    let edits = vec![(0..body, front.into_bytes())];
    Some(FormatFix::choice(file, ("fill in name and description", 60), reason, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_all_of_a_value_are_no_part_of_its_text() {
        for (value, text) in [
            ("'it's fine'", "it's fine"),
            ("'it''s so's'", "it's so's"),
            ("'say 'x' now'", "say 'x' now"),
            ("'a' and 'b'", "'a' and 'b'"),
            ("\"a \"b\" c\"", "a \"b\" c"),
            ("\"a:\\\"b\\\" \"c\"", "a:\"b\" \"c"),
            ("\"a\" and \"b\"", "\"a\" and \"b\""),
            ("\"a\" and", "\"a\" and"),
        ] {
            assert_eq!(plain(value, AFTER_QUOTE), text);
        }
        assert_eq!(plain("\"C:\\work\"", BAD_ESCAPE), "C:\\work");
    }
}
