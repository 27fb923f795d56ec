//! A record without an id is known again by a keyed digest of what it says, however it is spelled. Who has the digest
//! and not the key, which is this store's own, can't find out by trying what it said.

use std::collections::HashMap;

use super::digests::{Digests, salted};
use super::namesake::created;
use super::wanted::Target;
use crate::model::View;
use crate::text::canonical;
use crate::text::edit::scan;
use crate::text::json::Kind;
use crate::text::scan::Tape;

/// The digests of records without an id, by when these were created: of others nothing is worked out.
#[derive(Default)]
pub(super) struct Keyed<'a>(HashMap<Option<&'a str>, Digests<'a>>);

impl<'a> Keyed<'a> {
    pub(super) fn of(targets: &'a [Target]) -> Keyed<'a> {
        let mut by_time: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        for own in targets {
            let digest = own.keyed.as_deref();
            by_time.entry(own.created.as_deref()).or_default().extend(digest);
        }
        let known = by_time.into_iter().filter(|(_, own)| !own.is_empty());
        Keyed(known.map(|(time, own)| (time, Digests::of(own.into_iter()))).collect())
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

impl Keyed<'_> {
    /// Whether one of them was created when a record was that is torn: what it said is not all there to tell.
    pub(super) fn has_time(&self, view: View<'_>) -> bool {
        let time = created(view).filter(|_| view.id.is_none_or(str::is_empty));
        time.is_some_and(|time| self.0.contains_key(&Some(&*time)))
    }
}

/// The digest of a record, with its key before it.
pub(super) fn keyed(key: &[u8], raw: &[u8]) -> String {
    salted(key, &said(raw))
}

/// A digest that was kept apart from its key, with that before it.
pub fn with_key(key: &str, digest: &str) -> String {
    format!("{key}:{digest}")
}

/// The key and the digest.
pub fn apart(keyed: &str) -> Option<(&str, &str)> {
    keyed.split_once(':')
}

/// What a record says: one form, in whatever order and with whatever blanks it is spelled.
fn said(raw: &[u8]) -> Vec<u8> {
    let mut tape = Tape::default();
    match scan(&mut tape, raw) {
        Ok(value) if value.kind() == Kind::Object => canonical::form(value).into_bytes(),
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
