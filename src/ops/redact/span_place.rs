//! Finds the bytes of a line that a user names, in a record.

use std::ops::Range;

use super::redaction::RecordSpan;
use crate::check::secrets::{SensitivePart, before_on_its_line};
use crate::model::{Entry, Store};
use crate::ops::{Refusal, Result};
use crate::text::json::Json;
use crate::text::json_edit::{Tape, scan};
use crate::text::string_places::unescaped;

/// Returns the place of a range of a line, and its text. It counts as `secrets` prints it: from the start of the line
/// in the file, whatever is before the record there.
pub fn place(
    store: &Store,
    entry: &Entry,
    raw: &[u8],
    asked: &RecordSpan,
    found: &[SensitivePart],
) -> Result<(Range<usize>, Vec<u8>)> {
    if store.key(entry) != asked.key {
        return Err(Refusal::new("E_CONCURRENT_MOD", "it has changed since the range was named."));
    }
    let Range { start, end } = asked.span;
    let record = store.record(entry);
    let before = before_on_its_line(store.document(entry), entry.record, record.span.start);
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', raw).map(|at| at + 1)).collect();
    let on_line = |number: usize| -> Option<Range<usize>> {
        let lead = if number == 0 { before } else { 0 };
        let line = *starts.get(number)?;
        let line_end = starts.get(number + 1).map_or(raw.len(), |next| next - 1);
        let at = |place: usize| Some(line + place.checked_sub(lead)?).filter(|at| *at <= line_end);
        Some(at(start)?..at(end)?)
    };
    let at = match asked.line {
        Some(number) => on_line(number as usize),
        None if starts.iter().filter(|at| **at < raw.len()).count() < 2 => on_line(0),
        None => {
            let is_found = |at: &Range<usize>| found.iter().any(|(own, ..)| own == at);
            let mut all = (0..starts.len()).filter_map(on_line).filter(is_found);
            match (all.next(), all.next()) {
                (Some(at), None) => Some(at),
                _ => {
                    return Err(Refusal::invalid(format!(
                        "the memory has several lines, and no detector finds just bytes {start} to {end} of one of them. Name the line, as in --span 8:{start}..{end}."
                    )));
                }
            }
        }
    };
    let refused = |why: &str| Refusal::invalid(format!("bytes {start} to {end} {why}"));
    let at = at.ok_or_else(|| refused("are not in the line of this memory."))?;
    let text = text_at(raw, &at);
    let text = text.ok_or_else(|| refused("cut a character or an escape, or are outside of a text."))?;
    Ok((at, text))
}

/// Returns the text of a range; `None` if it cuts a character or an escape, or is outside of texts.
fn text_at(raw: &[u8], at: &Range<usize>) -> Option<Vec<u8>> {
    let mut tape = Tape::default();
    let Ok(root) = scan(&mut tape, raw) else {
        let text = std::str::from_utf8(raw).ok()?;
        return text.get(at.clone()).map(|own| own.as_bytes().to_vec());
    };
    let mut own = None;
    root.each_string(&mut |_, value| {
        let (start, end) = value.span();
        if start < at.start && at.end < end {
            own = text_in(value, start + 1, at);
        }
    });
    own
}

fn text_in(value: Json<'_>, start: usize, at: &Range<usize>) -> Option<Vec<u8>> {
    let inner = value.quoted()?;
    let (text, places) = unescaped(inner);
    let span = at.start - start..at.end - start;
    let Some(places) = places else {
        return std::str::from_utf8(inner).ok()?.get(span).map(|own| own.as_bytes().to_vec());
    };
    // Each byte of a character has the place where the character starts, so the first one counts.
    let first = |place: usize| places.iter().position(|own| *own == place);
    text.get(first(span.start)?..first(span.end)?).map(<[u8]>::to_vec)
}
