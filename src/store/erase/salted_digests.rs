//! Recognizes erased content by salted digests if it has no id, or an id that reveals a text. A keyed digest recognizes the
//! contents of a record without an id in any spelling. The key belongs to this store. Without it, nobody can check a
//! guess of the contents.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::namesakes::created;
use crate::model::StoredMemory;
use crate::store::erase::erasure_target::ErasureTarget;
use crate::text::canonical;
use crate::text::digest::hex;
use crate::text::json::JsonKind;
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

pub struct SaltedDigests(HashMap<Vec<u8>, HashSet<String>>);

impl SaltedDigests {
    pub fn of<'a>(all: impl Iterator<Item = &'a str>) -> SaltedDigests {
        let mut digests: HashMap<Vec<u8>, HashSet<String>> = HashMap::new();
        for digest in all {
            if let Some(salt) = salt_of(digest) {
                digests.entry(salt).or_default().insert(digest.to_owned());
            }
        }
        SaltedDigests(digests)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, said: &[u8]) -> bool {
        self.0.iter().any(|(salt, digests)| digests.contains(&salted(salt, said)))
    }
}

pub fn salt_of(digest: &str) -> Option<Vec<u8>> {
    let (salt, _) = digest.split_once(':')?;
    let pairs = salt.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Returns `salt:digest` of bytes.
pub fn salted(salt: &[u8], raw: &[u8]) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(raw).finalize();
    format!("{}:{}", hex(salt), hex(&digest[..]))
}

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
    match scan(&mut Tape::default(), raw) {
        Ok(value) if value.kind() == JsonKind::Object => canonical::form(value).into_bytes(),
        _ => raw.trim_ascii().to_vec(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_recognizes_its_own_bytes_alone() {
        let all = [salted(b"ab", b"raw"), salted(b"ab", b"other")];
        let digests = SaltedDigests::of(all.iter().map(String::as_str));
        assert!(digests.has(b"raw") && digests.has(b"other") && !digests.has(b"raw "));
    }

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
