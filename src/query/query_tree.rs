//! What a query is once it has been read: clauses, words, and settings.

use std::ops::Range;

use super::filter::{Filter, NameFilter, NameScope};
use super::name_pattern::Pattern;
use super::saved_query::SavedQuery;
use super::search::Order;
use crate::model::Moment;

/// A parsed query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What must hold, each with its place in the typed text.
    pub(super) clauses: Vec<Clause>,
    /// Every different word and phrase, wherever in the query it is.
    pub(super) words: Vec<QueryWord>,
    /// Every `session:` and `store:`; they are settled against a snapshot's names.
    pub(super) names: Vec<NameFilter>,
    /// Every `ref:`; they are settled against a snapshot's references.
    pub(super) related: Vec<Vec<Pattern>>,
    /// Every `saved:`; they are read and run in a snapshot's stores.
    pub(super) saved: Vec<SavedQuery>,
    /// How many references lie between, at most; 1 where nothing is said.
    pub(super) depth: Option<usize>,
    pub(super) order: Option<Order>,
    pub(super) limit: Option<usize>,
    pub(super) min_rank: Option<MinRank>,
}

/// One of the terms side by side at the top of a query.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub span: Range<usize>,
    pub node: QueryNode,
}

/// `min:`, and where it is.
#[derive(Clone, Debug)]
pub(super) struct MinRank {
    pub span: Range<usize>,
    pub value: f64,
}

/// What an entry must be.
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

/// A word or phrase to be found in text.
#[derive(Clone, Debug)]
pub(super) struct QueryWord {
    /// As the user typed it.
    pub typed: String,
    /// Folded, as it is looked for.
    pub form: WordPattern,
    /// Whether it is un-negated somewhere: only those take part in the match.
    pub wanted: bool,
}

/// How a word is looked for. All text in it is folded and not empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WordPattern {
    /// A word, or a phrase with single spaces.
    Plain(String),
    /// A word with `*`, split at them: `a*` is `["a", ""]`.
    Wild(Vec<String>),
    /// `~word`.
    Fuzzy(String),
}

impl WordPattern {
    /// Whether a text that this hits surely holds the other.
    pub fn implies(&self, other: &WordPattern) -> bool {
        let WordPattern::Plain(part) = other else { return false };
        match self {
            WordPattern::Plain(text) => text.contains(part),
            WordPattern::Wild(parts) => parts.iter().any(|own| own.contains(part)),
            // Letters that are merely alike need not hold it.
            WordPattern::Fuzzy(_) => false,
        }
    }
}

/// Which hidden states a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct StateScope {
    pub archived: bool,
    pub deleted: bool,
}

impl StateScope {
    pub fn or(self, other: StateScope) -> StateScope {
        StateScope { archived: self.archived || other.archived, deleted: self.deleted || other.deleted }
    }
}

impl QueryNode {
    /// What un-negated parts of it ask for.
    pub fn asks(&self, wanted: bool) -> StateScope {
        match self {
            QueryNode::All(nodes) | QueryNode::Any(nodes) => {
                nodes.iter().fold(StateScope::default(), |asks, node| asks.or(node.asks(wanted)))
            }
            QueryNode::Not(node) => node.asks(!wanted),
            QueryNode::Filter(filter) if wanted => filter.asks(),
            QueryNode::Word(_)
            | QueryNode::Name(_)
            | QueryNode::Related(_)
            | QueryNode::Saved(_)
            | QueryNode::Filter(_) => StateScope::default(),
        }
    }
}

impl Query {
    /// Whether it asks for nothing in particular.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.order.is_none() && self.limit.is_none() && self.min_rank.is_none()
    }

    /// Whether it asks for some memories rather than for all: an order and a limit do not.
    pub fn has_conditions(&self) -> bool {
        !self.clauses.is_empty() || self.min_rank.is_some()
    }

    /// Whether it has words or phrases, so that a search looks into texts.
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Whether it has words that are merely to be alike, so that a search is quicker with a `TextIndex`.
    pub fn has_fuzzy(&self) -> bool {
        self.words.iter().any(|word| matches!(word.form, WordPattern::Fuzzy(_)))
    }

    /// Where each of its terms is in the typed text, for chips that can be dropped.
    pub fn terms(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.clauses.iter().map(|clause| clause.span.clone())
    }

    /// How many words and phrases a memory is to hold.
    pub fn count_words(&self) -> usize {
        self.wanted_words().count()
    }

    /// The order that it asks for with `sort:`.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// The same of what is in a session.
    pub fn of_session(mut self, name: &str) -> Query {
        self.names.push(NameFilter { of: NameScope::OneSession(name.to_owned()), patterns: Vec::new() });
        self.clauses.push(Clause { span: 0..0, node: QueryNode::Name(self.names.len() - 1) });
        self
    }

    /// Whether it asks for what is related to other memories.
    pub fn asks_related(&self) -> bool {
        !self.related.is_empty()
    }

    /// The same of what a query finds that the store itself has saved.
    pub fn of_saved(mut self, name: &str, now: Moment) -> Query {
        self.saved.push(SavedQuery { name: name.to_owned(), span: 0..0, now });
        self.clauses.push(Clause { span: 0..0, node: QueryNode::Saved(self.saved.len() - 1) });
        self
    }

    pub(super) fn wanted_words(&self) -> impl Iterator<Item = (usize, &QueryWord)> {
        self.words.iter().enumerate().filter(|(_, word)| word.wanted)
    }

    /// Whether it asks for what is deleted.
    pub fn asks_deleted(&self) -> bool {
        self.asks().deleted
    }

    pub(super) fn asks(&self) -> StateScope {
        self.clauses.iter().fold(StateScope::default(), |asks, clause| asks.or(clause.node.asks(true)))
    }
}
