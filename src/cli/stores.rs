//! `palimp stores`: what was found.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::Context;
use super::args::Limit;
use super::columns::{Cell, Column, Line, Look, Terminal, lines};
use super::failure::{Exit, Result};
use super::listed::{more, store_names};
use super::open;
use super::scope::Scope;
use crate::deed::checked;
use crate::model::plan::counted;
use crate::model::{Snapshot, State, Store, Tell};
use crate::text::columns::human;

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
pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = open::snapshot(context, Scope::All)?;
    let data = open::data_folder(context).ok();
    // The problems are those that `check` lists.
    let row = |store: &Arc<Store>| row(&checked(data.as_deref(), store, context.now).store);
    let rows: Vec<Row> = snapshot.stores.iter().map(row).collect();
    match Terminal::of(context) {
        Some(terminal) => print(context, &snapshot, (&rows, limit), terminal)?,
        None => rows.iter().take(limit.most()).try_for_each(|row| context.row(row, || to_line(row)))?,
    }
    Ok(Exit::Done)
}

/// Prints them in columns.
fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    (rows, limit): (&[Row], Limit),
    terminal: Terminal,
) -> Result<()> {
    let columns = [
        Column::new("STORE").giving_way(16, 0),
        Column::new("FORMAT"),
        Column::figures("SESSIONS").giving_way(8, 20),
        Column::figures("MEMORIES"),
        Column::new("PROBLEMS"),
        Column::figures("SIZE").giving_way(8, 16),
        Column::new("PATH"),
    ];
    let names = store_names(snapshot);
    let line = |(row, name): (&Row, &String)| -> Line {
        let (problems, look) = row.problems.told();
        let (sessions, memories) = (row.sessions.to_string(), row.records.to_string());
        let sessions = if row.sessions == 0 { "" } else { &sessions };
        let (size, path) = (human(row.bytes), near(&row.path));
        let cells = [name, row.format, sessions, &memories, &problems, &size, &path];
        let looks = cells.map(|cell| if *cell == problems { look } else { Look::Plain });
        cells.into_iter().zip(looks).map(|(cell, look)| Cell::of(cell, look)).collect::<Vec<_>>().into()
    };
    let drawn: Vec<Line> = rows.iter().zip(&names).take(limit.most()).map(line).collect();
    context.out.drawn(&lines(&columns, &drawn, terminal))?;
    let memories: usize = rows.iter().map(|row| row.records).sum();
    let sum = [counted(rows.len() as u64, "store"), counted(memories as u64, "memory")].join(", ");
    context.out.drawn(&[terminal.painted(&sum, Look::Dim)])?;
    Ok(more(context, Some(terminal), limit.more(rows.len()).as_deref())?)
}

impl Problems {
    /// The gravest kinds with their counts, and how that looks.
    fn told(&self) -> (String, Look) {
        let kinds = [(self.error, '✖', Look::Bad), (self.warning, '⚠', Look::Warning)];
        let some = kinds.iter().filter(|(count, ..)| *count > 0);
        let told: Vec<String> = some.clone().map(|(count, sign, _)| format!("{sign}{count}")).collect();
        let look = some.map(|(.., look)| *look).next().unwrap_or(Look::Plain);
        (told.join(" "), look)
    }
}

/// A path as it is typed from here.
fn near(path: &str) -> String {
    let below = std::env::current_dir().ok().and_then(|here| {
        let below = Path::new(path).strip_prefix(here).ok()?;
        Some(format!("./{}", below.told()))
    });
    below.unwrap_or_else(|| path.to_owned())
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
        counted(row.records as u64, "memory"),
        row.archived,
        row.deleted,
        row.broken,
        row.problems.error,
        row.problems.warning,
        row.problems.note,
        row.path
    )
}
