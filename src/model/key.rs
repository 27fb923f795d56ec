//! Keys: they name a record of a file by its content, not by its place.
//!
//! A key has a digest of the file's name and one of the record's bytes. It names the record wherever it moves
//! in its file. If the record changes or goes, the key names nothing. Records of a file that are equal byte
//! for byte have different numbers.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use foldhash::quality::RandomState;
use sha2::{Digest, Sha256};

use super::Document;

/// A parsed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The digest of the store's root and of the file in it.
    pub file: u32,
    /// The digest of the record's bytes.
    pub record: u64,
    /// The number of the record among the equal records of the file, from 1.
    pub number: u32,
    /// How many equal records the file had.
    pub of: u32,
}

impl Key {
    /// Parses a name that has the form of a key. `None` if it can only be an id.
    pub fn read(name: &str) -> Option<Key> {
        let (file, rest) = name.split_once('@')?;
        let (record, twin) = rest.split_once('.').unwrap_or((rest, "1of1"));
        let hex = |text: &str, len: usize| {
            let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let is_hex = text.len() == len && text.bytes().all(is_digit);
            u64::from_str_radix(text, 16).ok().filter(|_| is_hex)
        };
        let (file, record) = (hex(file, 8)? as u32, hex(record, 16)?);
        let (number, of) = twin.split_once("of")?;
        let (number, of) = (number.parse().ok()?, of.parse().ok()?);
        (1..=of).contains(&number).then_some(Key { file, record, number, of })
    }

    /// Returns the key of a record with these bytes that is equal to no other record of the file.
    pub fn alone(root: &Path, file: &Path, record: &[u8]) -> Key {
        Key { file: file_digest(root, file), record: digest(record), number: 1, of: 1 }
    }

    /// True if it names a record of that file.
    pub fn is_in(&self, root: &Path, file: &Path) -> bool {
        self.file == file_digest(root, file)
    }

    /// True if it names a record with these bytes in that file.
    pub fn names(&self, root: &Path, file: &Path, record: &[u8]) -> bool {
        self.is_in(root, file) && self.record == digest(record)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}@{:016x}", self.file, self.record)?;
        if self.of > 1 { write!(f, ".{}of{}", self.number, self.of) } else { Ok(()) }
    }
}

/// The digests that distinguish the records of a document, computed on demand.
#[derive(Debug, Default)]
pub struct RecordDigests {
    /// Fast digests, which show equal records.
    equal: OnceLock<DigestTable>,
    /// The digests of keys, which find the record of a key.
    meant: OnceLock<DigestTable>,
}

/// A copy of a document may be changed before its digests are needed.
impl Clone for RecordDigests {
    fn clone(&self) -> Self {
        RecordDigests::default()
    }
}

#[derive(Debug)]
struct DigestTable {
    /// By record.
    of: Box<[u64]>,
    /// The records sorted by digest. Those with the same digest are in file order.
    sorted: OnceLock<Box<[u32]>>,
}

impl DigestTable {
    fn new(document: &Document, digest: impl Fn(&[u8]) -> u64) -> DigestTable {
        let of = document.records.iter().map(|record| digest(&document.raw(record))).collect();
        DigestTable { of, sorted: OnceLock::new() }
    }

    fn sorted(&self) -> &[u32] {
        self.sorted.get_or_init(|| {
            let mut sorted: Box<[u32]> = (0..self.of.len() as u32).collect();
            sorted.sort_by_key(|own| self.of[*own as usize]);
            sorted
        })
    }

    /// Returns the records with that digest, in file order.
    fn equal(&self, digest: u64) -> &[u32] {
        let of = |own: &u32| self.of[*own as usize];
        let from = self.sorted().partition_point(|own| of(own) < digest);
        let len = self.sorted()[from..].partition_point(|own| of(own) == digest);
        &self.sorted()[from..from + len]
    }
}

impl Document {
    fn equal(&self) -> &DigestTable {
        self.digests.equal.get_or_init(|| DigestTable::new(self, fast_digest))
    }

    /// Returns a digest of the bytes of each record. They differ from process to process.
    pub fn record_digests(&self) -> &[u64] {
        &self.equal().of
    }

    /// True if one of its records has that digest ([`fast_digest`]).
    pub fn has_digest(&self, digest: u64) -> bool {
        !self.equal().equal(digest).is_empty()
    }

    fn meant(&self) -> &DigestTable {
        self.digests.meant.get_or_init(|| DigestTable::new(self, digest))
    }

    /// Returns the key of the record with that index.
    pub fn key(&self, root: &Path, record: u32) -> Key {
        let table = self.equal();
        let equal = table.equal(table.of[record as usize]);
        let before = equal.partition_point(|own| *own < record);
        Key {
            file: file_digest(root, &self.path),
            record: digest(&self.raw(&self.records[record as usize])),
            number: before as u32 + 1,
            of: equal.len() as u32,
        }
    }

    /// Returns the records that a key of this file can name, the most likely first; none if its record has
    /// changed or gone.
    ///
    /// Some of several equal records may be gone since the key was made. They differ only in their places. So
    /// the most likely one is the last that can still be it. Then the keys of one list, each used once and in
    /// any order, name each record once.
    pub fn records_of_key(&self, key: &Key) -> impl Iterator<Item = u32> {
        likeliest(self.meant().equal(key.record), key.number as usize)
    }

    /// Returns the records that a record of another state of this file can be, the most likely first.
    pub fn records_like(&self, before: &Document, record: u32) -> impl Iterator<Item = u32> {
        let (table, digest) = (before.equal(), before.record_digests()[record as usize]);
        let number = table.equal(digest).partition_point(|own| *own <= record);
        likeliest(self.equal().equal(digest), number)
    }
}

/// Returns equal records, the most likely first: from the one with that number backward, then those after it.
fn likeliest(equal: &[u32], number: usize) -> impl Iterator<Item = u32> {
    let (before, behind) = equal.split_at(number.min(equal.len()));
    before.iter().rev().chain(behind).copied()
}

/// Returns a digest of bytes. It has a seed per process, so that no store can have crafted collisions.
pub fn fast_digest(bytes: &[u8]) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

fn digest(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |wide, byte| wide << 8 | u64::from(*byte))
}

/// Returns a short digest (FNV-1a). Names and keys contain it, so it must never change.
pub fn short_digest<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a short digest of a store's root and a file in it. Keys can contain it without an untrusted name.
pub fn file_digest(root: &Path, file: &Path) -> u32 {
    let bytes =
        root.as_os_str().as_encoded_bytes().iter().chain([&0]).chain(file.as_os_str().as_encoded_bytes());
    let wide = short_digest(bytes);
    (wide ^ (wide >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        for (number, of) in [(1, 1), (1, 2), (7, 12)] {
            let key = Key { file: 0x0e0c_5746, record: 0x00ab_cdef_0123_4567, number, of };
            assert_eq!(Key::read(&key.to_string()), Some(key), "{key}");
        }
    }

    #[test]
    fn an_id_is_known_for_no_key() {
        let odd = "mem_1 a@b e0c5746f@ e0c5746f@420 E0C5746F@00abcdef01234567 e0c5746f@00abcdef01234567.3of2";
        odd.split(' ').for_each(|name| assert_eq!(Key::read(name), None, "{name}"));
    }
}
