//! Tests the fields of an entry against a query. Words are tested in `word_match`.

use std::sync::Arc;

use super::time_values::TimeRange;
use crate::format::store_names;
use crate::model::{Entry, EntryRef, Moment, PathText, Role, Snapshot, State, Store, StoredMemory};
use crate::text::fold::fold;

/// A condition on one value of one field. Patterns are folded, except for ids.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    Type(Pattern),
    Topic(Pattern),
    Tag(Pattern),
    Id(Pattern),
    State(State),
    Pinned,
    Sensitive,
    Unseen,
    HasProblem,
    HasChecksum,
    HasTag,
    HasReference,
    InArchive,
    Created(TimeRange),
    Accessed(TimeRange),
    Importance(Bounds),
    /// A field that only some formats have.
    Facet(&'static str, FacetPredicate),
}

/// The wanted value of a [`Filter::Facet`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FacetPredicate {
    Text(Pattern),
    Number(Bounds),
}

impl FacetPredicate {
    fn holds(&self, value: &str) -> bool {
        match self {
            FacetPredicate::Text(pattern) => pattern.matches(&fold(value)),
            FacetPredicate::Number(bounds) => value.trim().parse().is_ok_and(|number| bounds.holds(number)),
        }
    }
}

/// A range of numbers. The flag of each end says whether the end belongs to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub low: (f64, bool),
    pub high: (f64, bool),
}

impl Bounds {
    pub fn holds(&self, value: f64) -> bool {
        let above = value > self.low.0 || (self.low.1 && value == self.low.0);
        let below = value < self.high.0 || (self.high.1 && value == self.high.0);
        above && below
    }
}

/// A name, or several with `*`, which matches any characters or none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// The text, split at the stars. One part means no star.
    parts: Vec<String>,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        Pattern { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// Returns a name in which a star is a star: the user quoted it.
    pub fn literal(text: &str) -> Self {
        Pattern { parts: vec![text.to_owned()] }
    }

    /// Returns the name if it has no star.
    pub fn exact(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// True if all of `text` matches. The earliest place of each middle part is right: a star matches all.
    pub fn matches(&self, text: &str) -> bool {
        let (first, middle, last) = match self.parts.as_slice() {
            [] => return text.is_empty(),
            [whole] => return text == whole,
            [first, middle @ .., last] => (first, middle, last),
        };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            match rest.find(part.as_str()) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        rest.ends_with(last.as_str())
    }
}

/// An entry that is being tested.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub at: EntryRef,
    pub store: &'a Store,
    pub entry: &'a Entry,
    pub memory: Option<&'a StoredMemory>,
    /// The time of creation, or of the file. A broken record has the time of a neighbour.
    pub time: Option<Moment>,
}

impl Filter {
    /// Returns the hidden states that the filter asks for.
    pub fn asks(&self) -> StateScope {
        StateScope {
            archived: matches!(self, Filter::State(State::Archived) | Filter::InArchive),
            deleted: matches!(self, Filter::State(State::Deleted)),
        }
    }

    /// Returns the name of the field, the value that it must be exactly, and the condition that it begins with that
    /// value, or with `*` that it contains it. `None` if it need not be exactly a value.
    pub fn wider(&self, before: &str) -> Option<(&'static str, &str, Filter)> {
        let (field, pattern, of): (_, _, &dyn Fn(Pattern) -> Filter) = match self {
            Filter::Type(pattern) => ("type", pattern, &Filter::Type),
            Filter::Topic(pattern) => ("topic", pattern, &Filter::Topic),
            Filter::Tag(pattern) => ("tag", pattern, &Filter::Tag),
            Filter::Id(pattern) => ("id", pattern, &Filter::Id),
            Filter::Facet(name, FacetPredicate::Text(pattern)) => {
                (*name, pattern, &|pattern| Filter::Facet(name, FacetPredicate::Text(pattern)))
            }
            _ => return None,
        };
        let value = pattern.exact().filter(|value| !value.contains('*'))?;
        Some((field, value, of(Pattern::new(&format!("{before}{value}*")))))
    }

    /// True if `candidate` matches. A broken record has only a state, a time, a file, bytes and problems.
    pub fn holds(&self, candidate: &Candidate<'_>) -> bool {
        let Candidate { at, store, entry, memory, time } = *candidate;
        let viewed = |test: &dyn Fn(&StoredMemory) -> bool| memory.is_some_and(test);
        match self {
            Filter::Type(pattern) => viewed(&|memory| pattern.matches(&fold(memory.kind()))),
            Filter::Topic(pattern) => viewed(&|memory| match &memory.topic() {
                Some(topic) => pattern.matches(&fold(topic)),
                None => has_tag(memory, pattern),
            }),
            Filter::Tag(pattern) => viewed(&|memory| has_tag(memory, pattern)),
            Filter::Id(pattern) => match memory.and_then(|memory| memory.id()) {
                Some(id) => pattern.matches(id),
                None => pattern.matches(&store.key(entry)),
            },
            Filter::State(state) => entry.state == *state,
            Filter::Pinned => viewed(&|memory| memory.tags().any(|tag| fold(tag) == "pinned")),
            Filter::Sensitive => crate::format::is_sensitive(store, entry),
            Filter::Unseen => store.is_unseen(entry),
            Filter::HasProblem => store.problems_of(entry).next().is_some(),
            Filter::HasChecksum => viewed(&|memory| memory.checksum),
            Filter::HasTag => viewed(&|memory| memory.tags().len() > 0),
            Filter::HasReference => viewed(&|memory| memory.references().len() > 0),
            Filter::InArchive => {
                entry.state == State::Archived || store.document(entry).role == Role::Archive
            }
            Filter::Created(stretch) => time.is_some_and(|moment| stretch.holds(moment)),
            Filter::Accessed(stretch) => {
                viewed(&|memory| memory.accessed.is_some_and(|moment| stretch.holds(moment)))
            }
            Filter::Importance(bounds) => viewed(&|memory| bounds.holds(memory.importance)),
            Filter::Facet(name, wanted) => {
                let own = memory.into_iter().flat_map(|memory| memory.facets());
                own.chain(store.facts_of(at.entry)).any(|(own, value)| own == *name && wanted.holds(value))
            }
        }
    }
}

fn has_tag(memory: &StoredMemory, pattern: &Pattern) -> bool {
    memory.tags().any(|tag| pattern.matches(&fold(tag)))
}

/// `project:`, `session:` or `store:` with its values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NameFilter {
    pub of: NameScope,
    pub patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum NameScope {
    Project,
    Session,
    Store,
    /// The session of exactly this name.
    OneSession(String),
}

/// A [`NameFilter`] resolved against a snapshot: the stores that match, and the sessions of each store.
pub(super) struct ResolvedNames {
    stores: Vec<bool>,
    sessions: Vec<Vec<bool>>,
}

impl NameFilter {
    /// Finds the stores or sessions that match. If a value matches a complete name, it selects only such
    /// names. Otherwise a value without `*` selects every name that contains it.
    pub fn resolve(&self, snapshot: &Snapshot) -> ResolvedNames {
        let sessions = || snapshot.stores.iter().flat_map(|store| &store.sessions);
        let mut stores = vec![false; snapshot.stores.len()];
        let mut marks = vec![false; sessions().count()];
        match &self.of {
            NameScope::OneSession(name) => marks = sessions().map(|own| own.name == *name).collect(),
            NameScope::Session => {
                mark(&self.patterns, sessions().map(|own| vec![fold(&own.name)]).collect(), &mut marks);
            }
            NameScope::Project => mark(&self.patterns, names_of_projects(snapshot), &mut stores),
            NameScope::Store => mark(&self.patterns, names_of_stores(snapshot), &mut stores),
        }
        let mut rest = marks.as_slice();
        let of_store =
            |store: &Arc<Store>| rest.split_off(..store.sessions.len()).unwrap_or_default().to_vec();
        ResolvedNames { stores, sessions: snapshot.stores.iter().map(of_store).collect() }
    }
}

impl ResolvedNames {
    /// True if an entry of the store at `store` matches.
    pub fn holds(&self, store: usize, entry: &Entry) -> bool {
        let of_store = self.stores.get(store).copied().unwrap_or(false);
        let of_session = entry.session.is_some_and(|session| {
            self.sessions.get(store).and_then(|marks| marks.get(session as usize)).copied().unwrap_or(false)
        });
        of_store || of_session
    }
}

/// Marks what has a name that matches one of the patterns.
fn mark(patterns: &[Pattern], names: Vec<Vec<String>>, marks: &mut [bool]) {
    for pattern in patterns {
        let whole = |names: &[String]| names.iter().any(|name| pattern.matches(name));
        let exact = names.iter().any(|names| whole(names));
        for (names, marked) in names.iter().zip(&mut *marks) {
            let part = |part: &str| names.iter().any(|name| name.contains(part));
            *marked |= if exact { whole(names) } else { pattern.exact().is_some_and(part) };
        }
    }
}

fn names_of_stores(snapshot: &Snapshot) -> Vec<Vec<String>> {
    let names = |(store, short): (&Arc<Store>, String)| {
        let folder = store.root.file_name().map(|name| fold(&name.to_text()));
        let known = [fold(&store.root.to_text()), fold(store.format), fold(&short)];
        known.into_iter().chain(folder).collect()
    };
    snapshot.stores.iter().zip(store_names(snapshot)).map(names).collect()
}

/// Returns for each store the paths and the folder names of the projects that it is of.
fn names_of_projects(snapshot: &Snapshot) -> Vec<Vec<String>> {
    let projects = || snapshot.stores.iter().filter_map(|store| store.project.as_ref());
    let names = |store: &Arc<Store>| {
        let own = projects().filter(|project| store.is_of(project));
        own.flat_map(|project| [fold(&project.path.to_text()), fold(&project.name())]).collect()
    };
    snapshot.stores.iter().map(names).collect()
}

/// The hidden states that a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StateScope {
    pub archived: bool,
    pub deleted: bool,
}

impl StateScope {
    pub fn or(self, other: StateScope) -> StateScope {
        StateScope { archived: self.archived || other.archived, deleted: self.deleted || other.deleted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_or_none() {
        for (pattern, text, like) in [
            ("auth", "auth", true),
            ("auth", "oauth", false),
            ("auth*", "auth", true),
            ("a*h*n", "authn", true),
            ("a*h*n", "authz", false),
            ("ab*b", "ab", false),
            ("*", "", true),
            ("a.*", "a", false),
            ("a.*", "a.b.c", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), like, "{pattern} {text}");
        }
        assert!(Pattern::literal("a*").matches("a*") && !Pattern::literal("a*").matches("ab"));
    }
}
