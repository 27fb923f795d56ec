//! Finds records of equal or nearly equal text, without a language model.
//!
//! The similarity of two texts is the share of their pairs of neighbouring words that both have (Jaccard). Texts that
//! are one word apart have the share of words instead: one word is in two pairs, so a short text would seem to be
//! another. If that word is a number, it is another: `7 days` is not `30 days`. In the order in which texts are to be kept,
//! each text joins the most similar first text of a group or begins a group. So each member is similar to the first of
//! its group, and the first texts are not similar to each other.
//!
//! Rare pairs find the candidates: similar texts share one of their rarest pairs. If many texts share a pair,
//! for example because a template wrote them, MinHash in bands finds them. Candidates are compared exactly.

mod duplicates_pick;
mod lossless;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use sha2::{Digest, Sha256};

use super::{CancelToken, Hit};
use crate::format;
use crate::model::{Entry, Snapshot, Store, short_digest};
use crate::store::parallel;
use crate::text::fold::{fold, is_word, words};

pub use duplicates_pick::{DUPLICATES, ResultPick, pick_duplicates};
pub use lossless::differing;

/// The default similarity, in percent, from which texts count as nearly equal.
pub const SIMILAR_PERCENT: u32 = 80;

/// Texts with fewer words are compared as a whole. Fields with fewer words are not compared.
const FEW: usize = 4;
/// A text of more words is compared without its summary.
const LONG: usize = 8;
/// Texts that are one word apart lack at most this many pairs of each other.
const PAIRS_OF_WORD: usize = 2;
/// A thread reads `BLOCK` texts at a time. Equal texts are merged after each `BATCH`.
pub(super) const BLOCK: usize = 512;
const BATCH: usize = 64 * BLOCK;
/// A list of texts with the same rare pair has at most this many. If more texts have it, MinHash finds them.
const CROWD: u32 = 64;
/// For one text, at most `MOST` entries of its bands are read. Candidates are in at least `COMMON` of them.
const MOST: usize = 512;
const COMMON: usize = 2;
/// The maximum number of counters for pairs.
const COUNTS: usize = 1 << 25;
/// The number of hashes in a MinHash sketch.
const HASHES: usize = 128;

/// A member of a group of similar records.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarEntry {
    /// The record.
    pub hit: Hit,
    /// The similarity to the first record, from 0 to 1. 1 means the same words in the same order.
    pub similarity: f64,
}

impl SimilarEntry {
    /// Returns the similarity in percent, rounded down. Only equal texts have 100.
    pub fn percent(&self) -> u32 {
        (self.similarity * 100.0 + 1e-9) as u32
    }
}

/// Returns groups of records whose texts are at least `percent` similar. `hits` are in the order in which
/// they are to be kept. Groups and their members have the same order, but live records come first. Records
/// that can't be read or have no words are in no group. `None` if cancelled.
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
    Some(groups.into_iter().map(|group| group.into_iter().map(alike).collect()).collect())
}

/// Returns the text to compare: main text and fields of several words, but no ids, tags and references. What sums up
/// a longer text does not count: two agents sum up the same text in different words.
pub(super) fn said(store: &Store, entry: &Entry) -> String {
    let text = format::text_of(store, entry);
    let about = format::by_name(store.format).map(|format| format.about());
    let unsaid = about.map_or(&[][..], |about| about.unsearched);
    let is_long = text.text.raw().split_whitespace().nth(LONG).is_some();
    let summaries = about.filter(|_| is_long).map_or(&[][..], |about| about.title_fields);
    let is_said = |(name, value): &&(String, &str)| {
        let name = name.rsplit('.').next().unwrap_or(name);
        let words = value.split_whitespace().count() + value.chars().filter(|c| is_word(*c)).count();
        words >= FEW
            && !summaries.contains(&name)
            && !unsaid.contains(&name)
            && !matches!(name, "id" | "tags" | "references")
    };
    let fields: Vec<(String, &str)> =
        text.fields.iter().map(|(name, value)| (name.clone(), value.raw())).collect();
    fields
        .iter()
        .filter(is_said)
        .fold(without_scores(text.text.into_raw()), |said, (_, value)| said + "\n" + value)
}

/// Drops what OpenClaw's job adds to a line that it promotes: a comment above it, and how often and where it was found.
fn without_scores(text: String) -> String {
    const SCORE: &str = " [score=";
    if !text.contains(SCORE) {
        return text;
    }
    let lines = text.lines().filter(|line| !line.starts_with("<!--"));
    lines.map(|line| line.split(SCORE).next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// A text in the form in which it is compared.
pub(super) struct TextSketch {
    /// SHA-256 of all words in order, without case and accents.
    digest: [u8; 32],
    /// Hashes of the pairs of neighbouring words, ascending, without repeats. Empty if there are few words.
    pairs: Box<[u32]>,
    /// Hashes of the first and the last word.
    ends: [u64; 2],
    /// A hash of the words with digits, in order.
    numbers: u64,
}

impl TextSketch {
    /// Returns `None` if the text has no words.
    pub fn of(text: &str) -> Option<TextSketch> {
        let folded = fold(text);
        let (mut whole, mut hashes, mut numbers) = (Sha256::new(), Vec::new(), 0);
        for word in words(&folded) {
            whole.update(word);
            whole.update(" ");
            let hash = short_digest(word.as_bytes());
            hashes.push(hash);
            if word.contains(char::is_numeric) {
                numbers = stirred(u64::rotate_left(numbers, 7) ^ hash);
            }
        }
        let ends = [*hashes.first()?, *hashes.last()?];
        let pair = |words: &[u64]| (stirred(words[0].rotate_left(7) ^ words[1]) >> 32) as u32;
        let mut pairs: Vec<u32> =
            if hashes.len() < FEW { Vec::new() } else { hashes.windows(2).map(pair).collect() };
        pairs.sort_unstable();
        pairs.dedup();
        Some(TextSketch { digest: whole.finalize().into(), pairs: pairs.into(), ends, numbers })
    }
}

fn stirred(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A text and the places of all records that have it, ascending.
pub(super) struct DistinctText {
    pub(super) pairs: Box<[u32]>,
    ends: [u64; 2],
    numbers: u64,
    pub(super) places: Vec<usize>,
}

impl DistinctText {
    /// Returns what part of the pairs of both texts is in both, as a fraction.
    pub(super) fn pairs_overlap(&self, other: &DistinctText) -> (usize, usize) {
        let common = common(&self.pairs, &other.pairs);
        (common, self.pairs.len() + other.pairs.len() - common)
    }

    /// Returns the part of their words if they are one word apart, or else of their pairs.
    fn overlap(&self, other: &DistinctText) -> (usize, usize) {
        let (common, both) = self.pairs_overlap(other);
        let longer = self.pairs.len().max(other.pairs.len());
        // A first or last word is in one pair alone.
        let ends = self.ends.iter().zip(&other.ends).filter(|(one, other)| one != other).count();
        match longer - common {
            // Another word is in one text each, a word more in one alone.
            missing @ 1.. if missing + ends <= PAIRS_OF_WORD && self.numbers == other.numbers => {
                (longer, longer + 1 + usize::from(self.pairs.len() == other.pairs.len()))
            }
            _ => (common, both),
        }
    }
}

/// Returns each distinct text once, in the order of the records. Reads the records in file order.
pub(super) fn distinct(
    ranked: &[Hit],
    text: &(dyn Fn(&Hit) -> Option<TextSketch> + Sync),
    cancel: &CancelToken,
) -> Option<Vec<DistinctText>> {
    let mut in_files: Vec<usize> = (0..ranked.len()).collect();
    in_files.sort_unstable_by_key(|place| ranked[*place].at);
    let mut once = TextsByDigest::default();
    for batch in in_files.chunks(BATCH) {
        let blocks: Vec<&[usize]> = batch.chunks(BLOCK).collect();
        let read = parallel::map_parallel(&blocks, |block| {
            let going_on = block.iter().take_while(|_| !cancel.is_cancelled());
            going_on.map(|place| text(&ranked[*place])).collect::<Vec<_>>()
        });
        cancel.check()?;
        for (place, text) in batch.iter().zip(read.into_iter().flatten()) {
            text.into_iter().for_each(|text| once.add(*place, text));
        }
    }
    Some(once.texts())
}

#[derive(Default)]
pub(super) struct TextsByDigest {
    known: HashMap<[u8; 32], usize>,
    texts: Vec<DistinctText>,
}

impl TextsByDigest {
    /// Adds the text of the record at `place`.
    pub fn add(&mut self, place: usize, text: TextSketch) {
        let at = *self.known.entry(text.digest).or_insert(self.texts.len());
        match self.texts.get_mut(at) {
            Some(known) => known.places.push(place),
            None => {
                let TextSketch { pairs, ends, numbers, .. } = text;
                self.texts.push(DistinctText { pairs, ends, numbers, places: vec![place] });
            }
        }
    }

    /// Returns the texts in the order of their first places.
    pub fn texts(mut self) -> Vec<DistinctText> {
        self.texts.iter_mut().for_each(|text| text.places.sort_unstable());
        self.texts.sort_unstable_by_key(|text| text.places.first().copied());
        self.texts
    }
}

/// Returns the groups of texts at least `percent` similar: places, and the similarity to the first text.
pub(super) fn groups(
    texts: Vec<DistinctText>,
    percent: u32,
    cancel: &CancelToken,
) -> Option<Vec<Vec<(usize, f64)>>> {
    let mut index = SimilarityIndex::of(&texts, percent, DistinctText::overlap);
    let mut groups: Vec<Vec<(usize, f64)>> = Vec::with_capacity(texts.len());
    // The group that each text begins.
    let mut begun = vec![0; texts.len()];
    for (number, text) in texts.iter().enumerate() {
        cancel.check()?;
        let rare = index.rare(&text.pairs);
        let (first, similarity) = index.best(number, &rare).unwrap_or((number, 1.0));
        if first == number {
            index.add(number, rare);
            begun[number] = groups.len();
            groups.push(Vec::new());
        }
        groups[begun[first]].extend(text.places.iter().map(|place| (*place, similarity)));
    }
    groups.retain(|group| group.len() > 1);
    groups.iter_mut().for_each(|group| group.sort_unstable_by_key(|(place, _)| *place));
    Some(groups)
}

/// How similar two texts are, as a fraction.
type Overlap = fn(&DistinctText, &DistinctText) -> (usize, usize);

/// The first texts of groups, by their rare pairs and by their bands.
pub(super) struct SimilarityIndex<'a> {
    texts: &'a [DistinctText],
    percent: u32,
    overlap: Overlap,
    /// How often each pair occurs. Pairs may share a counter by their hash; the counts need not be exact.
    counts: Vec<u16>,
    by_rare: PostingLists,
    by_band: PostingLists,
    /// For each text, true if `by_band` has it.
    banded: Vec<bool>,
}

impl<'a> SimilarityIndex<'a> {
    pub(super) fn of(texts: &'a [DistinctText], percent: u32, overlap: Overlap) -> SimilarityIndex<'a> {
        let pairs = texts.iter().flat_map(|text| &text.pairs);
        let mut counts = vec![0_u16; (2 * pairs.clone().count()).next_power_of_two().min(COUNTS)];
        let slots = counts.len();
        pairs.for_each(|pair| {
            counts[*pair as usize % slots] = counts[*pair as usize % slots].saturating_add(1)
        });
        let (by_rare, by_band) = Default::default();
        let banded = vec![false; texts.len()];
        SimilarityIndex { texts, percent, overlap, counts, by_rare, by_band, banded }
    }

    /// Returns enough rare pairs that any similar text shares one of them, but none that only this text has.
    pub(super) fn rare(&self, pairs: &[u32]) -> Vec<u32> {
        let needed = (pairs.len() * self.percent as usize).div_ceil(100);
        let count = |pair: &u32| self.counts[*pair as usize % self.counts.len()];
        let mut rare: Vec<(u16, u32)> = pairs.iter().map(|pair| (count(pair), *pair)).collect();
        rare.sort_unstable();
        rare.truncate((pairs.len() + 1 - needed).max(PAIRS_OF_WORD + 1));
        rare.into_iter().filter(|(count, _)| *count > 1).map(|(_, pair)| pair).collect()
    }

    /// Similar texts nearly always have a band of their MinHash sketches in common.
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

    /// Returns the most similar first text (the earlier one of two) and the similarity. `None` if no first text is
    /// similar enough. `rare` are the rare pairs of the text.
    pub(super) fn best(&self, text: usize, rare: &[u32]) -> Option<(usize, f64)> {
        let mut best: Option<(usize, (usize, usize))> = None;
        for (first, (common, both)) in self.similar(text, rare) {
            if best.is_none_or(|(_, (most, all))| common * all > most * both) {
                best = Some((first, (common, both)));
            }
        }
        best.map(|(first, share)| (first, similarity(share)))
    }

    /// Returns the first texts that are similar enough, ascending, each with its similarity as a fraction.
    pub(super) fn similar(&self, text: usize, rare: &[u32]) -> impl Iterator<Item = (usize, (usize, usize))> {
        let candidates = self.candidates(text, rare).into_iter();
        let share = move |first: usize| (self.overlap)(&self.texts[text], &self.texts[first]);
        let with = candidates.map(move |first| (first, share(first)));
        with.filter(|(_, (common, both))| (common * 100).min(both * 99) >= self.percent as usize * both)
    }

    /// Adds a first text, with its rare pairs.
    pub(super) fn add(&mut self, text: usize, rare: Vec<u32>) {
        for pair in rare {
            // A full list is closed: its texts, and later ones with the pair, are found by their bands.
            if self.by_rare.len(pair) < CROWD {
                self.by_rare.add(pair, text);
            }
            if self.by_rare.len(pair) == CROWD {
                self.by_rare.close(pair).into_iter().for_each(|text| self.add_bands(text));
                self.add_bands(text);
            }
        }
    }

    fn add_bands(&mut self, text: usize) {
        if !std::mem::replace(&mut self.banded[text], true) {
            self.bands(text).into_iter().for_each(|band| self.by_band.add(band, text));
        }
    }

    /// Returns the first texts that may be similar to a text, ascending.
    fn candidates(&self, text: usize, rare: &[u32]) -> Vec<usize> {
        let (long, short): (Vec<u32>, Vec<u32>) =
            rare.iter().partition(|pair| self.by_rare.len(**pair) == CROWD);
        let mut found: Vec<usize> = short.into_iter().flat_map(|pair| self.by_rare.texts(pair)).collect();
        if !long.is_empty() {
            let mut bands = self.bands(text);
            bands.sort_unstable_by_key(|band| (self.by_band.len(*band), *band));
            let mut shared: Vec<usize> =
                bands.into_iter().flat_map(|band| self.by_band.texts(band)).take(MOST).collect();
            shared.sort_unstable();
            found.extend(shared.chunk_by(|a, b| a == b).filter(|all| all.len() >= COMMON).map(|all| all[0]));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The texts with a hash, and how many there were before the list was closed.
#[derive(Default)]
struct PostingLists(HashMap<u32, (Vec<u32>, u32), FixedState>);

impl PostingLists {
    fn len(&self, key: u32) -> u32 {
        self.0.get(&key).map_or(0, |(_, len)| *len)
    }

    fn add(&mut self, key: u32, text: usize) {
        let (texts, len) = self.0.entry(key).or_default();
        texts.push(text as u32);
        *len += 1;
    }

    /// Empties a list but keeps its length. Returns its texts.
    fn close(&mut self, key: u32) -> Vec<usize> {
        let texts = self.0.get_mut(&key).map(|(texts, _)| std::mem::take(texts)).unwrap_or_default();
        texts.into_iter().rev().map(|text| text as usize).collect()
    }

    /// Returns the texts of a list, the last one first.
    fn texts(&self, key: u32) -> impl Iterator<Item = usize> {
        self.0.get(&key).into_iter().flat_map(|(texts, _)| texts.iter().rev().map(|text| *text as usize))
    }
}

/// Returns the similarity of texts that are not equal.
pub(super) fn similarity((common, both): (usize, usize)) -> f64 {
    (common as f64 / both as f64).min(0.99)
}

/// Returns how many pairs two ascending lists have in common.
fn common(one: &[u32], other: &[u32]) -> usize {
    let (mut at, mut count) = (0, 0);
    for pair in one {
        while other.get(at).is_some_and(|before| before < pair) {
            at += 1;
        }
        count += usize::from(other.get(at) == Some(pair));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_often_and_where_a_promoted_line_was_found_are_no_words_of_it() {
        let text = |day, score| {
            format!(
                "<!-- openclaw-memory-promotion:memory/{day}.md:1:2 -->\n- Ölt [score={score} source={day}.md:1-2]\n"
            )
        };
        assert_eq!(without_scores(text("2026-01-02", "0.8")), "- Ölt");
        assert_eq!(without_scores(text("2026-01-03", "0.9 recalls=2")), "- Ölt");
    }
}
