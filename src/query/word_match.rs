//! Finds words in text, and how well each word hits each entry.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use memchr::memmem::{self, Finder};

use super::block_scan::{self, BlockHits};
use super::query_tree::{QueryWord, WordPattern};
use super::text_index::{Chunk, DocumentText, letters};
use super::{CancelToken, Query, TextIndex};
use crate::format;
use crate::model::{EntryRef, Snapshot, State, Store};

/// A word with `*` reaches over at most this many bytes, so that no text makes the search slow.
const STAR: usize = 256;
/// A fuzzy match spans at most this many word lengths: a long title has any word's letters in order.
const FUZZY_REACH: usize = 3;
/// The cancel token is checked once per this many finds.
const STRIDE: u32 = 4096;

/// How well a word hits an entry. The better level is the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HitLevel {
    #[default]
    None,
    /// Inside a word, or by fuzzy similarity.
    Part,
    /// At the start of a word.
    Prefix,
    /// A complete word of any other text.
    Body,
    /// A complete word of title, tags or id.
    Head,
}

impl HitLevel {
    /// Returns the number for the formula of the match.
    pub fn value(self) -> f64 {
        match self {
            HitLevel::None => 0.0,
            HitLevel::Part => 0.4,
            HitLevel::Prefix => 0.6,
            HitLevel::Body => 0.8,
            HitLevel::Head => 1.0,
        }
    }
}

/// The hit levels of one word on every entry.
pub(super) struct WordLevels {
    /// By store and entry.
    levels: Vec<Vec<HitLevel>>,
    /// The number of readable live entries that it hits.
    pub df: usize,
}

impl WordLevels {
    pub fn of(&self, store: usize, entry: usize) -> HitLevel {
        self.levels.get(store).and_then(|levels| levels.get(entry)).copied().unwrap_or_default()
    }
}

/// The hit levels of each word of a query on every entry. Empty if the query has no words.
#[derive(Default)]
pub struct Matches {
    forms: Vec<WordPattern>,
    /// By index into `Query::words`.
    pub(super) words: Vec<WordLevels>,
    /// The number of readable live entries.
    pub(super) n: usize,
    /// The index and the idf of each wanted word.
    weights: Vec<(usize, f64)>,
    sum: f64,
}

impl Matches {
    /// Finds every word in every entry. Uses the text index if there is one. `None` if cancelled.
    pub(super) fn find(
        query: &Query,
        snapshot: &Snapshot,
        (text, within): (Option<&TextIndex>, Option<&MatchScope<'_>>),
        cancel: &CancelToken,
    ) -> Option<Matches> {
        let matchers: Vec<Matcher<'_>> = query.words.iter().map(|word| Matcher::new(&word.form)).collect();
        let found = match text {
            Some(text) => in_text(&matchers, text, cancel)?,
            None => block_scan::find((query, &matchers), snapshot, within, &format::searched_of, cancel)?,
        };
        let none = || snapshot.stores.iter().map(|store| vec![HitLevel::None; store.entries.len()]).collect();
        let mut levels: Vec<Vec<Vec<HitLevel>>> = matchers.iter().map(|_| none()).collect();
        for (store, first, own) in found {
            for (word, own) in own.into_iter().enumerate() {
                if let Some(place) = levels[word][store].get_mut(first..first + own.len()) {
                    place.copy_from_slice(&own);
                }
            }
        }
        let words: Vec<WordLevels> =
            levels.into_iter().map(|levels| WordLevels { df: df(snapshot, &levels), levels }).collect();
        let n = snapshot.stores.iter().map(|store| readable(store).count()).sum();
        let df = |index| words.get(index).map_or(0, |word: &WordLevels| word.df);
        let weights: Vec<(usize, f64)> =
            query.wanted_words().map(|(index, _)| (index, idf(n, df(index)))).collect();
        let sum = weights.iter().map(|(_, idf)| idf).sum();
        let forms = query.words.iter().map(|word| word.form.clone()).collect();
        Some(Matches { forms, words, n, weights, sum })
    }

    /// True if these matches limit the entries that the words of a query can hit.
    pub fn tells(&self, query: &Query) -> bool {
        query.has_words() && self.within(query).is_some()
    }

    /// Returns the entries that the words of a query can hit, if these matches limit them.
    pub(super) fn within(&self, query: &Query) -> Option<MatchScope<'_>> {
        let part = |word: &QueryWord| self.forms.iter().position(|form| word.form.implies(form));
        let parts = query.words.iter().map(part).collect::<Option<_>>()?;
        Some(MatchScope { of: self, parts })
    }

    pub(super) fn hits(&self, word: usize, at: EntryRef) -> bool {
        self.level(word, at) > HitLevel::None
    }

    pub(super) fn level(&self, word: usize, at: EntryRef) -> HitLevel {
        self.words.get(word).map_or(HitLevel::None, |levels| levels.of(at.store as usize, at.entry as usize))
    }

    /// Returns `Σ idf·hit / Σ idf` over the wanted words, 1 if there are none. If no word weighs anything
    /// because nothing is live, all weigh the same.
    pub(super) fn quality(&self, at: EntryRef) -> f64 {
        let value = |word| self.level(word, at).value();
        if self.weights.is_empty() {
            1.0
        } else if self.sum > 0.0 {
            self.weights.iter().map(|&(word, idf)| idf * value(word)).sum::<f64>() / self.sum
        } else {
            self.weights.iter().map(|&(word, _)| value(word)).sum::<f64>() / self.weights.len() as f64
        }
    }
}

/// The entries that earlier words hit. Each new word contains one of them, so it can hit no other entry.
pub(super) struct MatchScope<'a> {
    of: &'a Matches,
    /// The indices of those earlier words.
    parts: Vec<usize>,
}

impl MatchScope<'_> {
    /// True if a new word can hit the entry.
    pub fn holds(&self, store: usize, entry: usize) -> bool {
        let at = EntryRef { store: store as u32, entry: entry as u32 };
        self.parts.iter().any(|word| self.of.hits(*word, at))
    }
}

/// Returns `ln(1 + N/df)`. A word that no live entry has counts as if one had it.
pub(super) fn idf(n: usize, df: usize) -> f64 {
    (1.0 + n as f64 / df.max(1) as f64).ln()
}

fn in_text(matchers: &[Matcher<'_>], text: &TextIndex, cancel: &CancelToken) -> Option<Vec<BlockHits>> {
    let mut found = Vec::new();
    for (store, chunks) in text.chunks().enumerate() {
        for Chunk { first, text } in chunks {
            let of_word = |matcher: &Matcher<'_>| {
                let mut levels = vec![HitLevel::None; text.slots.len()];
                matcher.scan(text, &mut levels, cancel).map(|()| levels)
            };
            found.push((store, *first, matchers.iter().map(of_word).collect::<Option<_>>()?));
        }
    }
    Some(found)
}

fn readable(store: &Store) -> impl Iterator<Item = usize> + '_ {
    let entries = store.entries.iter().enumerate();
    entries.filter(|(_, own)| own.state == State::Live && store.is_readable(own)).map(|(number, _)| number)
}

fn df(snapshot: &Snapshot, levels: &[Vec<HitLevel>]) -> usize {
    let hit =
        |levels: &[HitLevel], number: usize| levels.get(number).is_some_and(|level| *level > HitLevel::None);
    let stores = snapshot.stores.iter().zip(levels);
    stores.map(|(store, own)| readable(store).filter(|number| hit(own, *number)).count()).sum()
}

/// A word, prepared for the search.
pub(super) struct Matcher<'a> {
    form: &'a WordPattern,
    /// Finds the word, or the first piece of a word with stars.
    finder: Finder<'a>,
    fuzzy: Option<SkimMatcherV2>,
}

impl<'a> Matcher<'a> {
    fn new(form: &'a WordPattern) -> Self {
        let needle = match form {
            WordPattern::Plain(text) | WordPattern::Fuzzy(text) => text.as_str(),
            WordPattern::Wild(parts) => parts.iter().find(|part| !part.is_empty()).map_or("", String::as_str),
        };
        let fuzzy = matches!(form, WordPattern::Fuzzy(_)).then(|| SkimMatcherV2::default().respect_case());
        Matcher { form, finder: Finder::new(needle), fuzzy }
    }

    /// Raises the levels of the entries of a document to the hits of this word.
    pub fn scan(&self, text: &DocumentText, levels: &mut [HitLevel], cancel: &CancelToken) -> Option<()> {
        self.scan_exact(text, levels, cancel)?;
        match (self.form, &self.fuzzy) {
            (WordPattern::Fuzzy(word), Some(fuzzy)) => scan_fuzzy(word, fuzzy, text, levels, cancel),
            _ => Some(()),
        }
    }

    /// Walks all the text once, from find to find. Skips the rest of an entry that can't have a better hit.
    fn scan_exact(&self, text: &DocumentText, levels: &mut [HitLevel], cancel: &CancelToken) -> Option<()> {
        if self.finder.needle().is_empty() {
            return Some(());
        }
        let bytes = text.folded.as_bytes();
        let (mut from, mut index, mut finds) = (0, 0, 0_u32);
        cancel.check()?;
        while let Some(found) = bytes.get(from..).and_then(|rest| self.finder.find(rest)) {
            let at = from + found;
            while text.slots.get(index).is_some_and(|slot| slot.end <= at) {
                index += 1;
            }
            let (Some(slot), Some(level)) = (text.slots.get(index), levels.get_mut(index)) else { break };
            let in_head = at < slot.head_end;
            *level = (*level).max(self.level_at(&text.folded, at, in_head));
            let done = *level == HitLevel::Head || (!in_head && *level == HitLevel::Body);
            from = if done { slot.end } else { at + 1 };
            finds += 1;
            if finds.is_multiple_of(STRIDE) {
                cancel.check()?;
            }
        }
        Some(())
    }

    fn level_at(&self, folded: &str, at: usize, in_head: bool) -> HitLevel {
        let whole = if in_head { HitLevel::Head } else { HitLevel::Body };
        if let WordPattern::Wild(parts) = self.form {
            return if wild_at(folded, at, parts).is_some() { whole } else { HitLevel::None };
        }
        let starts = !is_word_before(folded, at);
        let ends = !is_word_at(folded, at + self.finder.needle().len());
        match (starts, ends) {
            (true, true) => whole,
            (true, false) => HitLevel::Prefix,
            (false, _) => HitLevel::Part,
        }
    }
}

/// Compares title, tags and id, for entries that the word itself does not hit.
fn scan_fuzzy(
    word: &str,
    fuzzy: &SkimMatcherV2,
    text: &DocumentText,
    levels: &mut [HitLevel],
    cancel: &CancelToken,
) -> Option<()> {
    let wanted = letters(word);
    let reach = FUZZY_REACH * word.chars().count();
    for (index, (slot, level)) in text.slots.iter().zip(levels).enumerate() {
        if index.is_multiple_of(64) {
            cancel.check()?;
        }
        if *level > HitLevel::None || slot.letters & wanted != wanted {
            continue;
        }
        let alike = |part: &str| {
            let places = fuzzy.fuzzy_indices(part, word).map(|(_, places)| places);
            let ends = places.and_then(|places| places.first().copied().zip(places.last().copied()));
            ends.is_some_and(|(first, last)| last - first < reach)
        };
        if text.head(index).any(alike) {
            *level = HitLevel::Part;
        }
    }
    Some(())
}

/// Returns the end of a word with stars whose first piece is at `at`. Taking the first place of each piece
/// before the last is right, because a star matches anything but white space.
pub(super) fn wild_at(text: &str, at: usize, parts: &[String]) -> Option<usize> {
    let bound_start = parts.first().is_some_and(|part| !part.is_empty());
    let bound_end = parts.last().is_some_and(|part| !part.is_empty());
    if bound_start && is_word_before(text, at) {
        return None;
    }
    let window = bytes_of_word(text, at);
    let mut pieces = parts.iter().filter(|part| !part.is_empty()).peekable();
    let mut end = at + pieces.next()?.len();
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().is_none() && bound_end;
        let rest = window.get(end - at..)?;
        let mut places = memmem::find_iter(rest, piece.as_bytes()).map(|found| end + found + piece.len());
        end = places.find(|&end| !last || !is_word_at(text, end))?;
    }
    (!bound_end || !is_word_at(text, end)).then_some(end)
}

/// Returns the bytes from `at` to the next white space, at most [`STAR`].
fn bytes_of_word(text: &str, at: usize) -> &[u8] {
    let bytes = text.as_bytes().get(at..).unwrap_or_default();
    let bytes = bytes.get(..STAR).unwrap_or(bytes);
    let end = bytes.iter().position(|byte| matches!(byte, b' ' | b'\n')).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default()
}

/// True if a letter or digit is right before `at`.
pub(super) fn is_word_before(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric))
}

/// True if a letter or digit is at `at`.
pub(super) fn is_word_at(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}
