//! Finds keywords in a text. The first screen waits until it is made: an automaton of all keywords takes some
//! three milliseconds to make, this index takes less than one.

use std::collections::HashMap;

/// How many bytes of a keyword are hashed. No keyword is shorter.
const HEAD: usize = 3;
/// The number of bits that say whether a head may be that of a keyword.
const BITS: usize = 1 << 16;

/// Keywords, by their first bytes.
pub struct KeywordIndex {
    /// A bit for each hash of a head: nearly all places in a text are excluded by it.
    heads: Vec<u64>,
    by_head: HashMap<[u8; HEAD], Vec<Keyword>>,
}

struct Keyword {
    text: Vec<u8>,
    ignore_case: bool,
    rule: usize,
}

impl KeywordIndex {
    /// Makes an index of keywords, each with whether its case is ignored, and its rule.
    pub fn of<'w>(words: impl Iterator<Item = (&'w [u8], bool, usize)>) -> KeywordIndex {
        let mut own = KeywordIndex { heads: vec![0; BITS / 64], by_head: HashMap::new() };
        for (text, ignore_case, rule) in words {
            let Some(head) = head(text, 0) else { continue };
            let bit = hash(u32::from_le_bytes([head[0], head[1], head[2], 0]));
            own.heads[bit / 64] |= 1 << (bit % 64);
            let keyword = Keyword { text: text.to_vec(), ignore_case, rule };
            own.by_head.entry(head).or_default().push(keyword);
        }
        own
    }

    /// Returns where keywords are found, each with its rule.
    pub fn hits<'k>(&'k self, bytes: &'k [u8]) -> impl Iterator<Item = (usize, usize)> + 'k {
        let (mut end, mut last) = (0, 0);
        // Every byte of a store passes here.
        let places = std::iter::from_fn(move || {
            while end < bytes.len() {
                last = last >> 8 | u32::from(bytes[end].to_ascii_lowercase()) << 16;
                end += 1;
                let bit = hash(last);
                if end >= HEAD && self.heads[bit / 64] >> (bit % 64) & 1 == 1 {
                    return Some(end - HEAD);
                }
            }
            None
        });
        places.flat_map(move |at| {
            let known = head(bytes, at).and_then(|head| self.by_head.get(&head));
            let own = known.into_iter().flatten().filter(move |own| own.is_at(bytes, at));
            own.map(move |own| (at, own.rule))
        })
    }
}

impl Keyword {
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let there = bytes.get(at..at + self.text.len());
        there.is_some_and(|there| match self.ignore_case {
            true => there.eq_ignore_ascii_case(&self.text),
            false => there == self.text,
        })
    }
}

/// Returns the first bytes at a place, in small letters.
fn head(bytes: &[u8], at: usize) -> Option<[u8; HEAD]> {
    let own: [u8; HEAD] = bytes.get(at..at + HEAD)?.try_into().ok()?;
    Some(own.map(|byte| byte.to_ascii_lowercase()))
}

/// Returns a number below [`BITS`] for three bytes.
fn hash(head: u32) -> usize {
    (head.wrapping_mul(2_654_435_761) >> 16) as usize
}
