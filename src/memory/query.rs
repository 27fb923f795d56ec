//! Typed queries (2 §6.2, 4 §5.1), with the same search as the screens and verbs.

use std::sync::Arc;

use super::{Found, Memory, MemoryError, Recalled, Result};
use crate::format;
use crate::model::{EntryRef, Moment, Snapshot, Store};
use crate::ops::archive::is_in_own_data;
use crate::query::{
    CancelToken, Order, Query, Ranking, Request, SavedQueryRefusal, quoted, quoted_pattern, search,
};
use crate::usecase::DeleteOptions;

/// A query: every condition that is set must hold. Names are compared without regard to case, and `*` in
/// them matches any characters: `security.*`. A string is taken as [`MemoryQuery::filter`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryQuery<'a> {
    /// Words without special meaning; one must match. More and rarer matches rank higher (4 §5.2).
    pub text: &'a str,
    /// The type is one of these, in the format's own words.
    pub kinds: &'a [&'a str],
    /// The topic is one of these. If a memory has no topic, its tags are compared.
    pub topics: &'a [&'a str],
    /// It has one of these tags.
    pub tags: &'a [&'a str],
    /// It has all of these tags.
    pub all_tags: &'a [&'a str],
    /// It has none of these tags.
    pub without_tags: &'a [&'a str],
    /// It belongs to one of these agents, in formats that store the agent.
    pub agents: &'a [&'a str],
    /// It is in this session. If none is set: in the session of the options, else in any.
    pub session: Option<&'a str>,
    /// It was created at this time or later.
    pub from: Option<Moment>,
    /// It was created at this time or earlier.
    pub until: Option<Moment>,
    /// Its importance is at least this, from 0 to 1.
    pub min_importance: Option<f64>,
    /// Its rank is at least this, from 0. Most ranks are below 1, see [`Found::rank`].
    pub min_relevance: Option<f64>,
    /// It has a reference to or from a memory with one of these ids.
    pub references: &'a [&'a str],
    /// The largest number of references between the two memories; 0 is taken as 1.
    pub depth: usize,
    /// Whether archived memories are searched, too.
    pub archived: bool,
    /// The order of the results.
    pub order: Order,
    /// The largest number of results, from 1.
    pub limit: Option<usize>,
    /// A further query in palimp's language (`docs/query.md`): words that must all match,
    /// `"phrases"`, `-`, `OR`, `type:`, `tag:`, `status:`, …
    pub filter: &'a str,
}

impl<'a> From<&'a str> for MemoryQuery<'a> {
    fn from(filter: &'a str) -> Self {
        MemoryQuery { filter, ..MemoryQuery::default() }
    }
}

impl<'a> From<&'a String> for MemoryQuery<'a> {
    fn from(filter: &'a String) -> Self {
        MemoryQuery::from(filter.as_str())
    }
}

impl<'a> From<&MemoryQuery<'a>> for MemoryQuery<'a> {
    fn from(query: &MemoryQuery<'a>) -> Self {
        *query
    }
}

impl MemoryQuery<'_> {
    /// True if it sets no condition. The order and the limit are no conditions.
    fn is_empty(&self, now: Moment) -> Result<bool> {
        let query = Query::parse_all(&[&self.terms(), self.filter], now)?;
        Ok(self.session.is_none() && !query.has_conditions())
    }

    /// Returns the query in the query language, without the session.
    fn terms(&self) -> String {
        let any = |name: &str, values: &[&str]| {
            let values: Vec<String> = values.iter().map(|own| quoted_pattern(own)).collect();
            (!values.is_empty()).then(|| format!("{name}:{}", values.join(",")))
        };
        let words: Vec<String> = self.text.split_whitespace().map(quoted).collect();
        let text = (!words.is_empty()).then(|| format!("({})", words.join(" OR ")));
        let named =
            [("type", self.kinds), ("topic", self.topics), ("tag", self.tags), ("agent", self.agents)];
        let named = named.into_iter().filter_map(|(name, values)| any(name, values));
        let tags = self.all_tags.iter().map(|tag| format!("tag:{}", quoted_pattern(tag)));
        let without = any("-tag", self.without_tags);
        let depth = || format!("depth:{}", self.depth.max(1));
        let tied = any("ref", self.references).map(|own| format!("{own} {}", depth()));
        let others = [
            self.from.map(|own| format!("since:{}", quoted(&own.to_micros()))),
            self.until.map(|own| format!("until:{}", quoted(&own.to_micros()))),
            self.min_importance.map(|own| format!("importance:>={own}")),
            self.min_relevance.map(|own| format!("min:{own}")),
            self.limit.map(|own| format!("limit:{own}")),
        ];
        let all = text.into_iter().chain(named).chain(tags).chain(without).chain(tied);
        all.chain(others.into_iter().flatten()).collect::<Vec<_>>().join(" ")
    }
}

impl Memory {
    /// Searches the store. The query is a [`MemoryQuery`], or a string in palimp's query language: words,
    /// `type:`, `tag:`, `topic:`, `since:`, `until:`, `session:`, `ref:ID depth:2`, `limit:10`.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, MemoryQuery, New, Order};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let tags = ["security".to_owned()];
    /// let new = New { session: Some(&session), kind: "decision", tags: &tags, ..New::default() };
    /// memory.add(&New { text: "Use OAuth for web apps", importance: Some(0.9), ..new })?;
    /// memory.add(&New { text: "Rotate keys monthly", importance: Some(0.3), ..new })?;
    ///
    /// let query = MemoryQuery {
    ///     kinds: &["decision", "finding"],
    ///     tags: &["security"],
    ///     without_tags: &["deprecated"],
    ///     session: Some(&session),
    ///     min_importance: Some(0.7),
    ///     order: Order::Oldest,
    ///     limit: Some(10),
    ///     ..MemoryQuery::default()
    /// };
    /// let found = memory.query(query)?;
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(found[0].text, "Use OAuth for web apps");
    ///
    /// let found = memory.query("keys tag:security")?;
    /// assert_eq!(found[0].text, "Rotate keys monthly");
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `E_INVALID_QUERY` if the query can't be understood, a number is out of its range, or the
    /// format has no agents and one is named. `E_SESSION_NOT_FOUND` if there is no such session.
    pub fn query<'q>(&mut self, query: impl Into<MemoryQuery<'q>>) -> Result<Recalled<Vec<Found>>> {
        self.refresh();
        let query = query.into();
        if query.archived && is_in_own_data(self.store()) {
            let with = self.with_deleted()?;
            let found = self.search_for(&with, &query)?;
            return Ok(
                self.recalled(found.into_iter().map(|(at, rank)| Found::of(&with, at, rank)).collect())
            );
        }
        let found = self.search_for(&self.snapshot, &query)?;
        Ok(self.recalled(self.all_found(found)))
    }

    /// Deletes every live record that the query finds, in one step, and returns their number.
    /// Examples: `tag:personal_info`, `since:2026-01-01 until:2026-01-05`. A query without
    /// conditions deletes nothing. A note that its format marks as deprecated stays: [`Memory::deleted`] has it.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, MemoryQuery, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let mut memory = Memory::create("session-log", &folder.path().join("memory"), &folder.path().join("data"))?;
    /// let session = memory.create_session(None, "agent")?;
    /// let tags = ["personal_info".to_owned()];
    /// let new = New { session: Some(&session), kind: "conversation", tags: &tags, ..New::default() };
    /// memory.add_all(&[New { text: "My cat is Mau", ..new }, New { text: "I live in Ulm", ..new }])?;
    /// let criteria = MemoryQuery { tags: &["personal_info"], ..MemoryQuery::default() };
    /// assert_eq!(memory.delete_matching(criteria, "user_request")?, 2);
    /// assert_eq!(memory.delete_matching("", "user_request")?, 0);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if the query can't be understood, the format refuses the deletion, or the change can't be made.
    pub fn delete_matching<'q>(&mut self, query: impl Into<MemoryQuery<'q>>, reason: &str) -> Result<usize> {
        self.ready()?;
        let query = query.into();
        if query.is_empty(self.now())? {
            return Ok(0);
        }
        self.store().whole()?;
        let live = MemoryQuery { archived: false, ..query };
        let found = self.search_for(&self.snapshot, &live)?.into_iter().map(|(at, _)| at);
        let at = found.filter(|at| !self.is_deleted(*at)).collect();
        let how = DeleteOptions { reason: Some(reason.into()), ..DeleteOptions::default() };
        Ok(self.make(at, how)?.records())
    }

    fn search_for(&self, of: &Snapshot, query: &MemoryQuery<'_>) -> Result<Vec<(EntryRef, Option<f64>)>> {
        let session = self.session_or(query.session);
        if let Some(name) = session
            && !self.store().sessions.iter().any(|own| own.name == name)
        {
            return Err(self.no_session(name));
        }
        let has_agents = crate::format::by_name(self.place.format)
            .is_some_and(|format| format.about().facets.contains(&"agent"));
        if !query.agents.is_empty() && !has_agents {
            let message = format!("{} does not say of which agent a memory is.", self.place.format);
            return Err(MemoryError::new("E_INVALID_QUERY", message));
        }
        let states = if query.archived { "is:live,archived" } else { "is:live" };
        self.search_in(of, &[&query.terms(), query.filter, states], session, query.order)
    }

    /// Finds the live records that match all these queries.
    pub(super) fn search(&self, texts: &[&str], order: Order) -> Result<Vec<(EntryRef, Option<f64>)>> {
        self.search_in(&self.snapshot, &[texts, &["is:live"]].concat(), None, order)
    }

    fn search_in(
        &self,
        of: &Snapshot,
        texts: &[&str],
        session: Option<&str>,
        order: Order,
    ) -> Result<Vec<(EntryRef, Option<f64>)>> {
        let now = self.now();
        let query = Query::parse_all(texts, now)?;
        let query = match session {
            Some(name) => query.of_session(name),
            None => query,
        };
        let fading = self.options.half_life_hours.map(|hours| with_half_life(&of.stores[0], hours));
        let request = Request {
            snapshot: fading.as_ref().unwrap_or(of),
            text: None,
            query: &query,
            ranking: if format::ranks_by_sum(self.place.format) {
                Ranking::Weighted
            } else {
                Ranking::Product
            },
            order,
            all: false,
            now,
        };
        let unasked = |refused: SavedQueryRefusal| MemoryError::new("E_INVALID_QUERY", refused.to_string());
        let results =
            search(&request, &CancelToken::default()).unwrap_or_default().answered().map_err(unasked)?;
        Ok(results.hits.iter().map(|hit| (hit.at, hit.rank)).collect())
    }
}

/// Returns the store with another half-life, except where the store sets its own.
fn with_half_life(store: &Store, hours: f64) -> Snapshot {
    let mut store = store.clone();
    let own = crate::format::by_name(store.format).map(|format| (format.about().decay)());
    let tables = store.sessions.iter_mut().map(|session| &mut session.decay).chain([&mut store.decay]);
    for table in tables.filter(|table| own.as_ref() == Some(&**table)) {
        table.set_every_half_life(hours);
    }
    Snapshot::of(vec![Arc::new(store)])
}
