//! `palimp stores`: what was found.

use serde::Serialize;

use super::Context;
use super::failure::{Exit, Result};
use super::open;
use crate::deed::checked;
use crate::model::plan::counted;
use crate::model::{State, Store, Tell};

#[derive(Serialize)]
struct Row {
    path: String,
    format: &'static str,
    sessions: usize,
    records: usize,
    archived: usize,
    deleted: usize,
    broken: usize,
    bytes: u64,
    problems: Problems,
}

#[derive(Serialize)]
struct Problems {
    error: usize,
    warning: usize,
    note: usize,
}

/// Lists the stores.
pub fn run(context: &mut Context) -> Result {
    let snapshot = open::snapshot(context)?;
    for store in &snapshot.stores {
        // The problems are those that `check` lists.
        let row = row(&checked(open::data_folder(context).ok().as_deref(), store, context.now).store);
        context.row(&row, || to_line(&row))?;
    }
    Ok(Exit::Done)
}

fn row(store: &Store) -> Row {
    let [error, warning, note] = store.problem_counts();
    Row {
        path: store.root.told().into_owned(),
        format: store.format,
        sessions: store.sessions.len(),
        records: store.count(State::Live),
        archived: store.count(State::Archived),
        deleted: store.count(State::Deleted),
        broken: store.count(State::Broken),
        bytes: store.bytes,
        problems: Problems { error, warning, note },
    }
}

fn to_line(row: &Row) -> String {
    format!(
        "{:14} {}, {}, {} archived, {} deleted, {} broken, ✖{} ⚠{} note {}    {}",
        row.format,
        counted(row.sessions as u64, "session"),
        counted(row.records as u64, "record"),
        row.archived,
        row.deleted,
        row.broken,
        row.problems.error,
        row.problems.warning,
        row.problems.note,
        row.path
    )
}
