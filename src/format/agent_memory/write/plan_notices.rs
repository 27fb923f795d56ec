//! Notices about a canonical write, shown beside its changes.

use std::path::Path;

use super::super::{layout, projection};
use super::recall_effects::would_return;
use super::{NAMED, beside_path, document_of};
use crate::model::{Change, Moment, Store};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// Names the projections and the entry file that a canonical write does not rewrite or make.
pub fn left_alone(store: &Store, state: &Change, changes: &[Change]) -> Vec<String> {
    if store.outside_files.is_empty() {
        return vec!["There are no pages of this bundle beside the store, and none are written.".into()];
    }
    let missing = alone(state, changes).into_iter().filter(|(path, _)| !is_beside(store, path));
    let missing = missing.map(|(path, _)| format!("{path} is missing, and is not made."));
    not_written(store, state, changes).into_iter().chain(missing).collect()
}

/// Names those that are there and are not rewritten.
pub fn not_written(store: &Store, state: &Change, changes: &[Change]) -> Vec<String> {
    let there = alone(state, changes).into_iter().filter(|(path, _)| is_beside(store, path));
    let named = |(path, is_entry)| match is_entry {
        false => format!("{path} is not written: it is not what agent-memory made of this bundle."),
        true => format!("{path} is not written: its block about this bundle can't be read."),
    };
    there.map(named).collect()
}

fn is_beside(store: &Store, path: &str) -> bool {
    store.outside_files.iter().any(|(own, _)| *own == Path::new(path))
}

/// Returns the paths that are not among the changes, each with whether it is the entry file.
fn alone(state: &Change, changes: &[Change]) -> Vec<(String, bool)> {
    let entry = state.after().and_then(|bytes| {
        let mut tape = Tape::default();
        let state = json_edit::scan(&mut tape, crate::format::record_reader::without_mark(&bytes)).ok()?;
        Some(state.path(&["bundle", "project", "recommendedEntryFile"])?.text()?.into_owned())
    });
    let pages = projection::PROJECTIONS.iter().map(|(_, path)| ((*path).to_owned(), false));
    let is_alone = |(path, _): &(String, bool)| {
        let path = beside_path(Path::new(path));
        changes.iter().all(|change| change.path != path)
    };
    pages.chain(entry.map(|path| (path, true))).filter(is_alone).collect()
}

/// Names the events from which recall would bring back what the new state does not say.
pub fn repeated(state: &Change, changes: &[Change]) -> Option<String> {
    let events = Path::new(layout::EVENTS);
    let change = changes.iter().find(|change| change.path == events)?;
    let log = document_of(events.into(), change.after()?.to_vec(), Moment(0))?;
    let ids = would_return(state.base.as_deref()?, &state.after()?, &log);
    let named = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match ids.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!ids.is_empty()).then(|| {
        format!(
            "{named}{more}: not recalled yet, and the signals still hold what is deleted. The format's own tool would restore it; `palimp delete --remove` removes it there as well."
        )
    })
}
