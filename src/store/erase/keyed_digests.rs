//! Recognizes an erased record without an id by a keyed digest of its contents, in any spelling.
//! The key belongs to this store. Without it, nobody can check a guess of the contents.

use std::collections::HashMap;

use super::namesakes::created;
use super::salted_digests::{SaltedDigests, salted};
use crate::model::StoredMemory;
use crate::store::erase::erasure_target::ErasureTarget;
use crate::text::canonical;
use crate::text::json::JsonKind;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// Digests of records without an id, by creation time. A record with another time needs no digest.
#[derive(Default)]
pub(super) struct KeyedDigests<'a>(HashMap<Option<&'a str>, SaltedDigests>);

impl<'a> KeyedDigests<'a> {
    pub(super) fn of(targets: &'a [ErasureTarget]) -> KeyedDigests<'a> {
        let mut by_time: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        for own in targets.iter().filter(|own| own.id.is_none()) {
            let digest = own.keyed.as_deref();
            by_time.entry(own.created.as_deref()).or_default().extend(digest);
        }
        let known = by_time.into_iter().filter(|(_, own)| !own.is_empty());
        KeyedDigests(known.map(|(time, own)| (time, SaltedDigests::of(own.into_iter()))).collect())
    }

    pub(super) fn has(&self, raw: &[u8], memory: &StoredMemory) -> bool {
        if self.0.is_empty() || memory.id().is_some_and(|id| !id.is_empty()) {
            return false;
        }
        let time = created(memory);
        self.0.get(&time.as_deref()).is_some_and(|own| own.has(&said(raw)))
    }
}

impl KeyedDigests<'_> {
    /// True if one of them has the creation time of this torn record, whose contents are incomplete.
    pub(super) fn has_time(&self, memory: &StoredMemory) -> bool {
        let time = created(memory).filter(|_| memory.id().is_none_or(str::is_empty));
        time.is_some_and(|time| self.0.contains_key(&Some(&*time)))
    }
}

/// Returns `key:digest` of a record.
pub(super) fn keyed(key: &[u8], raw: &[u8]) -> String {
    salted(key, &said(raw))
}

/// Joins a key and a digest that were stored separately.
pub fn with_key(key: &str, digest: &str) -> String {
    format!("{key}:{digest}")
}

/// Splits `key:digest`.
pub fn apart(keyed: &str) -> Option<(&str, &str)> {
    keyed.split_once(':')
}

/// Returns the contents in one form, independent of the order of fields and of spaces.
fn said(raw: &[u8]) -> Vec<u8> {
    let mut tape = Tape::default();
    match scan(&mut tape, raw) {
        Ok(value) if value.kind() == JsonKind::Object => canonical::form(value).into_bytes(),
        _ => raw.trim_ascii().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_known_however_it_is_spelled_and_only_with_its_key() {
        let own = keyed(b"key", br#"{"a": 1, "b": "x"}"#);
        assert_eq!(own, keyed(b"key", br#"{"b":"\u0078","a":1.0}"#));
        assert_ne!(own, keyed(b"key", br#"{"a": 1, "b": "y"}"#));
        let (key, digest) = apart(&own).unwrap();
        assert_eq!(with_key(key, digest), own);
        assert_ne!(apart(&keyed(b"other", br#"{"a": 1, "b": "x"}"#)).unwrap().1, digest);
    }
}
