//! Why an entry ranks as it does, factor by factor.

use super::cancel::Cancel;
use super::matching::{Matches, idf};
use super::rank::{Factors, Ranking};
use super::search::Request;
use crate::format::{self, writing::AtFloor};
use crate::model::{DecayRule, EntryRef, Keep, Store, View};

/// Every factor of one entry's rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Which formula.
    pub ranking: Ranking,
    /// What makes the rank.
    pub factors: Factors,
    /// What each word and phrase contributed.
    pub words: Vec<WordHit>,
    /// For how long the user keeps it from fading.
    pub keep: Option<Keep>,
    /// What a compaction does with it when it has faded.
    pub at_floor: AtFloor,
}

/// What one word or phrase of the query contributed to a match.
#[derive(Clone, Debug, PartialEq)]
pub struct WordHit {
    /// The word, as typed.
    pub word: String,
    /// 1.0, 0.8, 0.6, 0.4 or 0.
    pub hit: f64,
    /// `ln(1 + N/df)`.
    pub idf: f64,
    /// How many records have it.
    pub df: usize,
    /// Of how many.
    pub n: usize,
}

/// Explains one entry's rank; `None` for a broken record.
pub fn explain(request: &Request<'_>, at: EntryRef) -> Option<Explanation> {
    explain_in(request, &request.matches(&Cancel::default())?, at)
}

/// Explains the rank of an entry whose words were looked for already: in everything, for
/// their weights depend on all entries.
pub fn explain_in(request: &Request<'_>, matches: &Matches, at: EntryRef) -> Option<Explanation> {
    let store = request.snapshot.stores.get(at.store as usize)?;
    let entry = store.entries.get(at.entry as usize)?;
    let view = store.view(entry)?;
    let factors = Factors::of(store, entry, view, matches.quality(at), request.ranking, request.now);
    let words = request.query.wanted_words().map(|(index, word)| {
        let df = matches.words.get(index).map_or(0, |levels| levels.df);
        let hit = matches.level(index, at).value();
        WordHit { word: word.typed.clone(), hit, idf: idf(matches.n, df), df, n: matches.n }
    });
    let keep = Keep::of(view.tags);
    let at_floor = at_floor(store, view, factors.fading.rule);
    Some(Explanation { ranking: request.ranking, factors, words: words.collect(), keep, at_floor })
}

/// What a compaction does with a memory that has faded.
pub fn at_floor(store: &Store, view: View<'_>, rule: DecayRule) -> AtFloor {
    format::by_name(store.format).map_or(AtFloor::Stays, |format| format.at_floor(store, view, rule))
}
