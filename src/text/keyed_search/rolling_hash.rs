//! A polynomial hash of every stretch of a length, modulo the prime 2^61 - 1.

const PRIME: u64 = (1 << 61) - 1;

pub(super) struct RollingHash {
    base: u64,
}

impl RollingHash {
    /// Makes a base of any number.
    pub(super) fn of(number: u64) -> RollingHash {
        // 0 and 1 would make different texts equal.
        RollingHash { base: number % (PRIME - 2) + 2 }
    }

    pub(super) fn whole(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |hash, byte| self.next(hash, *byte))
    }

    /// Passes the place and the hash of every stretch of `len` bytes to `see`.
    pub(super) fn each(&self, bytes: &[u8], len: usize, mut see: impl FnMut(usize, u64)) {
        if len == 0 || bytes.len() < len {
            return;
        }
        let top = (1..len).fold(1, |power, _| product(power, self.base));
        let mut gone = [0; 256];
        for (byte, lost) in (1..=256).zip(&mut gone) {
            *lost = PRIME - product(byte, top);
        }
        let mut hash = self.whole(&bytes[..len]);
        see(0, hash);
        for (at, (first, last)) in bytes.iter().zip(&bytes[len..]).enumerate() {
            hash = self.next(reduced(hash + gone[usize::from(*first)]), *last);
            see(at + 1, hash);
        }
    }

    fn next(&self, hash: u64, byte: u8) -> u64 {
        // A zero byte must count, too.
        reduced(product(hash, self.base) + u64::from(byte) + 1)
    }
}

fn product(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    reduced((wide as u64 & PRIME) + (wide >> 61) as u64)
}

fn reduced(sum: u64) -> u64 {
    if sum >= PRIME { sum - PRIME } else { sum }
}
