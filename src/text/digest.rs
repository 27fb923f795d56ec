//! A fast digest that distinguishes bytes which differ by chance. Names of files contain it, so it must never
//! change. It is not safe against forgery.

/// The number of bytes that are mixed at a time.
const CHUNK: usize = 16;

/// Returns 128 bits for the bytes and their number.
pub fn digest(bytes: &[u8]) -> u128 {
    // Lengths, like texts, may differ in only a few bits.
    let one = stirred(0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(CHUNK);
    let state =
        chunks.by_ref().fold((one, 0xc2b2_ae3d_27d4_eb4f), |(one, two), chunk| mixed(one, two, chunk));
    let mut rest = chunks.remainder().to_vec();
    rest.resize(CHUNK, 0);
    let (one, two) = mixed(state.0, state.1, &rest);
    u128::from(one) << 64 | u128::from(stirred(two ^ one))
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
