//! The records that a splice adds.

use super::record_digests::{DigestedRecord, more};
use crate::model::Change;

/// Returns the records that are added if `becomes` replaces `was`. None if a record of `was` is lost.
pub fn comes(change: &Change, becomes: &[u8], was: &[u8]) -> Vec<DigestedRecord> {
    let mut comes =
        if becomes.is_empty() { Vec::new() } else { more(change, becomes, was).unwrap_or_default() };
    comes.retain(|own| own.is_record);
    comes
}
