//! `saved:NAME`: runs a query that a store has saved, as SQL. Only one plain SELECT, as `docs/query.md`
//! describes it, is run. Anything else is refused with the reason.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::cancel::CancelToken;
use crate::format;
use crate::model::{Entry, EntryRef, Moment, PathText, Snapshot, State, Store};

mod expression;
mod refusal;
mod row;
mod select;
mod sql;
mod time_shift;
mod value;

pub use refusal::{SavedQueryError, SavedQueryRefusal, UnsupportedSql};
use row::SqlRow;
use select::Select;
use value::SortKey;

/// The maximum number of names in the message about an unknown name.
const LISTED_NAMES: usize = 12;
/// The cancel token is checked once per this many records.
const STRIDE: usize = 256;

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
pub(super) struct SavedQueryResult {
    /// The place of each result in their order.
    pub places: HashMap<EntryRef, usize>,
    /// True if one of the saved queries sets an order.
    pub is_ordered: bool,
}

/// A saved query that was found in a store.
struct StoredQuery<'a> {
    store: usize,
    path: &'a Path,
    text: String,
}

impl SavedQuery {
    /// Runs the queries of that name in their stores, on entries in a visible state. `None` if cancelled.
    pub fn run(
        &self,
        snapshot: &Snapshot,
        is_seen: &dyn Fn(State) -> bool,
        cancel: &CancelToken,
    ) -> Option<Result<SavedQueryResult, SavedQueryError>> {
        let kept = match self.kept(snapshot) {
            Ok(kept) => kept,
            Err(why) => return Some(Err(why)),
        };
        let mut ran = SavedQueryResult { places: HashMap::new(), is_ordered: false };
        for own in kept {
            let Some(store) = snapshot.stores.get(own.store) else { continue };
            let tables = format::by_name(store.format).map_or(&[][..], |format| format.tables());
            let select = match sql::read(&own.text, tables, self.now) {
                Ok(select) => select,
                Err(why) => {
                    let name = name_of(own.path);
                    return Some(Err(SavedQueryError::NotRun { name, why, text: own.text }));
                }
            };
            ran.is_ordered |= !select.order.is_empty();
            for at in found(&select, own.store, store, is_seen, cancel)? {
                let place = ran.places.len();
                ran.places.insert(at, place);
            }
        }
        Some(Ok(ran))
    }

    /// Returns the query of that name in each store that has one. Several in one store are an error.
    fn kept<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<StoredQuery<'a>>, SavedQueryError> {
        let mut kept = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for (number, store) in snapshot.stores.iter().enumerate() {
            let own: Vec<(&Entry, &Path)> = queries(store).collect();
            let is_file = |path: &Path| {
                path.to_text() == self.name
                    || path.file_name().is_some_and(|file| file.to_text() == self.name)
            };
            let mut named: Vec<_> = own.iter().filter(|(_, path)| is_file(path)).collect();
            if named.is_empty() {
                named = own.iter().filter(|(_, path)| name_of(path) == self.name).collect();
            }
            match named.as_slice() {
                [] => known.extend(own.iter().map(|(_, path)| name_of(path))),
                [(entry, path)] => {
                    let text = format::text_of(store, entry).text;
                    kept.push(StoredQuery { store: number, path, text });
                }
                several => {
                    let files = several.iter().map(|(_, path)| path.to_text().into()).collect();
                    return Err(SavedQueryError::Several { name: self.name.clone(), files });
                }
            }
        }
        match kept.is_empty() {
            true => Err(SavedQueryError::Unknown { name: self.name.clone(), known: told(known) }),
            false => Ok(kept),
        }
    }
}

/// Returns the names of the queries that stores have saved. Untrusted text.
pub fn saved_names(snapshot: &Snapshot) -> Vec<String> {
    let queries = snapshot.stores.iter().flat_map(|store| queries(store));
    let mut names: Vec<String> = queries.map(|(_, path)| name_of(path)).collect();
    names.sort();
    names.dedup();
    names
}

fn queries(store: &Store) -> impl Iterator<Item = (&Entry, &Path)> {
    let format = format::by_name(store.format);
    let paths = store.entries.iter().map(|entry| (entry, store.document(entry).path.as_path()));
    let is_query = move |path: &Path| format.is_some_and(|format| format.is_query(path));
    paths.filter(move |(entry, path)| entry.state == State::Live && is_query(path))
}

fn name_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_text().into()).unwrap_or_default()
}

/// Returns the sentence that lists the names.
fn told(mut names: Vec<String>) -> String {
    names.sort();
    names.dedup();
    match names.len() {
        0 => "No store here has saved queries.".to_owned(),
        1 => format!("The only one is {}.", names.concat()),
        count => {
            let more = count.saturating_sub(LISTED_NAMES);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            names.truncate(LISTED_NAMES);
            format!("Those here are {}{more}.", names.join(", "))
        }
    }
}

/// Returns the records of a store that a query finds, in its order. `None` if cancelled.
fn found(
    select: &Select,
    number: usize,
    store: &Store,
    is_seen: &dyn Fn(State) -> bool,
    cancel: &CancelToken,
) -> Option<Vec<EntryRef>> {
    let Some(format) = format::by_name(store.format) else { return Some(Vec::new()) };
    let mut found: Vec<(Vec<SortKey>, EntryRef)> = Vec::new();
    for (place, entry) in store.entries.iter().enumerate() {
        if place.is_multiple_of(STRIDE) {
            cancel.check()?;
        }
        if !is_seen(entry.state) || !format.is_in_table(&store.document(entry).path, &select.table) {
            continue;
        }
        let keys = SqlRow::with(store, entry, |row| {
            let holds = select.condition.as_ref().is_none_or(|asked| asked.holds(row) == Some(true));
            holds.then(|| select.keys(row))
        });
        if let Some(keys) = keys.flatten() {
            found.push((keys, EntryRef { store: number as u32, entry: place as u32 }));
        }
    }
    cancel.check()?;
    found.sort_by(|(own, _), (other, _)| select.before(own, other));
    found.truncate(select.limit.unwrap_or(usize::MAX));
    Some(found.into_iter().map(|(_, at)| at).collect())
}
