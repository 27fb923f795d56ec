//! Members set within the bytes of an object, and objects made anew.

use super::Refused;
use crate::format::reading::{whole_object, without_mark};
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// Bytes that take the place of others.
pub struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Calls `edits` with the object that is all of `bytes`, and returns `bytes` with what it
/// returns done to them. Every other byte stays.
pub fn splice(
    bytes: &[u8],
    what: &'static str,
    edits: impl FnOnce(Json<'_>) -> Vec<Edit>,
) -> Result<Vec<u8>, Refused> {
    let body = without_mark(bytes);
    let mark = bytes.get(..bytes.len() - body.len()).unwrap_or_default();
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, body).map_err(|(_, why)| Refused::Unreadable { what, why })?;
    let mut edits = edits(object);
    edits.sort_by_key(|edit| edit.start);
    let mut out = mark.to_vec();
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(body.get(at..edit.start).unwrap_or_default());
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.end;
    }
    out.extend_from_slice(body.get(at..).unwrap_or_default());
    Ok(out)
}

/// The edits that give an object these members, as (name, JSON). A value that is there is
/// replaced in place; what is missing follows the last member, spaced as that one is.
pub fn set(object: Json<'_>, members: &[(&str, String)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut missing = Vec::new();
    for (name, text) in members {
        match object.get(name) {
            Some(value) => edits.push(replace(value, text.clone())),
            None => missing.push((*name, text.as_str())),
        }
    }
    edits.extend(append(object, &missing));
    edits
}

/// The edit that puts `text` in the place of a value.
pub fn replace(value: Json<'_>, text: String) -> Edit {
    let (start, end) = value.span();
    Edit { start, end, text }
}

fn append(object: Json<'_>, members: &[(&str, &str)]) -> Option<Edit> {
    let (start, end) = object.span();
    let there: Vec<(Json<'_>, Json<'_>)> = object.members().collect();
    // The white space before the last member, and what is between its name and value.
    let (mut at, mut gap, mut colon) = (start + 1, String::new(), String::from(":"));
    if let Some((key, value)) = there.last() {
        let previous = there.len().checked_sub(2).and_then(|at| there.get(at));
        let from = previous.map_or(start + 1, |(_, value)| value.span().1);
        let within = |from: usize, to: usize| {
            let bytes = object.raw().get(from - start..to - start).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        gap = within(from, key.span().0).replace(',', "");
        colon = within(key.span().1, value.span().0);
        at = value.span().1;
    }
    if members.is_empty() || at >= end {
        return None;
    }
    let mut text = String::new();
    for (index, (name, value)) in members.iter().enumerate() {
        let comma = if index > 0 || !there.is_empty() { "," } else { "" };
        text += &format!("{comma}{gap}{}{colon}{value}", quote(name));
    }
    Some(Edit { start: at, end: at, text })
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Texts as a JSON array on one line.
pub fn quote_all<T: AsRef<str>>(texts: &[T]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quote(text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

/// An object over several lines, as the specification prints its samples.
pub fn pretty(members: &[(&str, String)], depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let lines: Vec<String> =
        members.iter().map(|(name, value)| format!("{indent}{}: {value}", quote(name))).collect();
    format!("{{\n{}\n{}}}", lines.join(",\n"), "  ".repeat(depth))
}

/// A value's bytes without white space between its tokens, so that it fits on one line.
pub fn on_one_line(value: Json<'_>) -> String {
    if !matches!(value.kind(), Kind::Object | Kind::Array) {
        return String::from_utf8_lossy(value.raw()).into_owned();
    }
    let (mut quoted, mut escaped) = (false, false);
    let kept = value.raw().iter().copied().filter(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        quoted || !byte.is_ascii_whitespace()
    });
    String::from_utf8_lossy(&kept.collect::<Vec<u8>>()).into_owned()
}
