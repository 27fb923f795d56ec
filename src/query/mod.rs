//! Find and rank. Pure: no disk, no clock.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::{EntryRef, Moment, Snapshot};

/// A parsed query.
#[derive(Clone, Debug, Default)]
pub struct Query {}

/// Where and why a query can't be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// What is wrong and what would be right, in a sentence.
    pub message: String,
}

impl Query {
    /// Parses the query language of `docs/query.md`; `now` fixes relative times.
    pub fn parse(text: &str, now: Moment) -> Result<Query, QueryError> {
        let _ = (text, now);
        Ok(Query {})
    }

    /// Whether it asks for nothing in particular.
    pub fn is_empty(&self) -> bool {
        true
    }
}

/// How results are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// `importance × decay × recency × match`.
    #[default]
    Product,
    /// `0.4 text + 0.3 time + 0.2 importance + 0.1 access`.
    Weighted,
}

/// What results are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Best first.
    #[default]
    Rank,
    /// Newest first.
    Time,
    /// Most important first.
    Importance,
    /// Largest first.
    Size,
}

/// Tells a running search that a newer one has been asked for.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    newest: Arc<AtomicU64>,
    own: u64,
}

impl Cancel {
    /// A token for a new search; every token given out before is cancelled by it.
    pub fn next(&self) -> Cancel {
        let own = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        Cancel { newest: Arc::clone(&self.newest), own }
    }

    /// Whether a newer search has been asked for.
    pub fn is_cancelled(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.own
    }
}

/// Folded text of every entry, document by document; unchanged documents are shared
/// with the index built before.
#[derive(Clone, Debug, Default)]
pub struct TextIndex {}

impl TextIndex {
    /// Folds the text of every entry; `None` when cancelled.
    pub fn build(snapshot: &Snapshot, previous: Option<&TextIndex>, cancel: &Cancel) -> Option<TextIndex> {
        let _ = (snapshot, previous, cancel);
        Some(TextIndex {})
    }
}

/// What to search, in what, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The stores searched.
    pub snapshot: &'a Snapshot,
    /// Their text. A query without words needs none.
    pub text: Option<&'a TextIndex>,
    /// What is asked.
    pub query: &'a Query,
    /// How to rank.
    pub ranking: Ranking,
    /// What to order by, where the query does not say (`sort:`).
    pub order: Order,
    /// Whether archived and deleted records are searched although the query does not ask for them.
    pub all: bool,
    /// The time of the ranking.
    pub now: Moment,
}

/// One result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which entry.
    pub at: EntryRef,
    /// Its rank value; `None` for a broken record.
    pub rank: Option<f64>,
    /// Its decay factor, 0 to 1.
    pub decay: f64,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Best first (or as ordered).
    pub hits: Vec<Hit>,
    /// For an empty result: the part of the query whose removal would bring back most,
    /// and how many it would.
    pub blocker: Option<(Range<usize>, usize)>,
}

/// Runs a search; `None` when cancelled.
pub fn search(request: &Request<'_>, cancel: &Cancel) -> Option<Results> {
    let _ = (request, cancel);
    Some(Results::default())
}

/// Every factor of one entry's rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Which formula.
    pub ranking: Ranking,
    /// 0 to 1.
    pub importance: f64,
    /// 0 to 1.
    pub decay: f64,
    /// Hours since creation, if known.
    pub age_hours: Option<f64>,
    /// The half-life used; `None` for what never fades.
    pub half_life_hours: Option<f64>,
    /// The floor used.
    pub min_decay: f64,
    /// 1.0 to 1.5 (product).
    pub recency: f64,
    /// The match quality, 0 to 1; 1 where the query has no words.
    pub matched: f64,
    /// The access part of the weighted sum.
    pub access: f64,
    /// The rank.
    pub rank: f64,
    /// What each word and phrase contributed.
    pub words: Vec<WordHit>,
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
    let _ = (request, at);
    None
}
