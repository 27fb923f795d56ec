//! Recognizes an erased record without an id by a keyed digest of its contents, even if it is spelled
//! differently. The key belongs to this store. Without the key, nobody can guess the contents and check the
//! guess with the digest.

use std::collections::HashMap;

use super::matcher::ErasureTarget;
use super::namesakes::created;
use super::salted_digests::{SaltedDigests, salted};
use crate::model::View;
use crate::text::canonical;
use crate::text::json::JsonKind;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// The digests of records without an id, by the creation times of these. For records with other times, no
/// digest is computed.
#[derive(Default)]
pub(super) struct KeyedDigests<'a>(HashMap<Option<&'a str>, SaltedDigests<'a>>);

impl<'a> KeyedDigests<'a> {
    pub(super) fn of(targets: &'a [ErasureTarget]) -> KeyedDigests<'a> {
        let mut by_time: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        for own in targets {
            let digest = own.keyed.as_deref();
            by_time.entry(own.created.as_deref()).or_default().extend(digest);
        }
        let known = by_time.into_iter().filter(|(_, own)| !own.is_empty());
        KeyedDigests(known.map(|(time, own)| (time, SaltedDigests::of(own.into_iter()))).collect())
    }

    /// Whether a record is one of them.
    pub(super) fn has(&self, raw: &[u8], view: View<'_>) -> bool {
        if self.0.is_empty() || view.id.is_some_and(|id| !id.is_empty()) {
            return false;
        }
        let time = created(view);
        self.0.get(&time.as_deref()).is_some_and(|own| own.has(&said(raw)))
    }
}

impl KeyedDigests<'_> {
    /// Whether one of them has the creation time of this torn record, whose contents are incomplete.
    pub(super) fn has_time(&self, view: View<'_>) -> bool {
        let time = created(view).filter(|_| view.id.is_none_or(str::is_empty));
        time.is_some_and(|time| self.0.contains_key(&Some(&*time)))
    }
}

/// The digest of a record, with its key before it.
pub(super) fn keyed(key: &[u8], raw: &[u8]) -> String {
    salted(key, &said(raw))
}

/// Joins a key and a digest that were stored separately.
pub fn with_key(key: &str, digest: &str) -> String {
    format!("{key}:{digest}")
}

/// The key and the digest.
pub fn apart(keyed: &str) -> Option<(&str, &str)> {
    keyed.split_once(':')
}

/// The contents of a record in one form, independent of the order of its fields and of blanks.
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
