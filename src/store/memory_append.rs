//! Adds lines to a store in memory after they were added to one of its logs: it is not read again.

use std::sync::Arc;

use crate::format::Format;
use crate::model::{Document, Entry, Generation, Moment, Record, RecordBody, Span, State, Store};

/// Adds the new last lines of a log to what was read of it. False if the store must be read again to
/// know their effect; then nothing is changed.
pub fn add(
    store: &mut Store,
    (format, number): (&dyn Format, usize),
    (lines, generation): (&[u8], Generation),
    now: Moment,
) -> bool {
    let Some(records) = added(&store.documents[number], format, lines, (generation, now)) else {
        return false;
    };
    let Some(document) = Arc::get_mut(&mut store.documents[number]) else { return false };
    let (at, of, count) = (number as u32, document.records.len() as u32, records.len() as u32);
    let [first, behind] = [at, at + 1].map(|next| store.entries.partition_point(|own| own.document < next));
    // A log of copies has no listed entries.
    let session = match behind - first {
        0 => None,
        all if all == document.records.len() => Some(store.entries[first].session),
        _ => return false,
    };
    document.bytes.extend(lines);
    document.records.extend(records);
    (document.len, document.generation) = (generation.len, generation);
    document.digests = Default::default();
    if let Some(session) = session {
        let entry = |record| Entry { document: at, record, session, state: State::Live };
        store.entries.splice(behind..behind, (of..of + count).map(entry));
        store.facts.iter_mut().filter(|own| own.0 >= behind as u32).for_each(|own| own.0 += count);
    }
    store.bytes += lines.len() as u64;
    store.modified = store.modified.max(Some(Moment((generation.modified / 1000) as i64)));
    if let Some(own) = session.flatten().and_then(|at| store.sessions.get_mut(at as usize)) {
        own.size += lines.len() as u64;
    }
    true
}

/// Returns the records of added lines if all of them certainly count.
fn added(
    document: &Document,
    format: &dyn Format,
    lines: &[u8],
    (generation, now): (Generation, Moment),
) -> Option<Vec<Record>> {
    let last = document.records.last()?;
    let is_held = document.is_held();
    let is_last = last.span.end + 1 == document.len && document.bytes.last() == Some(&b'\n');
    let was = document.generation;
    let has_grown = generation.len == was.len + lines.len() as u64;
    let is_same = (was.device, was.inode) == (generation.device, generation.inode);
    if !(is_held && is_last && has_grown && is_same) {
        return None;
    }
    let read = format.read(document.role, &document.path, lines, now);
    let counts = |own: &Record| matches!(&own.body, RecordBody::Read(own) if !own.archived);
    let all_count = read.problems.is_empty() && !read.records.is_empty() && read.records.iter().all(counts);
    let moved = |own: Record| Record {
        span: Span { start: own.span.start + was.len, end: own.span.end + was.len },
        line: last.line + last.lines + own.line - 1,
        ..own
    };
    all_count.then(|| read.records.into_iter().map(moved).collect())
}
