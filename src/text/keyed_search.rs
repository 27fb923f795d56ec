//! Finds values again of which only the length and a keyed digest are kept.
//!
//! A rolling hash under a secret base finds the candidates; SHA-256 under the same key confirms them. Without
//! the key, neither can be compared with a guess.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text::decode::each_decoding;
use crate::text::digest::hex;
use crate::text::hash_filter::HashFilter;
use crate::text::line_ends;

mod rolling_hash;

use rolling_hash::RollingHash;

/// The rolling hash covers at most this many bytes of a value. With fewer, whoever has the key could guess a long
/// value part by part.
const WINDOW: usize = 24;

/// The number of bits that are looked up first for a rolling hash.
const BITS: usize = 1 << 16;

/// The secret key of the digests, 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct ValueKey(pub [u8; 32]);

/// What is kept of a value. It says nothing else about the value without the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValueDigest {
    /// The length in bytes of UTF-8, with `\n` for each line end.
    pub length: usize,
    /// The rolling hash of its start, encrypted, in hexadecimal.
    pub window: String,
    /// SHA-256 of the key and the value, in hexadecimal.
    pub digest: String,
}

impl ValueKey {
    /// Returns the digest of a value, whatever its line ends are.
    pub fn digest(&self, value: &[u8]) -> ValueDigest {
        let value = &*line_ends::unified(value);
        let digest = self.hash("value", value);
        let rolled = RollingHash::of(self.base()).whole(&value[..value.len().min(WINDOW)]);
        let window = format!("{:016x}", rolled ^ self.pad(&digest));
        ValueDigest { length: value.len(), window, digest }
    }

    /// Returns a name of the key, which says nothing about it.
    pub fn id(&self) -> String {
        self.hash("id", b"").get(..16).unwrap_or_default().to_owned()
    }

    fn hash(&self, what: &str, bytes: &[u8]) -> String {
        let hash = Sha256::new().chain_update(self.0).chain_update(what).chain_update([0]);
        hex(&hash.chain_update(bytes).finalize()[..])
    }

    fn base(&self) -> u64 {
        number(&self.hash("base", b""))
    }

    /// Returns the bits that encrypt a rolling hash: on its own it could be compared with a guess.
    fn pad(&self, digest: &str) -> u64 {
        number(&self.hash("pad", digest.as_bytes()))
    }
}

/// Returns the number in the first 16 hexadecimal digits.
fn number(digits: &str) -> u64 {
    digits.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// A search for values by their digests.
pub struct KeyedSearch<'a> {
    key: &'a ValueKey,
    digests: &'a [ValueDigest],
    hash: RollingHash,
    /// By the length of the window: the numbers of digests by rolling hash. Nearly every place in a file is left out by
    /// the filter alone, in a tenth of the time.
    windows: BTreeMap<usize, (HashFilter, HashMap<u64, Vec<usize>>)>,
    /// The length of the shortest value in bytes.
    shortest: usize,
}

/// A value that was found again.
pub struct FoundValue<'b> {
    /// Its number among the digests.
    pub number: usize,
    pub value: &'b [u8],
    /// The form that it has in the file: `as text`, `in base64`, …
    pub form: &'static str,
}

impl<'a> KeyedSearch<'a> {
    /// Prepares a search for these digests.
    pub fn of(key: &'a ValueKey, digests: &'a [ValueDigest]) -> KeyedSearch<'a> {
        let mut windows = BTreeMap::new();
        for (number, own) in digests.iter().enumerate().filter(|(_, own)| own.length > 0) {
            let Ok(window) = u64::from_str_radix(&own.window, 16) else { continue };
            let rolled = window ^ key.pad(&own.digest);
            let window = windows.entry(own.length.min(WINDOW));
            let (filter, numbers) = window.or_insert_with(|| (HashFilter::of(BITS), HashMap::new()));
            filter.add(rolled);
            numbers.entry(rolled).or_insert_with(Vec::new).push(number);
        }
        let shortest = digests.iter().map(|own| own.length).filter(|own| *own > 0).min().unwrap_or_default();
        KeyedSearch { key, digests, hash: RollingHash::of(key.base()), windows, shortest }
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Returns the length of the longest value in bytes.
    pub fn longest(&self) -> usize {
        self.digests.iter().map(|own| own.length).max().unwrap_or_default()
    }

    /// True if one of the values is in the bytes.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        let mut is_in = false;
        self.each(bytes, &mut |_| is_in = true);
        is_in
    }

    /// Passes each value in the bytes to `see`, in every form that palimp knows. A value can be passed twice.
    pub fn each(&self, bytes: &[u8], see: &mut dyn FnMut(FoundValue<'_>)) {
        if !self.is_empty() {
            each_decoding(bytes, (self.shortest, self.longest()), &mut |decoded, form| {
                self.each_in(decoded, form, see);
                false
            });
        }
    }

    fn each_in(&self, bytes: &[u8], form: &'static str, see: &mut dyn FnMut(FoundValue<'_>)) {
        for (len, (filter, numbers)) in &self.windows {
            self.hash.each(bytes, *len, |at, rolled| {
                let numbers = filter.may_have(rolled).then(|| numbers.get(&rolled)).flatten();
                for number in numbers.into_iter().flatten() {
                    let own = &self.digests[*number];
                    let Some(value) = bytes.get(at..at + own.length) else { continue };
                    if self.key.hash("value", value) == own.digest {
                        see(FoundValue { number: *number, value, form });
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests;
