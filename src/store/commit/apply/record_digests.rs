//! The records in stretches of bytes, each by a digest of its own bytes: on whichever lines they
//! stand, and behind whatever mark.

use std::collections::{HashMap, HashSet};

use crate::model::{Change, Span, is_log};
use crate::text::digest::digest;
use crate::text::json_lines::split;

/// How many records there are of each digest; fewer than none where they went.
pub type DigestCounts = HashMap<u64, i64>;

/// A record, or what can't be read as one.
#[derive(Clone, Copy)]
pub struct DigestedRecord {
    pub span: Span,
    pub name: u64,
    /// Whether it is a whole record: of what is torn nobody knows which it was.
    pub is_record: bool,
}

/// The records of a file's bytes. What is no log is one.
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

/// What `bytes` have more than `other`, where they have all of that: then one comes by adding to the
/// other alone.
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

/// Counts those of the wanted ones that the bytes have.
pub fn count(change: &Change, bytes: &[u8], wanted: &HashSet<u64>, each: i64, counts: &mut DigestCounts) {
    for own in pieces(change, bytes).iter().filter(|own| wanted.contains(&own.name)) {
        *counts.entry(own.name).or_default() += each;
    }
}
