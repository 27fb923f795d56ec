//! Runs a query: what to search, the results in their order, and what hides others.

use std::ops::Range;

use serde::Serialize;

use super::evaluation::{ResolvedQuery, each_candidate, is_visible};
use super::filter::{Candidate, StateScope};
use super::{CancelToken, Matches, Order, Query, RankFactors, Ranking, SavedQueryRefusal, TextIndex};
use crate::model::{EntryRef, Moment, Snapshot, State};

/// What to search for, where, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The stores to search.
    pub snapshot: &'a Snapshot,
    /// Their text. A query without words needs none. For a query with words, if the text is missing or of an
    /// older snapshot, the search reads the records, which takes time.
    pub text: Option<&'a TextIndex>,
    pub query: &'a Query,
    /// The formula of the rank.
    pub ranking: Ranking,
    /// The order if the query has no `sort:`.
    pub order: Order,
    /// True to search archived and deleted records even if the query does not ask for them.
    pub all: bool,
    /// The time for the ranks.
    pub now: Moment,
}

impl Request<'_> {
    /// Finds the words of the query. `None` if cancelled. A search and all explanations of the same words in
    /// the same stores can share the result.
    pub fn matches(&self, cancel: &CancelToken) -> Option<Matches> {
        self.matches_within(None, cancel)
    }

    /// Like [`Request::matches`], with the matches of an earlier query in the same stores. If the user only
    /// typed more letters, only the entries that matched before are searched.
    pub fn matches_within(&self, before: Option<&Matches>, cancel: &CancelToken) -> Option<Matches> {
        if !self.query.has_words() {
            return Some(Matches::default());
        }
        let text = self.text.filter(|text| text.is_of(self.snapshot));
        let within = before.and_then(|before| before.within(self.query));
        Matches::find(self.query, self.snapshot, (text, within.as_ref()), cancel)
    }
}

/// One result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub at: EntryRef,
    /// The rank; `None` for a broken record.
    pub rank: Option<f64>,
    /// The decay, 0 to 1; 0 for a broken record.
    pub decay: f64,
}

/// A word that no searched memory has, and the word of these memories that is searched instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimilarWord {
    /// The word as typed.
    pub typed: String,
    /// The other word, folded. It has only letters.
    pub taken: String,
}

/// The outcome of a pick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickSummary {
    /// The figure of each result, at most eight columns wide.
    pub figures: Vec<String>,
    /// The entries to mark.
    pub marked: Vec<EntryRef>,
    /// What was found, and what is marked.
    pub summary: String,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The results, in the order of the request.
    pub hits: Vec<Hit>,
    /// The part of the query whose removal would add the most results, and their number.
    pub blocker: Option<(Range<usize>, usize)>,
    /// How many memories fit except for a condition on their time, which is not known.
    pub timeless: usize,
    /// The words that were searched instead of those typed, because no memory has these.
    pub similar: Vec<SimilarWord>,
    /// Which wider term finds something, as a part of a sentence, if nothing was found.
    pub wider: Option<String>,
    /// The outcome of the pick, if the results were picked.
    pub picked: Option<PickSummary>,
    /// The reason if nothing was searched because a saved query is not run.
    pub refused: Option<SavedQueryRefusal>,
}

impl Results {
    /// Says how many memories no condition on a time can find. `None` if there are none.
    pub fn timeless_note(&self) -> Option<String> {
        match self.timeless {
            0 => None,
            1 => Some("1 memory has no known time and is not among them".to_owned()),
            several => Some(format!("{several} memories have no known time and are not among them")),
        }
    }

    /// Says which words were searched instead of those typed. `None` if all are as typed.
    pub fn similar_note(&self) -> Option<String> {
        let word = |own: &SimilarWord| format!("nothing has “{}”; shown is “{}”", own.typed, own.taken);
        let words: Vec<String> = self.similar.iter().map(word).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Returns what is to be said about the results.
    pub fn notes(&self) -> Vec<String> {
        [self.similar_note(), self.wider.clone(), self.timeless_note()].into_iter().flatten().collect()
    }

    /// Returns the results, or the reason why a saved query is not run.
    pub fn answered(self) -> Result<Results, SavedQueryRefusal> {
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self),
        }
    }
}

/// Runs a search. `None` if cancelled.
pub fn search(request: &Request<'_>, cancel: &CancelToken) -> Option<Results> {
    search_in(request, &request.matches(cancel)?, cancel)
}

/// Runs a search with existing matches of its words. `None` if cancelled.
pub fn search_in(request: &Request<'_>, matches: &Matches, cancel: &CancelToken) -> Option<Results> {
    let meaning = match ResolvedQuery::new(request, matches, cancel)? {
        Ok(meaning) => meaning,
        Err(refused) => return Some(Results { refused: Some(refused), ..Results::default() }),
    };
    let order = request.query.order.unwrap_or(request.order);
    let min = request.query.min_rank.as_ref();
    let asks = request.query.asks();
    let (mut found, mut too_low, mut timeless) = (Vec::new(), 0, 0);
    let mut hidden = HiddenCounts::by(request.query);
    each_candidate(request.snapshot, cancel, |at, candidate| {
        if !is_visible(candidate.entry.state, asks, request.all) {
            return;
        }
        let mut failing = meaning.failing(at, candidate);
        if let (Some(clause), another) = (failing.next(), failing.next()) {
            timeless += usize::from(meaning.lacks_time(at, candidate));
            if another.is_none() {
                hidden.note(clause, candidate.entry.state, request.all);
            }
            return;
        }
        let hit = hit(request, matches, at, candidate);
        if min.is_some_and(|min| hit.rank.is_none_or(|rank| rank < min.value)) {
            too_low += 1;
        } else {
            // The order of a saved query counts only without `sort:`.
            let place = meaning.place(at).filter(|_| request.query.order.is_none());
            let sorted = SortedHit::new(hit, candidate, order);
            found.push(SortedHit { key: place.map_or(sorted.key, |place| -(place as f64)), ..sorted });
        }
    })?;
    let too_low = min.map(|min| (min.span.clone(), too_low));
    let most = hidden.most(request.query, !found.is_empty());
    let blocker = too_low.into_iter().chain(most).max_by_key(|(_, count)| *count);
    let blocker = blocker.filter(|(_, count)| *count > 0);
    cancel.check()?;
    let found = sorted(found, request.query.limit);
    cancel.check()?;
    let hits = found.into_iter().map(|found| found.hit).collect();
    Some(Results { hits, blocker, timeless, ..Results::default() })
}

fn hit(request: &Request<'_>, matches: &Matches, at: EntryRef, candidate: &Candidate<'_>) -> Hit {
    let Candidate { store, entry, memory, .. } = *candidate;
    let Some(memory) = memory else { return Hit { at, rank: None, decay: 0.0 } };
    let factors = RankFactors::of(store, entry, memory, matches.quality(at), request.ranking, request.now);
    Hit { at, rank: Some(factors.rank), decay: factors.decay }
}

/// A hit with its sort key.
struct SortedHit {
    /// The greater comes first.
    key: f64,
    /// Decides between equal keys: the newer comes first.
    time: Option<Moment>,
    hit: Hit,
}

impl SortedHit {
    fn new(hit: Hit, candidate: &Candidate<'_>, order: Order) -> SortedHit {
        let key = match order {
            Order::Rank => hit.rank,
            // Microseconds of about 285 years fit an f64 exactly. Equal keys are ordered by `time`.
            Order::Time => candidate.time.map(|time| time.0 as f64),
            Order::Oldest => candidate.time.map(|time| -(time.0 as f64)),
            Order::Importance => candidate.memory.map(|memory| memory.importance),
            Order::Size => Some(candidate.store.record(candidate.entry).span.len() as f64),
        };
        SortedHit { key: key.unwrap_or(f64::NEG_INFINITY), time: candidate.time, hit }
    }

    fn before(&self, other: &SortedHit) -> std::cmp::Ordering {
        let newer = other.time.cmp(&self.time);
        other.key.total_cmp(&self.key).then(newer).then(self.hit.at.cmp(&other.hit.at))
    }
}

fn sorted(mut found: Vec<SortedHit>, limit: Option<usize>) -> Vec<SortedHit> {
    if let Some(limit) = limit
        && limit < found.len()
    {
        found.select_nth_unstable_by(limit, SortedHit::before);
        found.truncate(limit);
    }
    found.sort_unstable_by(SortedHit::before);
    found
}

/// The number of entries that each clause of a query alone excludes.
struct HiddenCounts {
    counts: Vec<usize>,
    /// The hidden states that the query asks for without each clause. Without `is:archived` they are fewer.
    asks: Vec<StateScope>,
}

impl HiddenCounts {
    fn by(query: &Query) -> HiddenCounts {
        let clauses = &query.clauses;
        let asks_without = |left_out: usize| {
            let others = clauses.iter().enumerate().filter(|(index, _)| *index != left_out);
            others.fold(StateScope::default(), |asks, (_, clause)| asks.or(clause.node.asks(true)))
        };
        HiddenCounts { counts: vec![0; clauses.len()], asks: (0..clauses.len()).map(asks_without).collect() }
    }

    /// Counts an entry that only this clause excludes.
    fn note(&mut self, clause: usize, state: State, all: bool) {
        if let Some((count, asks)) = self.counts.get_mut(clause).zip(self.asks.get(clause))
            && is_visible(state, *asks, all)
        {
            *count += 1;
        }
    }

    /// Returns the clause that hides most. If there are results, only clauses whose removal loses none of
    /// them count: without `is:archived` some are lost, and under a limit others take their place.
    fn most(&self, query: &Query, has_results: bool) -> Option<(Range<usize>, usize)> {
        let all = query.asks();
        let only_hides = |asks: StateScope| !has_results || asks == all && query.limit.is_none();
        let counts = self.counts.iter().zip(&self.asks).map(|(count, asks)| (*count, *asks));
        let hiding = query.clauses.iter().zip(counts).filter(|(_, (_, asks))| only_hides(*asks));
        let (clause, (count, _)) = hiding.max_by_key(|(_, (count, _))| *count)?;
        Some((clause.span.clone(), count))
    }
}
