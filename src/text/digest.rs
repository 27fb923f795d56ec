//! A fast digest that tells apart what differs by chance. It is written into names of files, so
//! it never changes; who wants to forge it can.

/// 128 bits of the bytes and their number.
pub fn digest(bytes: &[u8]) -> u128 {
    // A length differs from another in few bits, as one text does from another.
    let (mut one, mut two) = (stirred(0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64), 0xc2b2_ae3d_27d4_eb4f);
    let mut chunks = bytes.chunks_exact(16);
    for chunk in &mut chunks {
        (one, two) = mixed(one, two, chunk);
    }
    let mut last = [0; 16];
    for (to, from) in last.iter_mut().zip(chunks.remainder()) {
        *to = *from;
    }
    let (one, two) = mixed(one, two, &last);
    u128::from(one) << 64 | u128::from(stirred(two ^ one))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Different states, or different chunks, never become the same: each half is turned round
/// without loss, the second by what became of the first.
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
