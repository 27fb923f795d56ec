//! A query after parsing: clauses, words and settings.

use std::ops::Range;

use super::filter::{Filter, NameFilter, NameScope, Pattern, StateScope};
use super::saved_query::SavedQuery;
use crate::model::Moment;

/// A parsed query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The conditions that must all hold, each with its place in the typed text.
    pub(super) clauses: Vec<Clause>,
    /// Every different word and phrase of the query.
    pub(super) words: Vec<QueryWord>,
    /// Every `project:`, `session:` and `store:`. They are resolved against the names of a snapshot.
    pub(super) names: Vec<NameFilter>,
    /// Every `ref:`. They are resolved against the references of a snapshot.
    pub(super) related: Vec<Vec<Pattern>>,
    /// Every `saved:`. They are read and run in the stores of a snapshot.
    pub(super) saved: Vec<SavedQuery>,
    /// The maximum number of references between two memories; 1 if not set.
    pub(super) depth: Option<usize>,
    pub(super) order: Option<Order>,
    pub(super) limit: Option<usize>,
    pub(super) min_rank: Option<MinRank>,
}

/// The place and the reason of an error in a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// A sentence that says what is wrong and what is right. It quotes the query.
    pub message: String,
}

/// One of the terms at the top of a query.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub span: Range<usize>,
    pub node: QueryNode,
}

/// The value of `min:`, and its place.
#[derive(Clone, Debug)]
pub(super) struct MinRank {
    pub span: Range<usize>,
    pub value: f64,
}

/// A condition on an entry.
#[derive(Clone, Debug)]
pub(super) enum QueryNode {
    All(Vec<QueryNode>),
    Any(Vec<QueryNode>),
    Not(Box<QueryNode>),
    /// An index into `Query::words`.
    Word(usize),
    /// An index into `Query::names`.
    Name(usize),
    /// An index into `Query::related`.
    Related(usize),
    /// An index into `Query::saved`.
    Saved(usize),
    Filter(Filter),
}

/// A word or phrase to find in text.
#[derive(Clone, Debug)]
pub(super) struct QueryWord {
    pub typed: String,
    pub form: WordPattern,
    /// True if it is un-negated somewhere. Only such words count for the match.
    pub wanted: bool,
}

/// The way to find a word. Its text is folded, and not all of it is empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WordPattern {
    /// A word, or a phrase with single spaces.
    Plain(String),
    /// A word with `*`, split at the stars: `a*` is `["a", ""]`.
    Wild(Vec<String>),
    /// `~word`.
    Fuzzy(String),
}

impl WordPattern {
    /// True if every text that this pattern hits contains the other.
    pub fn implies(&self, other: &WordPattern) -> bool {
        let WordPattern::Plain(part) = other else { return false };
        match self {
            WordPattern::Plain(text) => text.contains(part),
            WordPattern::Wild(parts) => parts.iter().any(|longer| longer.contains(part)),
            // A text with similar letters need not contain it.
            WordPattern::Fuzzy(_) => false,
        }
    }
}

impl QueryNode {
    /// Returns the hidden states that un-negated parts ask for.
    pub fn asks(&self, wanted: bool) -> StateScope {
        match self {
            QueryNode::All(nodes) | QueryNode::Any(nodes) => {
                nodes.iter().fold(StateScope::default(), |asks, node| asks.or(node.asks(wanted)))
            }
            QueryNode::Not(node) => node.asks(!wanted),
            QueryNode::Filter(filter) if wanted => filter.asks(),
            _ => StateScope::default(),
        }
    }

    /// True if it has a condition on the time of creation.
    pub fn asks_time(&self) -> bool {
        match self {
            QueryNode::All(nodes) | QueryNode::Any(nodes) => nodes.iter().any(QueryNode::asks_time),
            QueryNode::Not(node) => node.asks_time(),
            QueryNode::Filter(filter) => matches!(filter, Filter::Created(_)),
            QueryNode::Word(_) | QueryNode::Name(_) | QueryNode::Related(_) | QueryNode::Saved(_) => false,
        }
    }
}

impl Query {
    /// True if it asks for some memories rather than for all. An order and a limit don't count.
    pub fn has_conditions(&self) -> bool {
        !self.clauses.is_empty() || self.min_rank.is_some()
    }

    /// True if it says which memories fit. A setting such as `sort:` or `min:` says nothing about one of them.
    pub fn says_which(&self) -> bool {
        !self.clauses.is_empty()
    }

    /// True if it has words or phrases, so that a search must read texts.
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// True if it has fuzzy words, so that a search is faster with a `TextIndex`.
    pub fn has_fuzzy(&self) -> bool {
        self.words.iter().any(|word| matches!(word.form, WordPattern::Fuzzy(_)))
    }

    /// Returns the place of each term in the typed text, for chips that the user can drop.
    pub fn terms(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.clauses.iter().map(|clause| clause.span.clone())
    }

    /// True if nothing in it says which results come first.
    pub fn leaves_order(&self) -> bool {
        !self.has_words() && self.order.is_none() && self.saved.is_empty()
    }

    /// Returns the order that `sort:` sets.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// Limits the query to the memories of one session.
    pub fn of_session(mut self, name: &str) -> Query {
        self.names.push(NameFilter { of: NameScope::OneSession(name.to_owned()), patterns: Vec::new() });
        self.clauses.push(Clause { span: 0..0, node: QueryNode::Name(self.names.len() - 1) });
        self
    }

    /// True if it has `ref:`.
    pub fn asks_related(&self) -> bool {
        !self.related.is_empty()
    }

    /// Limits the query to what a saved query of the store finds.
    pub fn of_saved(mut self, name: &str, now: Moment) -> Query {
        self.saved.push(SavedQuery { name: name.to_owned(), span: 0..0, now });
        self.clauses.push(Clause { span: 0..0, node: QueryNode::Saved(self.saved.len() - 1) });
        self
    }

    pub(super) fn wanted_words(&self) -> impl Iterator<Item = (usize, &QueryWord)> {
        self.words.iter().enumerate().filter(|(_, word)| word.wanted)
    }

    /// Returns the words and phrases that it looks for, as they were typed. Of `a*b` only the longest part is text,
    /// and a fuzzy word is none.
    pub fn wanted_texts(&self) -> Vec<String> {
        let text = |word: &QueryWord| match &word.form {
            WordPattern::Plain(_) => Some(word.typed.clone()),
            WordPattern::Wild(parts) => parts.iter().max_by_key(|part| part.len()).cloned(),
            WordPattern::Fuzzy(_) => None,
        };
        self.wanted_words().filter_map(|(_, word)| text(word)).filter(|text| !text.is_empty()).collect()
    }

    /// True if it asks for deleted memories.
    pub fn asks_deleted(&self) -> bool {
        self.asks().deleted
    }

    /// True if it asks for archived memories.
    pub fn asks_archived(&self) -> bool {
        self.asks().archived
    }

    pub(super) fn asks(&self) -> StateScope {
        self.clauses.iter().fold(StateScope::default(), |asks, clause| asks.or(clause.node.asks(true)))
    }
}

/// The order of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Best first.
    #[default]
    Rank,
    /// Newest first.
    Time,
    /// Oldest first; entries without a time come last.
    Oldest,
    /// Most important first.
    Importance,
    /// Largest first.
    Size,
}
