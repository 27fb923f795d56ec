//! Tells fast that a hash is none of many.

/// One bit for each of many hashes, which may share it.
#[derive(Default)]
pub struct HashFilter(Vec<u64>);

impl HashFilter {
    /// Makes a filter of this number of bits, a power of two from 64 on.
    pub fn of(bits: usize) -> HashFilter {
        HashFilter(vec![0; bits / 64])
    }

    /// Adds a hash, of which the last bits count.
    pub fn add(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        self.0[word] |= bit;
    }

    /// False if a hash was not added.
    pub fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.0.get(word).is_some_and(|own| own & bit != 0)
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        ((hash >> 6) as usize & self.0.len().wrapping_sub(1), 1 << (hash & 63))
    }
}
