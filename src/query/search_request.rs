//! What to search, in which stores.

use crate::model::{Moment, Snapshot};
use crate::query::cancel::CancelToken;
use crate::query::query_tree::{Order, Query};
use crate::query::rank::Ranking;
use crate::query::text_index::TextIndex;
use crate::query::word_match::Matches;

/// What to search for, where, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The stores to search.
    pub snapshot: &'a Snapshot,
    /// Their text. A query without words needs none. For a query with words, if the text is missing or of an
    /// older snapshot, the search reads the records, which takes time.
    pub text: Option<&'a TextIndex>,
    /// The query.
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
