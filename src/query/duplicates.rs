//! Records of equal or nearly equal text, without a model.
//!
//! Two texts are as alike as the share of their pairs of neighbouring words that both have (Jaccard). Each text,
//! in the order in which they are to be kept, joins the earlier one that it is most like, or begins a group. So
//! every member of a group is that much like its first, and no two firsts are.
//!
//! What may be alike is found by rare words: texts that are alike share one of their rarest pairs. Where many share
//! it, as what is written by a template does, MinHash in bands finds it. Candidates are compared exactly.

mod duplicates_pick;
mod lossless;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use sha2::{Digest, Sha256};

use super::cancel::CancelToken;
use super::search::Hit;
use crate::format;
use crate::model::{Entry, Snapshot, Store, short_digest};
use crate::store::parallel;
use crate::text::fold::fold;
use crate::text::words::{is_word, words};

pub use duplicates_pick::DUPLICATES;
pub use lossless::differing;

/// How alike texts are that count as nearly equal, in per cent, where nobody says.
pub const SIMILAR_PERCENT: u32 = 80;

/// Texts of fewer words are compared as a whole.
const FEW: usize = 4;
/// This many texts are read by a thread at once, and this many before duplicates are dropped.
const BLOCK: usize = 512;
const BATCH: usize = 64 * BLOCK;
/// A list of texts by a rare pair has this many; what more have is not rare, and MinHash takes its place.
const CROWD: u32 = 64;
/// This many entries of its bands are looked at for a text, and it is compared with what has this many in common.
const MOST: usize = 512;
const COMMON: usize = 2;
/// This many counts are kept at most.
const COUNTS: usize = 1 << 25;
/// This many hashes make a sketch.
const HASHES: usize = 128;

/// A record that is like the first of its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarEntry {
    /// The record.
    pub hit: Hit,
    /// From 0 to 1; 1 is the same words in the same order.
    pub similarity: f64,
}

impl SimilarEntry {
    /// In per cent; less than all the same is less than 100.
    pub fn percent(&self) -> u32 {
        (self.similarity * 100.0 + 1e-9) as u32
    }
}

/// Groups of records whose texts are at least this many per cent alike, of records in the order in which they are
/// to be kept, which the groups and their members have, too; live ones go before others. What can't be read,
/// or has no words, is in none. `None` when cancelled.
pub fn duplicates(
    snapshot: &Snapshot,
    hits: &[Hit],
    percent: u32,
    cancel: &CancelToken,
) -> Option<Vec<Vec<SimilarEntry>>> {
    let is_readable = |hit: &&Hit| {
        let (store, entry) = snapshot.get(hit.at);
        store.is_readable(entry)
    };
    let mut ranked: Vec<Hit> = hits.iter().filter(is_readable).copied().collect();
    ranked.sort_by_key(|hit| snapshot.get(hit.at).1.state);
    let text = |hit: &Hit| {
        let (store, entry) = snapshot.get(hit.at);
        TextSketch::of(&said(store, entry))
    };
    let groups = groups(distinct(&ranked, &text, cancel)?, percent, cancel)?;
    let alike = |(place, similarity): (usize, f64)| SimilarEntry { hit: ranked[place], similarity };
    Some(groups.into_iter().map(|own| own.into_iter().map(alike).collect()).collect())
}

/// What a record says: its main text, and what else has several words. Ids, tags, times and references tell
/// nothing of that.
fn said(store: &Store, entry: &Entry) -> String {
    let own = format::text_of(store, entry);
    let unsaid = format::by_name(store.format).map_or(&[][..], |format| format.about().unsearched);
    let is_said = |(name, value): &&(String, String)| {
        let name = name.rsplit('.').next().unwrap_or(name);
        let words = value.split_whitespace().count() + value.chars().filter(|c| is_word(*c)).count();
        words >= FEW && !unsaid.contains(&name) && !matches!(name, "id" | "tags" | "references")
    };
    own.fields.iter().filter(is_said).fold(own.text, |said, (_, value)| said + "\n" + value)
}

/// A text as it is compared.
pub(super) struct TextSketch {
    /// Of all its words, without case and accents, in order.
    digest: [u8; 32],
    /// Its pairs of neighbouring words, hashed, ascending, each once; none where the words are few.
    pairs: Box<[u32]>,
}

impl TextSketch {
    /// `None` where it has no words.
    pub fn of(text: &str) -> Option<TextSketch> {
        let folded = fold(text);
        let (mut whole, mut hashes) = (Sha256::new(), Vec::new());
        for word in words(&folded) {
            whole.update(word);
            whole.update(" ");
            hashes.push(short_digest(word.as_bytes()));
        }
        let mut pairs: Vec<u32> = match hashes.len() {
            0 => return None,
            few if few < FEW => Vec::new(),
            _ => {
                hashes.windows(2).map(|own| (stirred(own[0].rotate_left(7) ^ own[1]) >> 32) as u32).collect()
            }
        };
        pairs.sort_unstable();
        pairs.dedup();
        Some(TextSketch { digest: whole.finalize().into(), pairs: pairs.into() })
    }
}

fn stirred(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A text, and the places of all that have it, ascending.
pub(super) struct DistinctText {
    pairs: Box<[u32]>,
    places: Vec<usize>,
}

/// The texts of records in their order, each once. They are read in the order of their files.
fn distinct(
    ranked: &[Hit],
    text: &(dyn Fn(&Hit) -> Option<TextSketch> + Sync),
    cancel: &CancelToken,
) -> Option<Vec<DistinctText>> {
    let mut in_files: Vec<usize> = (0..ranked.len()).collect();
    in_files.sort_unstable_by_key(|place| ranked[*place].at);
    let mut once = TextsByDigest::default();
    for batch in in_files.chunks(BATCH) {
        cancel.check()?;
        let blocks: Vec<&[usize]> = batch.chunks(BLOCK).collect();
        let read = parallel::map_parallel(&blocks, |block| {
            block.iter().map(|place| text(&ranked[*place])).collect::<Vec<_>>()
        });
        for (place, text) in batch.iter().zip(read.into_iter().flatten()) {
            text.into_iter().for_each(|text| once.add(*place, text));
        }
    }
    Some(once.texts())
}

/// Texts by their digest.
#[derive(Default)]
pub(super) struct TextsByDigest {
    known: HashMap<[u8; 32], usize>,
    texts: Vec<DistinctText>,
}

impl TextsByDigest {
    /// The text of what is at a place.
    pub fn add(&mut self, place: usize, text: TextSketch) {
        let at = *self.known.entry(text.digest).or_insert(self.texts.len());
        match self.texts.get_mut(at) {
            Some(own) => own.places.push(place),
            None => self.texts.push(DistinctText { pairs: text.pairs, places: vec![place] }),
        }
    }

    /// All of them, in the order of their first places.
    pub fn texts(mut self) -> Vec<DistinctText> {
        self.texts.iter_mut().for_each(|own| own.places.sort_unstable());
        self.texts.sort_unstable_by_key(|own| own.places.first().copied());
        self.texts
    }
}

/// The groups of texts that are this many per cent alike: places, and how alike they are to the first.
pub(super) fn groups(
    texts: Vec<DistinctText>,
    percent: u32,
    cancel: &CancelToken,
) -> Option<Vec<Vec<(usize, f64)>>> {
    let mut index = SimilarityIndex::of(&texts, percent);
    let mut groups: Vec<Vec<(usize, f64)>> = Vec::with_capacity(texts.len());
    // Of each text the group that it begins.
    let mut begun = vec![0; texts.len()];
    for (number, text) in texts.iter().enumerate() {
        if number.is_multiple_of(BLOCK) {
            cancel.check()?;
        }
        let (first, similarity) = index.best_or_add(number);
        if first == number {
            begun[number] = groups.len();
            groups.push(Vec::new());
        }
        groups[begun[first]].extend(text.places.iter().map(|place| (*place, similarity)));
    }
    groups.retain(|own| own.len() > 1);
    groups.iter_mut().for_each(|own| own.sort_unstable_by_key(|(place, _)| *place));
    Some(groups)
}

/// The firsts of groups, by what others that are alike share with them.
struct SimilarityIndex<'a> {
    texts: &'a [DistinctText],
    percent: u32,
    /// How often pairs are there. Some share a count by their hash: which are rare need not be exact.
    counts: Vec<u16>,
    by_rare: PostingLists,
    by_band: PostingLists,
    /// Which are there by their bands.
    banded: Vec<bool>,
}

impl<'a> SimilarityIndex<'a> {
    fn of(texts: &'a [DistinctText], percent: u32) -> SimilarityIndex<'a> {
        let pairs = texts.iter().flat_map(|own| &own.pairs);
        let mut counts = vec![0_u16; (2 * pairs.clone().count()).next_power_of_two().min(COUNTS)];
        let slots = counts.len();
        pairs.for_each(|pair| {
            counts[*pair as usize % slots] = counts[*pair as usize % slots].saturating_add(1)
        });
        let (by_rare, by_band) = Default::default();
        SimilarityIndex { texts, percent, counts, by_rare, by_band, banded: vec![false; texts.len()] }
    }

    /// The rarest pairs of a text that others have, so many that whatever is alike shares one of them.
    fn rare(&self, pairs: &[u32]) -> Vec<u32> {
        let needed = (pairs.len() * self.percent as usize).div_ceil(100);
        let count = |pair: &u32| self.counts[*pair as usize % self.counts.len()];
        let mut rare: Vec<(u16, u32)> = pairs.iter().map(|pair| (count(pair), *pair)).collect();
        rare.sort_unstable();
        rare.truncate((pairs.len() + 1 - needed).min(pairs.len()));
        rare.into_iter().filter(|(count, _)| *count > 1).map(|(_, pair)| pair).collect()
    }

    /// The bands of a sketch: of texts that are alike one is the same, nearly always.
    fn bands(&self, text: usize) -> Vec<u32> {
        let mut sketch = [u32::MAX; HASHES];
        for pair in &self.texts[text].pairs {
            let pair = stirred(u64::from(*pair));
            for (number, least) in (0_u64..).zip(&mut sketch) {
                let factor = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                *least = (*least).min((pair.wrapping_mul(factor) >> 32) as u32);
            }
        }
        let rows = match self.percent {
            85.. => 8,
            65.. => 4,
            _ => 3,
        };
        let band = |(number, band): (u64, &[u32])| {
            band.iter().fold(number, |hash, least| stirred(hash ^ u64::from(*least))) as u32
        };
        (0..).zip(sketch.chunks_exact(rows)).map(band).collect()
    }

    /// The first that a text is most like, the earlier of two; where none is like it enough, it is one itself.
    fn best_or_add(&mut self, text: usize) -> (usize, f64) {
        let own = &self.texts[text].pairs;
        let rare = self.rare(own);
        let mut best: Option<(usize, u64, u64)> = None;
        for first in self.candidates(text, &rare) {
            let other = &self.texts[first].pairs;
            let common = common(own, other);
            let both = (own.len() + other.len()) as u64 - common;
            let is_better = best.is_none_or(|(_, most, all)| common * all > most * both);
            if (common * 100).min(both * 99) >= u64::from(self.percent) * both && is_better {
                best = Some((first, common, both));
            }
        }
        if let Some((first, common, both)) = best {
            return (first, (common as f64 / both as f64).min(0.99));
        }
        for pair in rare {
            // A list that is too long is closed: whatever is on it, or would be, is found by its bands.
            if self.by_rare.len(pair) < CROWD {
                self.by_rare.add(pair, text);
            }
            if self.by_rare.len(pair) == CROWD {
                self.by_rare.close(pair).into_iter().for_each(|own| self.add_bands(own));
                self.add_bands(text);
            }
        }
        (text, 1.0)
    }

    fn add_bands(&mut self, text: usize) {
        if !std::mem::replace(&mut self.banded[text], true) {
            self.bands(text).into_iter().for_each(|band| self.by_band.add(band, text));
        }
    }

    /// What a text may be like, ascending.
    fn candidates(&self, text: usize, rare: &[u32]) -> Vec<usize> {
        let (long, short): (Vec<u32>, Vec<u32>) =
            rare.iter().partition(|pair| self.by_rare.len(**pair) == CROWD);
        let mut found: Vec<usize> = short.into_iter().flat_map(|pair| self.by_rare.of(pair)).collect();
        if !long.is_empty() {
            let mut bands = self.bands(text);
            bands.sort_unstable_by_key(|band| (self.by_band.len(*band), *band));
            let mut shared: Vec<usize> =
                bands.into_iter().flat_map(|band| self.by_band.of(band)).take(MOST).collect();
            shared.sort_unstable();
            found.extend(shared.chunk_by(|a, b| a == b).filter(|own| own.len() >= COMMON).map(|own| own[0]));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Lists of texts by a hash, one behind the other.
#[derive(Default)]
struct PostingLists {
    /// Of each its last link, and how many it has.
    lasts: HashMap<u32, (u32, u32), FixedState>,
    /// A text, and the link before.
    links: Vec<(u32, u32)>,
}

impl PostingLists {
    fn len(&self, key: u32) -> u32 {
        self.lasts.get(&key).map_or(0, |(_, len)| *len)
    }

    fn add(&mut self, key: u32, text: usize) {
        let (last, len) = self.lasts.entry(key).or_insert((u32::MAX, 0));
        self.links.push((text as u32, *last));
        (*last, *len) = (self.links.len() as u32 - 1, *len + 1);
    }

    /// The texts of a list that is not looked at any more; its length stays.
    fn close(&mut self, key: u32) -> Vec<usize> {
        let all = self.of(key).collect();
        self.lasts.entry(key).and_modify(|(last, _)| *last = u32::MAX);
        all
    }

    /// The texts of a list, the last one first.
    fn of(&self, key: u32) -> impl Iterator<Item = usize> {
        let mut next = self.lasts.get(&key).map_or(u32::MAX, |(last, _)| *last);
        std::iter::from_fn(move || {
            let (text, before) = *self.links.get(next as usize)?;
            next = before;
            Some(text as usize)
        })
    }
}

/// How many both have, of ascending ones.
fn common(one: &[u32], other: &[u32]) -> u64 {
    let (mut at, mut count) = (0, 0);
    for pair in one {
        while other.get(at).is_some_and(|own| own < pair) {
            at += 1;
        }
        count += u64::from(other.get(at) == Some(pair));
    }
    count
}
