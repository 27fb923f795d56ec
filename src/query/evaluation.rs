//! Walks all entries of a snapshot and tests them against a query.

use std::collections::HashSet;

use super::filter::{Candidate, Pattern, ResolvedNames, StateScope};
use super::query_tree::{Clause, QueryNode};
use super::saved_query::SavedQueryResult;
use super::{CancelToken, Matches, Query, Request, SavedQueryRefusal};
use crate::model::{EntryRef, Moment, NameKind, Record, Snapshot, State, Store};

/// The cancel token is checked once per this many entries.
const STRIDE: usize = 1024;

/// Calls `visit` with each entry. `None` if cancelled.
pub(super) fn each_candidate<'a>(
    snapshot: &'a Snapshot,
    cancel: &CancelToken,
    mut visit: impl FnMut(EntryRef, &Candidate<'a>),
) -> Option<()> {
    for (index, store) in snapshot.stores.iter().enumerate() {
        let mut times = NeighbourTimes::default();
        for (position, entry) in store.entries.iter().enumerate() {
            if position.is_multiple_of(STRIDE) {
                cancel.check()?;
            }
            let memory = store.memory(entry);
            let known = store.time_with(entry, memory.and_then(|memory| memory.created)).map(|time| time.at);
            let time = match memory {
                None if known.is_none() => times.of_broken(store, entry.document),
                _ => times.note(entry.document, known),
            };
            let at = EntryRef { store: index as u32, entry: position as u32 };
            visit(at, &Candidate { at, store, entry, memory, time });
        }
    }
    Some(())
}

/// Times for broken records, so that they are listed beside their neighbours: the time of the nearest earlier
/// record with a time in the document, or else of its first one.
#[derive(Default)]
struct NeighbourTimes {
    document: Option<u32>,
    last: Option<Moment>,
}

impl NeighbourTimes {
    fn note(&mut self, document: u32, time: Option<Moment>) -> Option<Moment> {
        if time.is_some() {
            (self.document, self.last) = (Some(document), time);
        }
        time
    }

    fn of_broken(&mut self, store: &Store, document: u32) -> Option<Moment> {
        if self.document != Some(document) {
            let records = store.documents.get(document as usize).map(|own| &own.records);
            let mut memories = records.into_iter().flatten().filter_map(Record::memory);
            let first = memories.find_map(|memory| memory.created);
            (self.document, self.last) = (Some(document), first);
        }
        self.last
    }
}

/// A query resolved against a snapshot. It decides which entries match.
pub(super) struct ResolvedQuery<'a> {
    query: &'a Query,
    matches: &'a Matches,
    names: Vec<ResolvedNames>,
    related: Vec<HashSet<EntryRef>>,
    saved: Vec<SavedQueryResult>,
}

impl<'a> ResolvedQuery<'a> {
    /// Resolves the query. Returns the reason if a saved query in it is not run, `None` if cancelled.
    pub fn new(
        request: &Request<'a>,
        matches: &'a Matches,
        cancel: &CancelToken,
    ) -> Option<Result<Self, SavedQueryRefusal>> {
        let Request { query, snapshot, .. } = *request;
        let mut saved = Vec::new();
        for named in &query.saved {
            let is_seen = |state| is_visible(state, query.asks(), request.all);
            match named.run(snapshot, &is_seen, cancel)? {
                Ok(ran) => saved.push(ran),
                Err(why) => return Some(Err(SavedQueryRefusal { span: named.span.clone(), why })),
            }
        }
        let names = query.names.iter().map(|name| name.resolve(snapshot)).collect();
        let depth = query.depth.unwrap_or(1);
        let related = query.related.iter().map(|patterns| related(snapshot, patterns, depth)).collect();
        Some(Ok(ResolvedQuery { query, matches, names, related, saved }))
    }

    /// Returns the place of an entry in an ordered saved query that is a clause at the top of the query.
    pub fn place(&self, at: EntryRef) -> Option<usize> {
        let of_saved = |clause: &Clause| match clause.node {
            QueryNode::Saved(index) => self.saved.get(index).filter(|ran| ran.is_ordered),
            _ => None,
        };
        self.query.clauses.iter().find_map(of_saved)?.places.get(&at).copied()
    }

    /// Returns the numbers of the clauses that exclude an entry. [`is_visible`] tests its state.
    pub fn failing(&self, at: EntryRef, candidate: &Candidate<'_>) -> impl Iterator<Item = usize> {
        let clauses = self.query.clauses.iter().enumerate();
        clauses.filter(move |(_, clause)| !self.node(&clause.node, at, candidate)).map(|(number, _)| number)
    }

    /// True if only what the query says about times excludes an entry, and the entry has none.
    pub fn lacks_time(&self, at: EntryRef, candidate: &Candidate<'_>) -> bool {
        let mut others = self.query.clauses.iter().filter(|clause| !clause.node.asks_time());
        candidate.time.is_none() && others.all(|clause| self.node(&clause.node, at, candidate))
    }

    fn node(&self, node: &QueryNode, at: EntryRef, candidate: &Candidate<'_>) -> bool {
        match node {
            QueryNode::All(nodes) => nodes.iter().all(|node| self.node(node, at, candidate)),
            QueryNode::Any(nodes) => nodes.iter().any(|node| self.node(node, at, candidate)),
            QueryNode::Not(node) => !self.node(node, at, candidate),
            QueryNode::Word(word) => self.matches.hits(*word, at),
            QueryNode::Name(name) => {
                self.names.get(*name).is_some_and(|names| names.holds(at.store as usize, candidate.entry))
            }
            QueryNode::Related(index) => {
                self.related.get(*index).is_some_and(|related| related.contains(&at))
            }
            QueryNode::Saved(index) => self.saved.get(*index).is_some_and(|ran| ran.places.contains_key(&at)),
            QueryNode::Filter(filter) => filter.holds(candidate),
        }
    }
}

/// True if a query that asks for `asks` searches entries in `state`.
pub(super) fn is_visible(state: State, asks: StateScope, all: bool) -> bool {
    match state {
        State::Live | State::Broken => true,
        State::Archived => all || asks.archived,
        State::Deleted => all || asks.deleted,
    }
}

/// Returns the entries within `depth` references, in either direction, of the entries with an id or other
/// name that matches `patterns`. Those entries themselves are left out.
fn related(snapshot: &Snapshot, patterns: &[Pattern], depth: usize) -> HashSet<EntryRef> {
    reachable(snapshot, snapshot.entries().filter(|at| is_meant(snapshot, *at, patterns)).collect(), depth)
}

/// Returns the entries within `depth` references, in either direction, of `start`, without `start` itself.
pub fn reachable(snapshot: &Snapshot, start: HashSet<EntryRef>, depth: usize) -> HashSet<EntryRef> {
    let mut seen = start.clone();
    let mut edge: Vec<EntryRef> = start.iter().copied().collect();
    for _ in 0..depth {
        let mut next = Vec::new();
        for at in edge {
            let store = snapshot.get(at).0;
            let others = snapshot.references().links_of(store, at).into_iter().filter_map(|tie| tie.other);
            next.extend(others.filter(|other| seen.insert(*other)));
        }
        if next.is_empty() {
            break;
        }
        edge = next;
    }
    seen.retain(|at| !start.contains(at));
    seen
}

fn is_meant(snapshot: &Snapshot, at: EntryRef, patterns: &[Pattern]) -> bool {
    let (store, entry) = snapshot.get(at);
    let Some(memory) = store.memory(entry) else { return false };
    let others = memory.names().filter(|name| name.of == NameKind::Record).map(|name| name.text);
    memory.id().into_iter().chain(others).any(|name| patterns.iter().any(|own| own.matches(name)))
}
