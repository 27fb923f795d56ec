//! Finds the records in bytes by a digest of each. Line ends and the byte order mark don't matter. Equal records remain
//! in a file when a step removes others with the same bytes.

use std::collections::{HashMap, HashSet};

use crate::model::{Act, Bytes, Change, PathText, Span, is_log};
use crate::store::steps::undo_step::EqualRecords;
use crate::text::digest::digest;
use crate::text::json_lines::split;

/// The number of records by digest. It is negative if they were removed.
pub type DigestCounts = HashMap<u64, i64>;

/// A record, or bytes that can't be read as one.
#[derive(Clone, Copy)]
pub struct DigestedRecord {
    pub span: Span,
    pub name: u64,
    /// True if it is a complete record. A torn one can't be identified.
    pub is_record: bool,
}

/// Returns the records in the bytes of a file. A file that is not a log is one record.
pub fn pieces(change: &Change, bytes: &[u8]) -> Vec<DigestedRecord> {
    if !is_log(&change.path) {
        let span = Span { start: 0, end: bytes.len() as u64 };
        return vec![DigestedRecord { span, name: digest(bytes) as u64, is_record: true }];
    }
    let mut pieces = Vec::new();
    split(bytes, &mut |own| {
        let (span, is_record) = (Span { start: own.start as u64, end: own.end as u64 }, own.object.is_some());
        pieces.push(DigestedRecord { span, name: digest(&bytes[own.start..own.end]) as u64, is_record });
    });
    pieces
}

/// Returns the records that `bytes` has beyond `other`. `None` if it lacks one of `other`.
pub fn more(change: &Change, bytes: &[u8], other: &[u8]) -> Option<Vec<DigestedRecord>> {
    let mut common = DigestCounts::new();
    if !other.is_empty() {
        pieces(change, other).iter().for_each(|own| *common.entry(own.name).or_default() += 1);
    }
    let mut more = pieces(change, bytes);
    more.retain(|own| match common.get_mut(&own.name).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            false
        }
        None => true,
    });
    common.values().all(|left| *left == 0).then_some(more)
}

/// Adds `each` to the count of every wanted record in the bytes.
pub fn count(change: &Change, bytes: &[u8], wanted: &HashSet<u64>, each: i64, counts: &mut DigestCounts) {
    for own in pieces(change, bytes).iter().filter(|own| wanted.contains(&own.name)) {
        *counts.entry(own.name).or_default() += each;
    }
}

/// Returns the records that are added if `becomes` replaces `was`. None if a record of `was` is lost.
pub fn comes(change: &Change, becomes: &[u8], was: &[u8]) -> Vec<DigestedRecord> {
    let mut comes =
        if becomes.is_empty() { Vec::new() } else { more(change, becomes, was).unwrap_or_default() };
    comes.retain(|own| own.is_record);
    comes
}

/// Up to this many records are first searched for by their bytes.
const FEW: usize = 8;

/// Counts the records in `after` that are equal to records which `back` restores.
pub fn remaining_equals(back: &Change, after: &Bytes) -> Vec<EqualRecords> {
    let gone = brought(back);
    let mut stayed = DigestCounts::new();
    if !gone.is_empty() {
        count(back, after, &gone, 1, &mut stayed);
    }
    twins_of(back, &stayed)
}

/// True if a log still has as many equal records as the step left. `None` if the step removed none.
pub fn has_same_equals(back: &Change, now: &Bytes, stayed: &[EqualRecords]) -> Option<bool> {
    let path = back.path.to_text();
    let is_left = || remaining_equals(back, now).iter().eq(stayed.iter().filter(|own| own.0 == path));
    (!brought(back).is_empty()).then(is_left)
}

/// Does the same as [`remaining_equals`] for a change that is about to be made. If it removes few
/// records, the file is parsed only if their bytes occur in it once more.
pub fn remaining_equals_of(change: &Change) -> Vec<EqualRecords> {
    let Act::Splice(splices) = &change.act else { return Vec::new() };
    let splices = if is_log(&change.path) { &splices[..] } else { &[] };
    let mut gone: Vec<&[u8]> = Vec::new();
    for own in splices {
        gone.extend(comes(change, &own.was, &own.becomes).iter().map(|piece| bytes_of(&own.was, piece.span)));
    }
    let after = Bytes::spliced(&change.base.clone().unwrap_or_default(), splices.to_vec());
    let is_gone = |own: &&[u8]| {
        let has = |slice: &&[u8]| memchr::memmem::find(slice, own).is_some();
        // No slice ends within a line.
        !own.contains(&b'\n') && after.slices().is_some_and(|slices| !slices.iter().any(has))
    };
    match gone.is_empty() || gone.len() <= FEW && gone.iter().all(is_gone) {
        true => Vec::new(),
        false => remaining_equals(&change.bare_inverse(), &after),
    }
}

pub fn bytes_of(bytes: &[u8], span: Span) -> &[u8] {
    &bytes[span.range()]
}

/// True if a change removes records that are equal to some in the bytes.
pub fn takes_any(change: &Change, bytes: &[u8]) -> bool {
    let gone = brought(&change.bare_inverse());
    pieces(change, bytes).iter().any(|own| gone.contains(&own.name))
}

fn brought(back: &Change) -> HashSet<u64> {
    let Act::Splice(splices) = &back.act else { return HashSet::new() };
    let splices = if is_log(&back.path) { &splices[..] } else { &[] };
    splices.iter().flat_map(|own| comes(back, &own.becomes, &own.was)).map(|own| own.name).collect()
}

pub fn twins_of(change: &Change, counts: &DigestCounts) -> Vec<EqualRecords> {
    let path = change.path.to_text();
    let own = counts.iter().filter(|(_, count)| **count > 0);
    let mut twins: Vec<EqualRecords> =
        own.map(|(name, count)| EqualRecords(path.clone().into_owned(), *name, *count as u64)).collect();
    twins.sort_by_key(|own| own.1);
    twins
}
