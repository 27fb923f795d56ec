//! Searches, and the reasons for a rank.

use std::collections::HashSet;
use std::sync::Arc;

use super::{ExplainedRank, SearchOutcome, SearchRequest, WorkerState};
use crate::disk::host::Host;
use crate::model::{EntryRef, EntryTracker, Snapshot};
use crate::ops::archive::is_in_own_data;
use crate::query::{
    CancelToken, Matches, Query, Request, TextIndex, explain_in, facets, pick_duplicates, search, search_in,
    similar_search, wider_term,
};

/// The text is kept for stores of at most this many bytes.
const TEXT: u64 = 256 << 20;
/// At most this many searches keep where their words are.
const WORDS: usize = 16;

impl WorkerState {
    /// Returns the text of a snapshot, for words that are only similar: these are searched in all
    /// of it, key after key. Every later search needs the text, so no search stops this; otherwise
    /// each key would start it again. Text of larger stores is searched again each time.
    fn text(&mut self, snapshot: &Arc<Snapshot>) -> Option<&TextIndex> {
        let current = self.text.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, snapshot));
        if !current {
            let previous = self.text.as_ref().map(|(_, text)| text);
            let text = TextIndex::build(snapshot, previous, &CancelToken::default())?;
            self.text = Some((Arc::clone(snapshot), text));
        }
        self.text.as_ref().map(|(_, text)| text)
    }

    /// Returns where the words of a query are. They are searched once, even if several ranks are explained.
    fn words(&mut self, asked: &SearchRequest, query: &Query, cancel: &CancelToken) -> Option<Arc<Matches>> {
        self.words.retain(|(of, ..)| Arc::ptr_eq(of, &asked.snapshot));
        if let Some((.., words)) = self.words.iter().find(|(_, text, _)| *text == asked.query) {
            return Some(Arc::clone(words));
        }
        let is_small =
            query.has_fuzzy() && asked.snapshot.stores.iter().map(|own| own.bytes).sum::<u64>() <= TEXT;
        if !is_small {
            self.text = None;
        }
        // If the user continues to type, only the places of the words so far are searched.
        let before = self.words.iter().rev().find(|(.., words)| words.tells(query));
        let before = before.map(|(.., words)| Arc::clone(words));
        let text = if is_small { Some(self.text(&asked.snapshot)?) } else { None };
        let request = asked.request(query, text);
        let words = Arc::new(request.matches_within(before.as_deref(), cancel)?);
        self.words.push((Arc::clone(&asked.snapshot), asked.query.clone(), Arc::clone(&words)));
        let surplus = self.words.len().saturating_sub(WORDS);
        self.words.drain(..surplus);
        Some(words)
    }

    /// Returns the stores with the deleted memories that palimp's own data still holds, as the verbs list
    /// them. Which memories these are depends on all others, so the stores must be read completely.
    fn with_deleted(&mut self, asked: &SearchRequest) -> Result<Arc<Snapshot>, String> {
        let Some(data) = asked.data.as_deref().filter(|_| asked.snapshot.is_whole()) else {
            return Ok(Arc::clone(&asked.snapshot));
        };
        let known = self
            .deleted
            .as_ref()
            .filter(|(of, with)| Arc::ptr_eq(of, &asked.snapshot) || Arc::ptr_eq(with, &asked.snapshot));
        if let Some((_, with)) = known {
            return Ok(Arc::clone(with));
        }
        let with = crate::usecase::with_deleted(&asked.snapshot, Host::here(data, asked.now))?;
        self.deleted = Some((Arc::clone(&asked.snapshot), Arc::clone(&with)));
        Ok(with)
    }
}

pub(super) fn find(
    mut asked: SearchRequest,
    forgives: bool,
    kept: &mut WorkerState,
    cancel: &CancelToken,
) -> Option<SearchOutcome> {
    let of = Arc::clone(&asked.snapshot);
    let query = match (&asked.only, Query::parse(&asked.query, asked.now)) {
        (Some(_), _) => Query::default(),
        (None, Ok(query)) => query,
        (None, Err(error)) => return Some(SearchOutcome { asked, of, outcome: Err(error), unread: None }),
    };
    let mut unread = None;
    let asks_archive = query.asks_archived() && asked.snapshot.stores.iter().any(|own| is_in_own_data(own));
    if asked.deleted || query.asks_deleted() || asks_archive {
        match kept.with_deleted(&asked) {
            Ok(with) => asked.snapshot = with,
            Err(why) => unread = Some(why),
        }
    }
    let results = match &asked.only {
        Some(only) => {
            let mut tracker = EntryTracker::new(&only.of, &asked.snapshot);
            let mut those: HashSet<EntryRef> = HashSet::new();
            for &at in &only.at {
                let now = tracker.find(at, &|now| those.contains(&now));
                those.extend(now);
            }
            let request = Request { all: true, ..asked.request(&query, None) };
            let mut results = search(&request, cancel)?;
            results.hits.retain(|hit| those.contains(&hit.at));
            results
        }
        None => {
            let words = kept.words(&asked, &query, cancel)?;
            let request = asked.request(&query, None);
            let mut found = search_in(&request, &words, cancel)?;
            if forgives && let Some(similar) = similar_search(&request, &words, &found, cancel) {
                found = similar.results;
            }
            found.wider = wider_term(&request, &words, &found, cancel);
            if cancel.is_cancelled() {
                return None;
            }
            let mut found = match found.answered() {
                Ok(found) => found,
                Err(why) => return Some(SearchOutcome { asked, of, outcome: Err(why.into()), unread }),
            };
            // The sort is stable, so each part keeps its order.
            found.hits.sort_by_key(|hit| asked.first.get(hit.at.store as usize) == Some(&false));
            match asked.pick {
                Some(_) => pick_duplicates(&asked.snapshot, found, cancel)?,
                None => found,
            }
        }
    };
    let facets = facets(&asked.snapshot, &results.hits);
    Some(SearchOutcome { asked, of, outcome: Ok((results, facets)), unread })
}

pub(super) fn why(asked: SearchRequest, at: EntryRef, kept: &mut WorkerState) -> Option<ExplainedRank> {
    let query = Query::parse(&asked.query, asked.now).unwrap_or_default().with_similar(&asked.similar);
    let request = asked.request(&query, None);
    let words = match asked.similar.is_empty() {
        true => kept.words(&asked, &query, &CancelToken::default())?,
        false => Arc::new(request.matches(&CancelToken::default())?),
    };
    let explanation = explain_in(&request, &words, at);
    Some(ExplainedRank { at, snapshot: asked.snapshot, explanation })
}

impl SearchRequest {
    fn request<'a>(&'a self, query: &'a Query, text: Option<&'a TextIndex>) -> Request<'a> {
        Request {
            snapshot: &self.snapshot,
            text,
            query,
            ranking: self.ranking,
            order: self.order,
            all: false,
            now: self.now,
        }
    }
}
