//! What a search that finds nothing may have meant: words that are spelled nearly like those typed, and values of a
//! field that begin with the typed one or contain it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use strsim::osa_distance;

use super::evaluation::{ResolvedQuery, each_candidate, is_visible};
use super::query_tree::{QueryNode, WordPattern};
use super::text_index::letters;
use super::{
    CancelToken, Matches, Query, Request, Results, SimilarWord, TextIndex, quoted_pattern, search_in,
};
use crate::model::EntryRef;

/// A shorter word is like most others.
const SHORTEST: usize = 4;
/// From this length on, two letters may be wrong.
const LONG: usize = 7;
/// Words of larger stores are not compared.
const MOST_BYTES: u64 = 256 << 20;

/// A search that was run with similar words: its query, where these words are, and what it finds.
pub struct SimilarSearch {
    pub query: Query,
    /// The places of the words.
    pub matches: Matches,
    pub results: Results,
}

impl Query {
    /// Returns the query with similar words in place of those typed.
    pub fn with_similar(mut self, similar: &[SimilarWord]) -> Query {
        for word in &mut self.words {
            if let Some(similar) = similar.iter().find(|similar| similar.typed == word.typed) {
                word.form = WordPattern::Plain(similar.taken.clone());
                word.typed.clone_from(&similar.taken);
            }
        }
        self
    }

    /// Returns the clauses that are one word each, typed without quotes: the number, the word as typed, and folded.
    fn plain_words(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        self.clauses.iter().enumerate().filter_map(|(number, clause)| {
            let QueryNode::Word(index) = clause.node else { return None };
            let word = self.words.get(index)?;
            let WordPattern::Plain(folded) = &word.form else { return None };
            let is_word = folded.chars().all(char::is_alphabetic) && folded.chars().count() >= SHORTEST;
            (is_word && clause.span.len() == word.typed.len()).then_some((number, &*word.typed, &**folded))
        })
    }
}

/// Runs a search that found nothing once more, with similar words in place of those that no memory has. `None` if that
/// finds nothing either, if the search found something, or if cancelled.
pub fn similar_search(
    request: &Request<'_>,
    matches: &Matches,
    found: &Results,
    cancel: &CancelToken,
) -> Option<SimilarSearch> {
    if !found.hits.is_empty() {
        return None;
    }
    let (missing, memories) = missing_words(request, matches, cancel)?;
    let counts = count_words(request, &memories, cancel)?;
    let similar = missing.iter().map(|(typed, folded)| {
        let counts = counts.iter().take_while(|_| !cancel.is_cancelled());
        let near = counts.filter_map(|(word, count)| Some((distance(folded, word)?, Reverse(count), word)));
        let (.., taken) = near.min()?;
        Some(SimilarWord { typed: (*typed).to_owned(), taken: taken.clone() })
    });
    let similar: Vec<SimilarWord> = similar.collect::<Option<_>>()?;
    let query = request.query.clone().with_similar(&similar);
    let request = Request { query: &query, ..*request };
    let matches = request.matches(cancel)?;
    let results = Results { similar, ..search_in(&request, &matches, cancel)? };
    (!results.hits.is_empty()).then_some(SimilarSearch { query, matches, results })
}

/// A word that no memory has: as it was typed, and folded.
type MissingWord<'a> = (&'a str, &'a str);

/// Returns the words, as typed and folded, that none of the memories has that everything else in the query finds, and
/// those of these memories that have all other words.
fn missing_words<'a>(
    request: &Request<'a>,
    matches: &Matches,
    cancel: &CancelToken,
) -> Option<(Vec<MissingWord<'a>>, HashSet<EntryRef>)> {
    let mut words: Vec<(usize, &str, &str)> = request.query.plain_words().collect();
    if words.is_empty() {
        return None;
    }
    let meaning = ResolvedQuery::new(request, matches, cancel)?.ok()?;
    let (asks, is_word) =
        (request.query.asks(), |clause: &usize| words.iter().any(|(word, ..)| word == clause));
    let mut lacking: HashMap<Vec<usize>, HashSet<EntryRef>> = HashMap::new();
    each_candidate(request.snapshot, cancel, |at, candidate| {
        let failing: Vec<usize> = meaning.failing(at, candidate).collect();
        if is_visible(candidate.entry.state, asks, request.all) && failing.iter().all(is_word) {
            lacking.entry(failing).or_default().insert(at);
        }
    })?;
    words.retain(|(clause, ..)| lacking.keys().all(|failing| failing.contains(clause)));
    let missing: Vec<usize> = words.iter().map(|(clause, ..)| *clause).collect();
    let memories = lacking.remove(&missing).filter(|_| !missing.is_empty())?;
    Some((words.into_iter().map(|(_, typed, folded)| (typed, folded)).collect(), memories))
}

/// Returns the words of memories, each with the number of memories that have it.
fn count_words(
    request: &Request<'_>,
    memories: &HashSet<EntryRef>,
    cancel: &CancelToken,
) -> Option<HashMap<String, usize>> {
    let is_small = request.snapshot.stores.iter().map(|store| store.bytes).sum::<u64>() <= MOST_BYTES;
    let built = match request.text.filter(|text| text.is_of(request.snapshot)) {
        Some(text) => text.clone(),
        None if is_small => TextIndex::build(request.snapshot, None, cancel)?,
        None => return None,
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    let chunks = built.chunks().zip(0_u32..);
    for (store, chunk) in chunks.flat_map(|(all, store)| all.iter().map(move |chunk| (store, chunk))) {
        let mut start = 0;
        for (slot, entry) in chunk.text.slots.iter().zip(chunk.first as u32..) {
            cancel.check()?;
            let text = &chunk.text.folded[start..slot.end];
            start = slot.end;
            if memories.contains(&EntryRef { store, entry }) {
                let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
                words.into_iter().for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
            }
        }
    }
    Some(counts)
}

/// Returns how much a word, or the beginning of a longer one, differs from the typed word. `None` if it is too much. A
/// whole word is nearer than a beginning. Two exchanged letters count as one.
fn distance(typed: &str, word: &str) -> Option<(usize, bool)> {
    let len = typed.chars().count();
    let most = if len < LONG { 1 } else { 2 };
    let lacks = (letters(typed) & !letters(word)).count_ones() as usize;
    if lacks > most || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let near = |word: &str| Some(osa_distance(typed, word)).filter(|far| *far <= most);
    let ends = word.char_indices().map(|(end, _)| end).skip(len - most).take(2 * most + 1);
    // The comparison takes time for each letter of both, and a word in a file may be as long as the file.
    let is_short = word.chars().nth(len + most).is_none();
    let whole = Some(word).filter(|_| is_short).and_then(near).map(|far| (far, false));
    whole.or_else(|| ends.filter_map(|end| near(&word[..end])).min().map(|far| (far, true)))
}

/// Names a wider term for one because of which a search found nothing: no value of its field is exactly the typed one.
/// `None` if there is none that helps, if the search found something, or if cancelled.
pub fn wider_term(
    request: &Request<'_>,
    matches: &Matches,
    found: &Results,
    cancel: &CancelToken,
) -> Option<String> {
    let mut clauses = request.query.clauses.iter().enumerate().filter(|_| found.hits.is_empty());
    clauses.find_map(|(number, clause)| {
        let QueryNode::Filter(filter) = &clause.node else { return None };
        let (asks, mut is_there) = (request.query.asks(), false);
        each_candidate(request.snapshot, cancel, |_, candidate| {
            is_there |= is_visible(candidate.entry.state, asks, request.all) && filter.holds(candidate);
        })?;
        ["", "*"].into_iter().filter(|_| !is_there).find_map(|before| {
            let (field, value, wider) = filter.wider(before)?;
            let mut query = Query { limit: None, ..request.query.clone() };
            query.clauses.get_mut(number)?.node = QueryNode::Filter(wider);
            let count = search_in(&Request { query: &query, ..*request }, matches, cancel)?.hits.len();
            let is_plain = value.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
            let pattern = format!("{before}{value}*");
            let pattern = if is_plain { pattern } else { quoted_pattern(&pattern) };
            let said = format!("no {field} is exactly “{value}”: `{field}:{pattern}` finds {count}");
            (count > 0).then_some(said)
        })
    })
}
