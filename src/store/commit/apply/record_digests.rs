//! Finds the records in bytes by a digest of each. Line ends and the byte order mark don't matter.

use std::collections::{HashMap, HashSet};

use crate::model::{Change, Span, is_log};
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
