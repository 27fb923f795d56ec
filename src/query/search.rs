//! Runs a query: finds the results, orders them, and says what hides others.

use std::ops::Range;

use super::cancel::CancelToken;
use super::evaluation::{Exclusion, ResolvedQuery, each_candidate, is_visible};
use super::filter::{Candidate, StateScope};
use super::query_tree::{Order, Query};
use super::rank::RankFactors;
use super::word_match::Matches;
use crate::model::{EntryRef, Moment, State};
use crate::query::search_request::Request;
use crate::query::search_results::{Hit, Results};

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
        let exclusion = meaning.kept_out(at, candidate);
        timeless += usize::from(exclusion != Exclusion::ByNone && meaning.lacks_time(at, candidate));
        match exclusion {
            Exclusion::ByNone => {}
            Exclusion::By(clause) => return hidden.note(clause, candidate.entry.state, request.all),
            Exclusion::BySeveral => return,
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
