//! Redacts the front matter of notes: it must be read as before, but for the values.

use std::borrow::Cow;
use std::mem::discriminant;

use super::fixed_places::{REFERENCE, fixed};
use super::text_places::inner;
use super::{ValuePlace, refused};
use crate::format::record_form::FieldSpec;
use crate::model::{Entry, Store};
use crate::ops::{Refusal, Result};
use crate::text::front_matter::{Note, YamlField, YamlValue};
use crate::text::json_edit::{JsonSplice, apply};
use crate::text::line_ends;
use crate::text::lines::text_in_place;

/// Refuses a note if one of these places is no content.
pub(super) fn check(
    store: &Store,
    entry: &Entry,
    raw: &[u8],
    places: &[ValuePlace],
    fields: &[FieldSpec],
) -> Result<()> {
    let text = text_in_place(raw);
    let note = Note::read(&text);
    let memory = store.memory(entry);
    let is_relation = |name: &str| memory.is_some_and(|own| own.references().any(|to| to.relation == name));
    for own in places {
        let Some(field) = note.fields.iter().find(|field| field.span.contains(&own.at.start)) else {
            if is_linked(raw, own) {
                return Err(refused("[[link]]", REFERENCE));
            }
            continue;
        };
        let name = Cow::Borrowed(field.name);
        if own.at.start <= field.span.start + field.name.len() {
            return Err(Refusal::unfit("the name of a field has the value, and can't be redacted."));
        }
        let why = fixed(&name, std::slice::from_ref(&name), fields);
        let why = why.or_else(|| is_relation(field.name).then_some(REFERENCE));
        why.map_or(Ok(()), |why| Err(refused(field.name, why)))?;
    }
    Ok(())
}

/// True if a place is in a `[[link]]`.
fn is_linked(raw: &[u8], own: &ValuePlace) -> bool {
    let lead = &raw[..own.at.start];
    let line = &lead[lead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)..];
    let last = |mark: &[u8]| memchr::memmem::rfind(line, mark);
    let is_open = last(b"[[").is_some_and(|open| last(b"]]").is_none_or(|close| close < open));
    let rest = &raw[own.at.end..];
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    is_open && memchr::memmem::find(&rest[..end], b"]]").is_some()
}

/// Returns a text with its values replaced. What would change how the front matter is read is put in quotes.
pub(super) fn spliced(raw: &[u8], places: &[ValuePlace]) -> Result<Vec<u8>> {
    let text = text_in_place(raw);
    let body = Note::read(&text).body;
    let with = |is_quoted: bool| {
        let new = |own: &ValuePlace| match is_quoted && own.at.start < body.start {
            true => format!("\"{}\"", inner(&own.with)),
            false => own.with.clone(),
        };
        apply(raw, places.iter().map(|own| JsonSplice::new(own.at.clone(), new(own))).collect())
    };
    let plain = with(false);
    if is_read_alike(raw, &plain, places) {
        return Ok(plain);
    }
    let quoted = with(true);
    match is_read_alike(raw, &quoted, places) {
        true => Ok(quoted),
        false => Err(Refusal::invalid("its front matter would be read in another way.")),
    }
}

/// True if a note has the same fields after a redaction, but for the values.
fn is_read_alike(before: &[u8], after: &[u8], places: &[ValuePlace]) -> bool {
    let (before, after) = (text_in_place(before), text_in_place(after));
    let (old, new) = (Note::read(&before), Note::read(&after));
    let replaced = |text: &str| {
        places
            .iter()
            .fold(text.to_owned(), |text, own| text.replace(&*String::from_utf8_lossy(&own.value), &own.with))
    };
    let items = |own: &YamlValue<'_>| own.texts().len();
    let is_alike = |(old, new): (&YamlField<'_>, &YamlField<'_>)| {
        let is_own = places.iter().any(|own| old.span.contains(&own.at.start));
        let value = old.value.plain();
        old.name == new.name
            && discriminant(&old.value) == discriminant(&new.value)
            && items(&old.value) == items(&new.value)
            && new.value.plain() == if is_own { replaced(&value) } else { value }
    };
    old.has_front_matter == new.has_front_matter
        && old.fields.len() == new.fields.len()
        && old.faults.len() == new.faults.len()
        && old.fields.iter().zip(&new.fields).all(is_alike)
}

/// True if a note has a text, also with the escapes of YAML.
pub(super) fn has(raw: &[u8], text: &str) -> bool {
    let own = String::from_utf8_lossy(raw);
    let has = |own: &str| line_ends::contains(own.as_bytes(), text.as_bytes());
    has(&own) || Note::read(&own).fields.iter().any(|field| has(&field.value.plain()))
}
