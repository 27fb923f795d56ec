//! Makes several entries into one: their texts follow each other in lines of their own.

use super::merge::Said;
use super::parts::{removal, whole_entries};
use super::text_form::{end_of, entry_text, with_ends};
use crate::format::markdown::entry_file;
use crate::format::markdown::family::Family;
use crate::format::notes::edit::text_of;
use crate::format::writing::{ChangesResult, MergedText, WriteContext};
use crate::model::{Change, Entry, Span};

/// Returns the changes that make `entries` a part of `into`.
pub fn merged(
    family: &'static Family,
    context: &WriteContext<'_>,
    (entries, into): (&[Entry], &Entry),
    which: MergedText,
) -> ChangesResult {
    let store = context.store;
    let (target, stays) = (store.document(into), store.record(into).span.range());
    let text = text_of(target)?;
    whole_entries(&target.path, text)?;
    let before = text.get(stays.clone()).filter(|_| which != MergedText::OfOthers).unwrap_or_default();
    let (mut whole, mut said) = (before.to_owned(), Said::default());
    said.add("", before);
    for entry in entries.iter().filter(|_| which != MergedText::OfTarget) {
        let part = said.add("", String::from_utf8_lossy(&store.raw(entry)).trim());
        whole = format!("{whole}\n{}", part.trim()).trim().to_owned();
    }
    let whole = with_ends(&entry_text(&whole)?, end_of(text));
    let spans = |document: u32| -> Vec<Span> {
        let gone = entries.iter().filter(|entry| entry.document == document);
        gone.map(|entry| store.record(entry).span).collect()
    };
    let gone: Vec<usize> = spans(into.document).iter().map(|span| span.range().start).collect();
    let is_changed = |place: &std::ops::Range<usize>| gone.contains(&place.start) || *place == stays;
    // One edit from the first entry that changes to the last: its undo data has whole entries.
    let all = entry_file::entries(text);
    let first = all.iter().position(is_changed).unwrap_or_default();
    let last = all.iter().rposition(is_changed).unwrap_or_default();
    let part = all.get(first..=last).unwrap_or_default();
    let kept = part.iter().filter(|place| !gone.contains(&place.start));
    let texts = kept.map(|place| if *place == stays { whole.as_str() } else { &text[place.clone()] });
    let new = entry_file::joined(texts, entry_file::delimiter_of(text));
    let place = part.first().map_or(0, |first| first.start)..part.last().map_or(0, |last| last.end);
    let mut changes =
        vec![Change::edits(&target.path, target.bytes.clone(), vec![(place, new.into_bytes())])];
    for (number, document) in (0..).zip(&store.documents).filter(|(number, _)| *number != into.document) {
        let spans = spans(number);
        if !spans.is_empty() {
            changes.push(removal(family, document, &spans)?);
        }
    }
    Ok(changes)
}
