//! Explains the rank of an entry, factor by factor.

use serde::Serialize;

use super::word_match::idf;
use super::{CancelToken, Matches, Query, RankFactors, Ranking, Request, words_in};
use crate::format::writing::FloorOutcome;
use crate::format::{self, record_details, text_of};
use crate::model::{DecayRule, Entry, EntryRef, Keep, Store, StoredMemory, UntrustedText};

/// Every factor of one entry's rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The formula.
    pub ranking: Ranking,
    pub factors: RankFactors,
    /// What each word and phrase contributes.
    pub words: Vec<WordHit>,
    /// How long the user keeps it from fading.
    pub keep: Option<Keep>,
    /// What a compaction does with it after it has faded.
    pub at_floor: FloorOutcome,
}

/// What one word or phrase of the query contributes to a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordHit {
    /// The word as typed.
    pub word: String,
    /// How well it hits: 1.0, 0.8, 0.6, 0.4 or 0.
    pub hit: f64,
    /// `ln(1 + N/df)`.
    pub idf: f64,
    /// The number of readable live records that have it.
    pub df: usize,
    /// The number of readable live records.
    pub n: usize,
    /// The names of the fields of the entry that have it. Untrusted text.
    #[serde(skip)]
    pub fields: Vec<String>,
}

/// Explains the rank of one entry. `None` for a broken record.
pub fn explain(request: &Request<'_>, at: EntryRef) -> Option<Explanation> {
    explain_in(request, &request.matches(&CancelToken::default())?, at)
}

/// Explains the rank of an entry from matches of all entries, because the weights of words depend on all.
pub fn explain_in(request: &Request<'_>, matches: &Matches, at: EntryRef) -> Option<Explanation> {
    let store = request.snapshot.stores.get(at.store as usize)?;
    let entry = store.entries.get(at.entry as usize)?;
    let memory = store.memory(entry)?;
    let factors = RankFactors::of(store, entry, memory, matches.quality(at), request.ranking, request.now);
    let found = fields(request.query, store, entry);
    let words = request.query.wanted_words().enumerate().map(|(number, (index, word))| {
        let fields = found.get(number).cloned().unwrap_or_default();
        let df = matches.words.get(index).map_or(0, |levels| levels.df);
        let hit = matches.level(index, at).value();
        WordHit { word: word.typed.clone(), hit, idf: idf(matches.n, df), df, n: matches.n, fields }
    });
    let keep = Keep::of(memory.tags());
    let at_floor = floor_outcome(store, memory, factors.fading.rule);
    Some(Explanation { ranking: request.ranking, factors, words: words.collect(), keep, at_floor })
}

/// Returns what a compaction does with a memory that has faded.
pub fn floor_outcome(store: &Store, memory: &StoredMemory, rule: DecayRule) -> FloorOutcome {
    format::by_name(store.format)
        .map_or(FloorOutcome::Stays, |format| format.floor_outcome(store, memory, rule))
}

fn fields(query: &Query, store: &Store, entry: &Entry) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new(); query.wanted_words().count()];
    if found.is_empty() {
        return found;
    }
    let mut look = |fields: Vec<(String, UntrustedText)>| {
        for (name, text) in fields {
            for (own, _) in found.iter_mut().zip(words_in(text.raw(), query)).filter(|(_, is_in)| *is_in) {
                if !own.contains(&name) {
                    own.push(name.clone());
                }
            }
        }
        found.iter().any(Vec::is_empty)
    };
    if look(record_details::searched_fields(store, entry, text_of(store, entry))) {
        look(record_details::searched_strings(store, entry));
    }
    found
}
