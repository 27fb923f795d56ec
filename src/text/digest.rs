//! A fast digest that distinguishes bytes which differ by chance. Names of files contain it, so it must never
//! change. It is not safe against forgery.

/// Returns 128 bits for the bytes and their number.
pub fn digest(bytes: &[u8]) -> u128 {
    let mut digester = Digester::of(bytes.len());
    digester.add(bytes);
    digester.finish()
}

/// The digest of bytes that come piece by piece.
pub struct Digester {
    one: u64,
    two: u64,
    /// Bytes that do not fill a chunk yet.
    rest: Vec<u8>,
}

/// The number of bytes that are mixed at a time.
const CHUNK: usize = 16;

impl Digester {
    /// Starts the digest of `len` bytes.
    pub fn of(len: usize) -> Digester {
        // Lengths, like texts, may differ in only a few bits.
        let one = stirred(0x9e37_79b9_7f4a_7c15 ^ len as u64);
        Digester { one, two: 0xc2b2_ae3d_27d4_eb4f, rest: Vec::new() }
    }

    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let lacking = (CHUNK - self.rest.len()).min(bytes.len());
        let (first, bytes) = bytes.split_at(if self.rest.is_empty() { 0 } else { lacking });
        self.rest.extend_from_slice(first);
        if self.rest.len() == CHUNK {
            (self.one, self.two) = mixed(self.one, self.two, &self.rest);
            self.rest.clear();
        }
        let mut chunks = bytes.chunks_exact(CHUNK);
        for chunk in &mut chunks {
            (self.one, self.two) = mixed(self.one, self.two, chunk);
        }
        self.rest.extend_from_slice(chunks.remainder());
    }

    /// Returns the digest of the added bytes.
    pub fn finish(mut self) -> u128 {
        self.rest.resize(CHUNK, 0);
        let (one, two) = mixed(self.one, self.two, &self.rest);
        u128::from(one) << 64 | u128::from(stirred(two ^ one))
    }
}

/// Returns bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Mixes a chunk into a state. Different states or different chunks never give the same result: each half is
/// mixed without loss, the second one with the result of the first.
fn mixed(one: u64, two: u64, chunk: &[u8]) -> (u64, u64) {
    let word = |at: usize| chunk[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let one = stirred(one ^ word(0));
    (one, stirred(two.wrapping_add(one.rotate_left(23)) ^ word(8)))
}

fn stirred(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^ (word >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_differs_in_a_bit_or_in_length_has_another_digest() {
        let base = vec![0_u8; 100];
        let flipped = (0..800).map(|bit| {
            let mut own = base.clone();
            own[bit / 8] ^= 1 << (bit % 8);
            own
        });
        let longer = (0..200).map(|len| vec![0; len]);
        let found: HashSet<u128> = flipped.chain(longer).map(|bytes| digest(&bytes)).collect();
        assert_eq!(found.len(), 1000);
    }

    #[test]
    fn the_digest_of_the_same_bytes_never_changes() {
        assert_eq!(format!("{:032x}", digest(b"{\"id\":\"a\"}\n")), "f6ec5b7db2f171645d7890b9fa171178");
    }
}
