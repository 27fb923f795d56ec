//! A record as it is stored: the lines that it is on, and whether it holds a secret.

use crate::model::{Body, Document, Entry, Record, Span, Store};
use crate::text::{lines, secrets};

/// The whole lines that a record of a log is on, without their last line end and without the
/// file's byte order mark; the record itself in any other file.
pub fn lines_of(document: &Document, record: &Record) -> Span {
    let name = document.path.as_os_str().as_encoded_bytes();
    if !(name.ends_with(b".jsonl") || name.ends_with(b".jsonl.gz")) {
        return record.span;
    }
    let offset = document.offset;
    let own = |place: u64| place.saturating_sub(offset) as usize;
    let range = lines::around(&document.bytes, own(record.span.start)..own(record.span.end), offset == 0);
    Span { start: range.start as u64 + offset, end: range.end as u64 + offset }
}

/// Whether the text of an entry holds what looks like a token or a private key.
pub fn is_sensitive(store: &Store, entry: &Entry) -> bool {
    let look = || secrets::is_sensitive(store.raw(entry));
    match &store.record(entry).body {
        Body::Read(packed) => packed.is_sensitive(look),
        Body::Broken => look(),
    }
}
