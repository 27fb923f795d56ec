//! A file that is one JSON document.

use std::borrow::Cow;

use crate::text::json::{Json, JsonKind};
use crate::text::json_edit;
use crate::text::json_layout::JsonLayout;
use crate::text::json_scanner::{Newlines, ScanResult, Tape};
use crate::text::lines;

/// Returns the bytes of a file without its byte order mark.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(lines::BOM).unwrap_or(bytes)
}

/// Returns the object that fills `body`, or the place and reason of the error.
pub fn whole_object<'a>(tape: &'a mut Tape, body: &'a [u8]) -> Result<Json<'a>, (usize, String)> {
    whole_value(tape, body, JsonKind::Object)
}

/// Edits the object that fills a file; fails if there is none. `edit` gets the bytes after the byte
/// order mark.
pub fn edit_object(bytes: &[u8], edit: impl FnOnce(&[u8], Json<'_>) -> Vec<u8>) -> Result<Vec<u8>, String> {
    let body = without_mark(bytes);
    let mut tape = Tape::default();
    let object = whole_object(&mut tape, body).map_err(|(_, why)| why)?;
    Ok([&bytes[..bytes.len() - body.len()], &edit(body, object)].concat())
}

/// Sets members of the object that fills a file, and leaves out its byte order mark. If there is no object, the members
/// are all.
pub fn set_members(bytes: &[u8], members: &[(&str, String)]) -> Vec<u8> {
    // A second mark is no part of an object: only one is left out.
    let set = |body: &[u8]| {
        let mut tape = Tape::default();
        let object = whole_object(&mut tape, body).ok()?;
        Some(json_edit::apply(body, json_edit::put(object, members)))
    };
    set(without_mark(bytes)).or_else(|| set(b"{}")).unwrap_or_default()
}

/// Returns the members of an object by name; of doubled ones the last, which every parser reads.
pub fn named_members(object: Json<'_>) -> impl Iterator<Item = (Cow<'_, str>, Json<'_>)> {
    object.members().filter_map(move |(key, value)| {
        let name = key.text().unwrap_or_default();
        let is_last = object.get(&name).is_some_and(|last| last.span() == value.span());
        is_last.then_some((name, value))
    })
}

/// Returns the object that fills a file, which may have a byte order mark, or the reason why there is none.
pub fn object_of<'a>(tape: &'a mut Tape, bytes: &'a [u8]) -> Result<Json<'a>, String> {
    whole_object(tape, without_mark(bytes)).map_err(|(_, why)| why)
}

/// Calls `take` with the object that fills a file; `None` if there is none.
pub fn with_object<T>(bytes: &[u8], take: impl FnOnce(Json<'_>) -> T) -> Option<T> {
    object_of(&mut Tape::default(), bytes).ok().map(take)
}

/// Calls `take` with a document's object and layout; without an object if the document can't be read.
pub fn with_layout<T>(bytes: Option<&[u8]>, take: impl FnOnce(Option<Json<'_>>, JsonLayout) -> T) -> T {
    let mut tape = Tape::default();
    let bytes = bytes.unwrap_or_default();
    match object_of(&mut tape, bytes) {
        Ok(object) => take(Some(object), JsonLayout::of(bytes, object)),
        Err(_) => take(None, JsonLayout::default()),
    }
}

/// Returns the value of this kind that fills `body`, or the place and reason of the error.
pub fn whole_value<'a>(
    tape: &'a mut Tape,
    body: &'a [u8],
    kind: JsonKind,
) -> Result<Json<'a>, (usize, String)> {
    if let Err(error) = std::str::from_utf8(body) {
        return Err((error.valid_up_to(), "The file is not UTF-8.".into()));
    }
    let what = if kind == JsonKind::Object { "object" } else { "value" };
    let end = match tape.scan(body, Newlines::Refused) {
        ScanResult::Whole { end, .. } => end,
        ScanResult::Incomplete if body.iter().all(u8::is_ascii_whitespace) => {
            return Err((0, "The file is empty.".into()));
        }
        ScanResult::Incomplete => return Err((body.len(), format!("The file ends before its {what} does."))),
        ScanResult::Bad(at) => return Err((at, "The file is not JSON.".into())),
    };
    if !body[end..].iter().all(u8::is_ascii_whitespace) {
        return Err((end, format!("Something follows the file's {what}.")));
    }
    let value = Json::of(body, tape);
    if value.kind() == kind {
        return Ok(value);
    }
    let found = value.kind().as_str();
    Err((0, format!("The file should hold {} and holds {found}.", kind.as_str())))
}
