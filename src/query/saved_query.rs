//! `saved:NAME`: finds the query that a store has saved, and has SQLite run it (`crate::sqlite`). The library
//! without the terminal runs none.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use super::{CancelToken, QueryError};
use crate::format;
use crate::model::{Entry, EntryRef, Moment, PathText, Snapshot, State, Store};

#[cfg(feature = "tui")]
use crate::sqlite::select;

/// The maximum number of names in the message about an unknown name.
const LISTED_NAMES: usize = 12;

/// A `saved:` of a query.
#[derive(Clone, Debug)]
pub(super) struct SavedQuery {
    /// The name of the saved query or of its file.
    pub name: String,
    /// Its place in the query.
    pub span: Range<usize>,
    /// The time that the saved query knows as now.
    pub now: Moment,
}

/// The results of the saved queries of one name.
#[derive(Default)]
pub(super) struct SavedQueryResult {
    /// The place of each result in their order.
    pub places: HashMap<EntryRef, usize>,
    /// True if one of the saved queries sets an order.
    pub is_ordered: bool,
}

/// The reason why a saved query is not run. The message quotes its name and the query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedQueryError {
    /// No saved query has the name. A sentence about those that there are follows.
    #[error("There is no saved query “{0}”. {1}")]
    Unknown(String, String),
    /// Several saved queries of a store have that name. Their files follow.
    #[error("“{0}” is the name of several saved queries: {1}. Name the file.")]
    Several(String, String),
    /// It can't be run.
    #[error("The saved query “{name}” is not run: {why}")]
    NotRun {
        name: String,
        /// Why, in a sentence.
        why: String,
        /// The query. Untrusted text.
        text: String,
    },
}

/// The refusal of a search because of a saved query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SavedQueryRefusal {
    /// The bytes of the search that ask for it.
    pub span: Range<usize>,
    /// Why it is not run.
    pub why: SavedQueryError,
}

impl From<SavedQueryRefusal> for QueryError {
    fn from(refused: SavedQueryRefusal) -> QueryError {
        QueryError { message: refused.why.to_string(), span: refused.span }
    }
}

impl SavedQuery {
    /// Runs the queries of that name in their stores, on entries in a visible state. `None` if cancelled.
    pub fn run(
        &self,
        snapshot: &Snapshot,
        is_seen: &dyn Fn(State) -> bool,
        cancel: &CancelToken,
    ) -> Option<Result<SavedQueryResult, SavedQueryError>> {
        let mut all = SavedQueryResult::default();
        let mut is_known = false;
        for (store, number) in snapshot.stores.iter().zip(0..) {
            let (entry, path) = match self.query_of(store) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(why) => return Some(Err(why)),
            };
            is_known = true;
            let text = format::text_of(store, entry).text.into_raw();
            let token = cancel.clone();
            let ran = select(store, &text, self.now, is_seen, move || token.is_cancelled());
            cancel.check()?;
            match ran {
                Ok((entries, is_ordered)) => {
                    all.is_ordered |= is_ordered;
                    let places = all.places.len()..;
                    let entries = entries.into_iter().map(|entry| EntryRef { store: number, entry });
                    all.places.extend(entries.zip(places));
                }
                Err(why) => return Some(Err(SavedQueryError::NotRun { name: name_of(path), why, text })),
            }
        }
        let unknown = || SavedQueryError::Unknown(self.name.clone(), listed(&saved_names(snapshot)));
        Some(if is_known { Ok(all) } else { Err(unknown()) })
    }

    /// Returns the query of that name: of a file, or else of a file without its extension.
    fn query_of<'a>(&self, store: &'a Store) -> Result<Option<(&'a Entry, &'a Path)>, SavedQueryError> {
        let is_file = |path: &Path| {
            path.to_text() == self.name || path.file_name().is_some_and(|file| file.to_text() == self.name)
        };
        let mut named: Vec<_> = queries(store).filter(|(_, path)| is_file(path)).collect();
        if named.is_empty() {
            named = queries(store).filter(|(_, path)| name_of(path) == self.name).collect();
        }
        if named.len() > 1 {
            let files: Vec<_> = named.iter().map(|(_, path)| path.to_text()).collect();
            return Err(SavedQueryError::Several(self.name.clone(), files.join(", ")));
        }
        Ok(named.pop())
    }
}

/// Refuses every query: this build has no SQLite.
#[cfg(not(feature = "tui"))]
fn select<S, F>(_: &Store, _: &str, _: Moment, _: S, _: F) -> Result<(Vec<u32>, bool), String> {
    Err("only the program palimp runs saved queries, the library does not.".to_owned())
}

/// Returns the names of the queries that stores have saved. Untrusted text.
pub fn saved_names(snapshot: &Snapshot) -> Vec<String> {
    let queries = snapshot.stores.iter().flat_map(|store| queries(store));
    queries.map(|(_, path)| name_of(path)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn queries(store: &Store) -> impl Iterator<Item = (&Entry, &Path)> {
    let format = format::by_name(store.format);
    let paths = store.entries.iter().map(|entry| (entry, store.document(entry).path.as_path()));
    let is_query = move |path: &Path| format.is_some_and(|format| (format.about().is_query)(path));
    paths.filter(move |(entry, path)| entry.state == State::Live && is_query(path))
}

fn name_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_text().into()).unwrap_or_default()
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > LISTED_NAMES { ", …" } else { "" };
    match &names[..names.len().min(LISTED_NAMES)] {
        [] => "No store here has saved queries.".to_owned(),
        some => format!("Saved here: {}{more}.", some.join(", ")),
    }
}
