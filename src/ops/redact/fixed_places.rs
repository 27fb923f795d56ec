//! Refuses values in places that are no content: ids, references, times, words of the format, names of files.

use std::borrow::Cow;

use super::text_places::is_beside;
use super::{ValuePlace, note_fields, refused};
use crate::check::secrets::{FieldContent, content_of};
use crate::format::Format;
use crate::format::record_form::{FieldKind, FieldSpec};
use crate::format::writing::NameUse;
use crate::model::{Entry, Moment, PathText, Store};
use crate::ops::{Refusal, Result, writes};
use crate::text::json::Json;
use crate::text::json_edit::{Tape, scan};

/// Why a field is no content.
pub(super) const REFERENCE: &str = "names other memories, and can't be redacted";
const NAME: &str = "names the memory, and can't be redacted";
const OWN: &str = "is an id, a hash or a time of the format, and can't be redacted";
const MOMENT: &str = "is a time, and can't be redacted";
const WORD: &str = "has a word of the format, and can't be redacted";

/// Refuses a record if one of these places is no content.
pub(super) fn check(
    store: &Store,
    entry: &Entry,
    raw: &[u8],
    places: &[ValuePlace],
    now: Moment,
) -> Result<()> {
    let (format, _) = writes(store)?;
    let kind = store.memory(entry).map_or("", |memory| memory.kind());
    let fields = format.form(&store.document(entry).path, kind, raw, now).fields;
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else {
        return note_fields::check(store, entry, raw, places, &fields);
    };
    let mut why = None;
    root.each_string(&mut |path, value| {
        let (start, end) = value.span();
        if places.iter().any(|own| start < own.at.start && own.at.end < end) {
            why = why.take().or_else(|| reason(format, root, (path, value), &fields));
        }
    });
    why.map_or(Ok(()), Err)
}

fn reason(
    format: &dyn Format,
    root: Json<'_>,
    (path, value): (&[Cow<'_, str>], Json<'_>),
    fields: &[FieldSpec],
) -> Option<Refusal> {
    let name = path.join(".");
    let mut names = format.name_places(root).into_iter();
    let own = names.find(|own| own.value.span() == value.span());
    let why = match own.map(|own| own.says) {
        Some(NameUse::Reference(_)) => Some(REFERENCE),
        Some(NameUse::Id | NameUse::Session) => Some(NAME),
        None => fixed(&name, path, fields),
    };
    why.map(|why| refused(&name, why))
}

/// Returns why a field is no content; `None` if it is.
pub(super) fn fixed(name: &str, path: &[Cow<'_, str>], fields: &[FieldSpec]) -> Option<&'static str> {
    let kind = fields.iter().find(|own| own.name == name).map(|own| &own.kind);
    match kind {
        Some(FieldKind::References) => Some(REFERENCE),
        Some(FieldKind::Moment) => Some(MOMENT),
        Some(FieldKind::Fixed(_)) => Some(OWN),
        Some(FieldKind::Word { is_closed: true, .. }) => Some(WORD),
        _ if content_of(path) == FieldContent::Own => Some(OWN),
        _ => None,
    }
}

/// Refuses a record that still has one of the texts: in the name of a field, in a number, or in its file's name.
pub(super) fn check_rest(store: &Store, entry: &Entry, raw: &[u8], texts: &[String]) -> Result<()> {
    let file = store.document(entry).path.to_text();
    if texts.iter().any(|text| file.contains(&**text)) {
        return Err(Refusal::unfit("the name of its file or folder has the value, and can't be redacted."));
    }
    let mut tape = Tape::default();
    let is_left = match scan(&mut tape, raw) {
        Ok(root) => texts.iter().any(|text| is_beside(root, text)),
        Err(_) => texts.iter().any(|text| note_fields::has(raw, text)),
    };
    match is_left {
        true => Err(Refusal::unfit(
            "the name of a field, a number or a text with escapes of its own has the value, and can't be redacted.",
        )),
        false => Ok(()),
    }
}
