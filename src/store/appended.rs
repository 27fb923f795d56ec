//! A store that was read, with a line that was added to one of its logs since: it is not read again.

use std::sync::Arc;

use crate::format::Format;
use crate::model::{Body, Document, Entry, Generation, Moment, Record, Span, State, Store};

/// Adds a line that ends the log now to what was read of it. False where the store has to be read again to
/// tell what came of it; nothing is changed then.
pub fn add(
    store: &mut Store,
    (format, number): (&dyn Format, usize),
    (line, generation): (&[u8], Generation),
    now: Moment,
) -> bool {
    let Some(record) = added(&store.documents[number], format, line, (generation, now)) else { return false };
    let Some(document) = Arc::get_mut(&mut store.documents[number]) else { return false };
    let (at, of) = (number as u32, document.records.len() as u32);
    let [first, behind] = [at, at + 1].map(|next| store.entries.partition_point(|own| own.document < next));
    // Of a log of copies none is listed.
    let session = match behind - first {
        0 => None,
        all if all == document.records.len() => Some(store.entries[first].session),
        _ => return false,
    };
    document.bytes.extend(line);
    document.records.push(record);
    (document.len, document.generation) = (generation.len, generation);
    document.digests = Default::default();
    if let Some(session) = session {
        store.entries.insert(behind, Entry { document: at, record: of, session, state: State::Live });
        store.facts.iter_mut().filter(|own| own.0 >= behind as u32).for_each(|own| own.0 += 1);
    }
    store.bytes += line.len() as u64;
    store.modified = store.modified.max(Some(Moment((generation.modified / 1000) as i64)));
    if let Some(own) = session.flatten().and_then(|at| store.sessions.get_mut(at as usize)) {
        own.size += line.len() as u64;
    }
    true
}

/// The record of a line behind what was read of a log, if it surely is one that counts.
fn added(
    document: &Document,
    format: &dyn Format,
    line: &[u8],
    (generation, now): (Generation, Moment),
) -> Option<Record> {
    let last = document.records.last()?;
    let is_held = document.on_demand.is_none() && document.is_held() && !document.bytes.is_of_a_file();
    let is_last = last.span.end + 1 == document.len && document.bytes.last() == Some(&b'\n');
    let was = document.generation;
    let has_grown = generation.len == was.len + line.len() as u64;
    let is_same = (was.device, was.inode) == (generation.device, generation.inode);
    if !(is_held && is_last && has_grown && is_same) {
        return None;
    }
    let mut read = format.read(document.role, &document.path, line, now);
    let record = read.records.pop().filter(|_| read.records.is_empty() && read.problems.is_empty())?;
    let counts = matches!(&record.body, Body::Read(own) if !own.view().archived);
    let span = Span { start: record.span.start + was.len, end: record.span.end + was.len };
    counts.then(|| Record { span, line: last.line + last.lines, ..record })
}
