//! Finds texts in a record, however they are escaped.

use std::ops::Range;

use crate::model::{Entry, Store};
use crate::text::front_matter::Note;
use crate::text::json::Json;
use crate::text::json_edit::{Tape, quoted, scan};
use crate::text::line_ends;
use crate::text::string_places::unescaped;

/// True if a record has a text, in a value or in the name of a field.
pub fn holds(store: &Store, entry: &Entry, text: &str) -> bool {
    let raw = &store.raw(entry);
    let is_there = is_in(raw, text);
    if is_there || !raw.contains(&b'\\') {
        return is_there;
    }
    let mut tape = Tape::default();
    match scan(&mut tape, raw) {
        Ok(root) => {
            let mut found = false;
            root.each_string(&mut |_, value| {
                found |= value.quoted().is_some_and(|inner| is_in(&unescaped(inner).0, text));
            });
            found || is_beside(root, text)
        }
        Err(_) => {
            let own = String::from_utf8_lossy(raw);
            Note::read(&own).fields.iter().any(|field| is_within(&field.value.plain(), text))
        }
    }
}

/// True if the name of a field or a number has a text.
pub fn is_beside(root: Json<'_>, text: &str) -> bool {
    root.each_other().any(|own| is_within(&own.plain(), text))
}

/// Returns the places of texts, and each text. Of two that overlap, the longer one is there.
pub fn places(raw: &[u8], texts: &[String]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else { return found(raw, texts) };
    let mut all = Vec::new();
    root.each_string(&mut |_, value| {
        let Some(inner) = value.quoted().filter(|inner| !inner.is_empty()) else { return };
        let (text, places) = unescaped(inner);
        let start = value.span().0 + 1;
        let at = |place: usize| start + places.as_ref().map_or(place, |all| all[place]);
        let own = found(&text, texts).into_iter();
        all.extend(own.map(|(span, value)| (at(span.start)..at(span.end), value)));
    });
    all
}

/// Returns the text as it is inside a JSON string.
pub fn inner(text: &str) -> String {
    let all = quoted(text);
    all[1..all.len() - 1].to_owned()
}

fn is_within(own: &str, text: &str) -> bool {
    line_ends::contains(own.as_bytes(), text.as_bytes())
}

/// Returns the text as it is inside a JSON string, with each kind of line end.
fn escaped(text: &str) -> Vec<Vec<u8>> {
    let variants = line_ends::variants(text.as_bytes()).into_iter();
    variants.map(|own| inner(&String::from_utf8_lossy(&own)).into_bytes()).collect()
}

/// True if bytes have a text, as it is or as JSON spells it: JSON may be inside a string.
fn is_in(bytes: &[u8], text: &str) -> bool {
    let has = |own: &Vec<u8>| memchr::memmem::find(bytes, own).is_some();
    line_ends::contains(bytes, text.as_bytes()) || escaped(text).iter().any(has)
}

fn found(bytes: &[u8], texts: &[String]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut sorted: Vec<&String> = texts.iter().collect();
    sorted.sort_by_key(|own| std::cmp::Reverse(own.len()));
    let mut all: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    for text in sorted {
        let plain = line_ends::find_all(bytes, text.as_bytes());
        let escaped = escaped(text).into_iter().flat_map(|form| {
            let all: Vec<usize> = memchr::memmem::find_iter(bytes, &form).collect();
            all.into_iter().map(move |at| at..at + form.len())
        });
        for span in plain.into_iter().chain(escaped) {
            if !all.iter().any(|(own, _)| own.start < span.end && span.start < own.end) {
                all.push((span, text.clone().into_bytes()));
            }
        }
    }
    all.sort_by_key(|(span, _)| span.start);
    all
}
