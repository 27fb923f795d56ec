//! Repeatable randomness: the same seed gives the same demo on every machine.

/// A generator of the splitmix64 family. Small, and random enough for the demo. Never use it for secrets.
#[derive(Clone, Debug)]
pub struct DemoRng(u64);

impl DemoRng {
    pub fn new(seed: u64) -> Self {
        DemoRng(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.bits().checked_rem(limit as u64).unwrap_or(0) as usize
    }

    /// Returns one of `items`; `None` if it is empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).filter_map(|_| self.pick(&letters)).collect()
    }

    /// Returns an id in the form of a UUID of version 4.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.bits(), self.bits());
        let [time, middle, version] = [high >> 32, (high >> 16) & 0xffff, (high & 0xfff) | 0x4000];
        let variant = (low >> 48) & 0x3fff | 0x8000;
        format!("{time:08x}-{middle:04x}-{version:04x}-{variant:04x}-{:012x}", low & 0xffff_ffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_form_of_a_uuid_of_version_4() {
        let id = DemoRng::new(1).uuid();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(id.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&id.as_bytes()[19]));
    }
}
