//! Recognizes erased content by salted digests if it has no id, or an id that reveals a text.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::text::digest::hex;

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
}
