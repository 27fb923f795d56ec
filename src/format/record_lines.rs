//! A record as it is stored: the lines that it is on, and whether it contains a secret.

use std::borrow::Cow;
use std::ops::Range;

use crate::detectors;
use crate::model::{Document, Entry, RecordBody, Span, Store};
use crate::text::lines;

/// Returns a record's complete lines in a log, without the last line end and the byte order mark;
/// in other files the record itself.
pub fn lines_of(document: &Document, record: u32) -> (Span, Cow<'_, [u8]>) {
    let own = document.records[record as usize].span;
    let name = document.path.as_os_str().as_encoded_bytes();
    if !(name.ends_with(b".jsonl") || name.ends_with(b".jsonl.gz")) {
        return without_mark(own, document.bytes_of(own));
    }
    let around = around(document, record);
    let bytes = document.bytes_of(around);
    let at = |place: u64| place.saturating_sub(around.start) as usize;
    let range = lines::around(&bytes, at(own.start)..at(own.end), around.start == 0);
    let span = Span { start: range.start as u64 + around.start, end: range.end as u64 + around.start };
    (span, part(bytes, range))
}

fn part(bytes: Cow<'_, [u8]>, range: Range<usize>) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(range).unwrap_or_default()),
        Cow::Owned(bytes) => Cow::Owned(bytes.get(range).unwrap_or_default().to_vec()),
    }
}

/// Removes the byte order mark from a record that fills its file.
fn without_mark(span: Span, bytes: Cow<'_, [u8]>) -> (Span, Cow<'_, [u8]>) {
    let mark = lines::BOM.len();
    if span.start > 0 || !bytes.starts_with(lines::BOM) {
        return (span, bytes);
    }
    let end = bytes.len();
    (Span { start: mark as u64, ..span }, part(bytes, mark..end))
}

/// Returns the span between the records on the lines before and after a record.
fn around(document: &Document, record: u32) -> Span {
    let (before, rest) = document.records.split_at(record as usize);
    let Some(own) = rest.first() else { return Span { start: 0, end: 0 } };
    let before = before.iter().rev().find(|other| other.line + other.lines <= own.line);
    let behind = rest.iter().find(|other| other.line >= own.line + own.lines);
    Span {
        start: before.map_or(document.offset, |other| other.span.end),
        end: behind.map_or(document.len, |other| other.span.start),
    }
}

/// True if an entry contains what looks like a token or a private key.
pub fn is_sensitive(store: &Store, entry: &Entry) -> bool {
    let look = || detectors::has_secret(&store.raw(entry));
    match &store.record(entry).body {
        RecordBody::Read(memory) => *memory.sensitive.get_or_init(look),
        RecordBody::Torn(_) | RecordBody::Broken => look(),
    }
}
