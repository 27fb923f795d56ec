//! Equal records: they remain in a file when a step removes others with the same bytes.

use std::collections::HashSet;

use super::record_digests::{DigestCounts, comes, count, pieces};
use crate::model::plan::change::EqualRecords;
use crate::model::{Act, Bytes, Change, PathText, Span, Splice, is_log};

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
    let gone: Vec<&[u8]> = splices.iter().flat_map(|own| goes(change, own)).collect();
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

fn goes<'s>(change: &Change, own: &'s Splice) -> Vec<&'s [u8]> {
    comes(change, &own.was, &own.becomes).iter().map(|piece| bytes_of(&own.was, piece.span)).collect()
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
