//! Edits of the text of a note. Every byte outside the changed field or body stays.
//!
//! A field is changed in place, in its style. If it is uncertain what belongs to the field, the edit is
//! refused: a wrong splice would make two faults of one. An edit is also refused if the result does not read
//! back as intended.

use std::borrow::Cow;
use std::ops::Range;

use super::{Note, OPEN_BRACKET, YamlField, YamlValue, flow_end, flow_fault};
use crate::text::lines::{self, BOM};
use crate::text::part_range::part_range;

mod lists;
mod scalars;

use scalars::{ScalarPlace, ScalarStyle};

/// The new value of a field.
#[derive(Clone, Copy, Debug)]
pub enum NewYamlValue<'a> {
    /// A scalar.
    Text(&'a str),
    /// A list of scalars.
    List(&'a [String]),
}

impl NewYamlValue<'_> {
    fn is(&self, value: &YamlValue<'_>) -> bool {
        match (self, value) {
            (NewYamlValue::Text(new), YamlValue::Text(old)) => new == old,
            (NewYamlValue::List(new), YamlValue::List(old)) => new.iter().eq(old.iter()),
            _ => false,
        }
    }
}

/// The reason why a field is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditRefused {
    /// The front matter has a fault on a line, from 1, so that the end of the field is a guess.
    #[error("line {0} of the front matter has to be repaired first: {1}")]
    Faulty(u32, String),
    /// The field exists more than once.
    #[error("`{0}` is in the front matter more than once; remove one by hand first")]
    Doubled(String),
    /// The field has more than a scalar or a list of scalars.
    #[error("`{0}` holds more than a text or a list of texts; it can only be edited by hand")]
    Nested(String),
    /// No field can have that name.
    #[error("{0:?} can't be the name of a field")]
    BadName(String),
    /// The result could not be read back.
    #[error("`{0}` can't be written so that it reads back the same")]
    Unwritable(String),
}

/// Returns the note with that field set. An existing field keeps its place, style and comment. A new one becomes the
/// last line of the front matter. A note without front matter gets one. Fails if it is a guess what belongs to the
/// field: see [`EditRefused`].
pub fn set(text: &str, name: &str, value: NewYamlValue<'_>) -> Result<String, EditRefused> {
    let note = Note::read(text);
    let field = find(&note, text, name)?;
    let out = match field {
        Some(field) if value.is(&field.value) && fault_at(&note, field.line).is_none() => {
            return Ok(text.to_owned());
        }
        Some(field) => splice(text, &field.span, &changed(text, field, value)?),
        None => add(text, &note, name, value)?,
    };
    let read = Note::read(&out);
    let count = note.fields.len() + usize::from(field.is_none());
    let is_set = read.field(name).is_some_and(|field| value.is(&field.value));
    let is_whole = read.fields.len() == count && out.get(read.body.clone()) == text.get(note.body.clone());
    if is_set && is_whole { Ok(out) } else { Err(EditRefused::Unwritable(name.to_owned())) }
}

/// Like [`set`], for a field that programs read as a line: text after ` #` goes with the old value. Fails as in
/// [`set`].
pub fn set_line(text: &str, name: &str, value: NewYamlValue<'_>) -> Result<String, EditRefused> {
    let note = Note::read(text);
    let written = note.field(name).and_then(YamlField::text_with_hash);
    let quoted = written.map(|own| {
        let new = scalars::written(own, ScalarStyle::Double, ScalarPlace::Line);
        splice(text, &part_range(text, own), &new)
    });
    set(quoted.as_deref().unwrap_or(text), name, value)
}

/// Returns the note without that field, or the same note if it has none. Fails as in [`set`].
pub fn remove(text: &str, name: &str) -> Result<String, EditRefused> {
    let note = Note::read(text);
    let field = find(&note, text, name)?;
    Ok(field.map_or_else(|| text.to_owned(), |field| splice(text, &field.span, "")))
}

/// Returns the note with that text below its front matter. If the text would be read as front matter, the
/// note gets an empty one before it.
pub fn set_body(text: &str, body: &str) -> String {
    let note = Note::read(text);
    let head = text.get(..note.body.start).unwrap_or_default();
    let end = line_end(text);
    let closes = note.body.start > BOM.len() && !head.ends_with('\n') && !body.is_empty();
    let out = format!("{head}{}{body}", if closes { end } else { "" });
    if out.get(Note::read(&out).body).is_some_and(|own| own == body) {
        return out;
    }
    format!("{head}---{end}---{end}{body}")
}

fn splice(text: &str, span: &Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..span.start), text.get(span.end..));
    [before.unwrap_or_default(), new, after.unwrap_or_default()].concat()
}

/// Returns the line end of the first line of the note.
pub fn line_end(text: &str) -> &'static str {
    let is_crlf = lines::line_at(text.as_bytes(), 0).is_some_and(|line| line.next == line.end + 2);
    if is_crlf { "\r\n" } else { "\n" }
}

fn fault_at<'n>(note: &'n Note<'_>, line: u32) -> Option<&'n str> {
    note.faults.iter().find(|(at, _)| *at == line).map(|(_, why)| why.as_str())
}

/// Returns the field of that name, if it exists. Refuses it if it is uncertain what belongs to it.
fn find<'n, 'a>(
    note: &'n Note<'a>,
    text: &str,
    name: &str,
) -> Result<Option<&'n YamlField<'a>>, EditRefused> {
    let faulty = |line: u32, why: &str| Err(EditRefused::Faulty(line, why.to_owned()));
    let field = note.field(name);
    let own_line = field.map_or(0, |field| field.line);
    if note.fields.iter().filter(|field| field.name == name).count() > 1 {
        return Err(EditRefused::Doubled(name.to_owned()));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (line, why) in &note.faults {
        let above = note.fields.partition_point(|field| field.line <= *line).checked_sub(1);
        let above = above.and_then(|above| note.fields.get(above));
        let is_fields = above.is_some_and(|above| above.line == *line);
        // An indented line can only belong to the field above it.
        let is_indented = lines.get((*line as usize).wrapping_sub(1)).is_some_and(|line| is_indented(line));
        let is_elsewhere = is_indented && above.is_some_and(|above| above.line != own_line);
        if !is_fields && !is_elsewhere {
            return faulty(*line, why);
        }
    }
    for own in &note.fields {
        if is_open(&own.value) {
            return faulty(own.line, fault_at(note, own.line).unwrap_or("a bracket is not closed"));
        }
    }
    let Some(field) = field else { return Ok(None) };
    // Something else may depend on an anchor or a tag.
    let parts = parts(text, field);
    let goes_on = matches!(field.value, YamlValue::Text(_)) && !parts.value.starts_with(['|', '>']);
    let is_spread = goes_on && parts.below.iter().any(|line| !is_comment(line));
    let is_plain = !parts.value.starts_with(['&', '!']) && !is_spread;
    if matches!(field.value, YamlValue::Other(_)) || !is_plain {
        return Err(EditRefused::Nested(name.to_owned()));
    }
    match fault_at(note, field.line) {
        // A plain value that should have quotes ends with its line.
        Some(_) if matches!(field.value, YamlValue::Text(Cow::Borrowed(_))) => Ok(Some(field)),
        Some(why) => faulty(field.line, why),
        None => Ok(Some(field)),
    }
}

fn is_indented(line: &str) -> bool {
    let is_item = line.strip_prefix('-').is_some_and(|rest| rest.starts_with([' ', '\n', '\r']));
    line.starts_with([' ', '\t']) || is_item
}

/// True if its quotes or brackets are not closed, so that lines below may belong to it.
fn is_open(value: &YamlValue<'_>) -> bool {
    // The reader returns unclosed quotes as they are written.
    let open = |text: &Cow<'_, str>| matches!(text, Cow::Borrowed(text) if text.starts_with(['"', '\'']));
    match value {
        YamlValue::Text(text) => open(text),
        YamlValue::List(items) => items.iter().any(open),
        YamlValue::Other(raw) => {
            let raw = raw.trim_start();
            raw.starts_with(['[', '{']) && flow_fault(raw) == Some(OPEN_BRACKET)
        }
        YamlValue::Null => false,
    }
}

struct NoteParts<'a> {
    /// Everything up to the colon, with it.
    head: &'a str,
    /// The white space between colon and value.
    gap: &'a str,
    /// The value on the first line, or on several lines if it is in brackets.
    value: &'a str,
    /// The white space, comment and line end after the value.
    tail: &'a str,
    below: Vec<&'a str>,
    end: &'a str,
}

fn parts<'a>(text: &'a str, field: &YamlField<'_>) -> NoteParts<'a> {
    let all = text.get(field.span.clone()).unwrap_or_default();
    let colon = all.find(':').map_or(all.len(), |at| at + 1);
    let (head, rest) = all.split_at(colon);
    let first = lines::line_at(rest.as_bytes(), 0).unwrap_or(lines::LineSpan { start: 0, end: 0, next: 0 });
    let line = rest.get(..first.end).unwrap_or_default();
    let gap = line.len() - line.trim_start().len();
    let length = match (line.trim_start(), &field.value) {
        (value, _) if value.starts_with('#') => 0,
        (value, _) if value.starts_with('[') => {
            let list = rest.get(gap..).unwrap_or_default();
            flow_end(list).unwrap_or(list.len())
        }
        (value, _) => scalars::length(value),
    };
    // A comment keeps the white space before it, and an empty value takes none of it.
    let gap = if length == 0 { 0 } else { gap };
    let from = (gap + length).max(if length == 0 { 0 } else { gap });
    let next = lines::line_at(rest.as_bytes(), from).map_or(rest.len(), |line| line.next);
    NoteParts {
        head,
        gap: rest.get(..gap).unwrap_or_default(),
        value: rest.get(gap..from).unwrap_or_default(),
        tail: rest.get(from..next).unwrap_or_default(),
        below: rest.get(next..).unwrap_or_default().split_inclusive('\n').collect(),
        end: rest.get(first.end..first.next).unwrap_or_default(),
    }
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn changed(text: &str, field: &YamlField<'_>, value: NewYamlValue<'_>) -> Result<String, EditRefused> {
    let parts = parts(text, field);
    let nested = || EditRefused::Nested(field.name.to_owned());
    let is_block_list = parts.value.is_empty() && matches!(field.value, YamlValue::List(_));
    let new = match (value, &field.value) {
        (NewYamlValue::List(new), YamlValue::List(old)) if is_block_list && !new.is_empty() => {
            let below = lists::block(&parts.below, old, new, parts.end).ok_or_else(nested)?;
            return Ok([parts.head, parts.gap, parts.tail, &below].concat());
        }
        (NewYamlValue::List(new), YamlValue::List(old)) if !is_block_list => {
            lists::flow(parts.value, old, new).ok_or_else(nested)?
        }
        (NewYamlValue::List(new), _) => lists::flow("[]", &[], new).ok_or_else(nested)?,
        (NewYamlValue::Text(new), _) if parts.value.starts_with(['|', '>']) => {
            match scalars::block(parts.value, &parts.below, new, parts.end) {
                Some(below) => return Ok([parts.head, parts.gap, parts.value, parts.tail, &below].concat()),
                None => scalars::written(new, ScalarStyle::Double, ScalarPlace::Line),
            }
        }
        (NewYamlValue::Text(new), _) => scalars::in_place_of(new, parts.value),
    };
    let gap = if parts.gap.is_empty() { " " } else { parts.gap };
    let is_scalar_block = parts.value.starts_with(['|', '>']);
    let kept = parts.below.iter().filter(|line| !is_scalar_block && is_comment(line)).copied();
    let below: String = kept.collect();
    Ok([parts.head, gap, &new, parts.tail, &below].concat())
}

fn add(text: &str, note: &Note<'_>, name: &str, value: NewYamlValue<'_>) -> Result<String, EditRefused> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !is_name {
        return Err(EditRefused::BadName(name.to_owned()));
    }
    let end = line_end(text);
    let new = match value {
        NewYamlValue::Text(new) => scalars::written(new, ScalarStyle::Plain, ScalarPlace::Line),
        NewYamlValue::List(new) => lists::flow("[]", &[], new).unwrap_or_default(),
    };
    let line = format!("{name}: {new}{end}");
    if !note.has_front_matter {
        let start = note.body.start;
        return Ok(splice(text, &(start..start), &format!("---{end}{line}---{end}")));
    }
    let mut closing = lines::lines(text.as_bytes()).filter(|line| line.next <= note.body.start);
    let at = closing.by_ref().last().map_or(note.body.start, |line| line.start);
    Ok(splice(text, &(at..at), &line))
}

#[cfg(test)]
mod tests;
