//! `palimp stores`: lists the stores that are found.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::columns::{Column, ColumnCell, ColumnRow, OutputTerminal, TextStyle, lines};
use super::{Context, Exit, Limit, ReadScope, Result, load_stores, say};
use crate::disk::RealDisk;
use crate::disk::host::Host;
use crate::format::{self, store_names, with_family};
use crate::model::plan::count_with_noun;
use crate::model::{PathText, Snapshot, State, Store};
use crate::text::columns::human_size;
use crate::usecase::{SetAsideCount, check_store, not_loaded, set_aside_count};

#[derive(Serialize)]
struct StoreRow {
    path: String,
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'static str>,
    /// Both, as people read them.
    #[serde(skip)]
    named: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Where the project was before, or the work tree of it that the memories are named after.
    #[serde(skip_serializing_if = "Option::is_none")]
    named_after: Option<String>,
    /// Why no agent loads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_loaded: Option<String>,
    /// Why palimp only reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only: Option<&'static str>,
    sessions: usize,
    records: usize,
    archived: usize,
    deleted: usize,
    broken: usize,
    bytes: u64,
    problems: ProblemCounts,
}

#[derive(Serialize)]
struct ProblemCounts {
    error: usize,
    warning: usize,
    note: usize,
}

pub fn run(context: &mut Context, limit: Limit) -> Result {
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    context.unread.archives(&snapshot);
    let data = load_stores::data_folder(context).ok();
    // The problems are those that `check` lists.
    let row = |store: &Arc<Store>| {
        let SetAsideCount { deleted, archived } =
            set_aside_count(store, data.as_deref().map(|data| Host::here(data, context.now)));
        StoreRow {
            archived,
            deleted,
            ..row(&check_store(&RealDisk, data.as_deref(), store, context.now).store)
        }
    };
    let rows: Vec<StoreRow> = snapshot.stores.iter().map(row).collect();
    match OutputTerminal::of(context) {
        Some(terminal) => print(context, &snapshot, (&rows, limit), terminal)?,
        None => rows.iter().take(limit.most()).try_for_each(|row| context.row(row, || to_line(row)))?,
    }
    load_stores::not_searched().filter(|_| context.options.stores.is_empty()).into_iter().for_each(say);
    Ok(Exit::Done)
}

fn print(
    context: &mut Context,
    snapshot: &Snapshot,
    (rows, limit): (&[StoreRow], Limit),
    terminal: OutputTerminal,
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
    let line = |(row, name): (&StoreRow, &String)| -> ColumnRow {
        let (problems, look) = row.problems.told();
        let (sessions, memories) = (row.sessions.to_string(), row.memories().to_string());
        let sessions = if row.sessions == 0 { "" } else { &sessions };
        let (size, path) = (human_size(row.bytes), near(&row.path));
        let cells = [name, row.named, sessions, &memories, &problems, &size, &path];
        let looks = cells.map(|cell| if *cell == problems { look } else { TextStyle::Plain });
        cells.into_iter().zip(looks).map(|(cell, look)| ColumnCell::of(cell, look)).collect::<Vec<_>>().into()
    };
    let drawn: Vec<ColumnRow> = rows.iter().zip(&names).take(limit.most()).map(line).collect();
    context.out.drawn(&lines(&columns, &drawn, terminal))?;
    let memories: usize = rows.iter().map(StoreRow::memories).sum();
    let sum =
        [count_with_noun(rows.len() as u64, "store"), count_with_noun(memories as u64, "memory")].join(", ");
    context.out.drawn(&[terminal.painted(&sum, TextStyle::Dim)])?;
    let only_read: BTreeSet<&str> = rows.iter().filter_map(|row| row.read_only).collect();
    only_read.iter().try_for_each(|why| context.out.drawn(&[terminal.painted(why, TextStyle::Dim)]))?;
    Ok(context.more(limit, rows.len())?)
}

impl StoreRow {
    /// Returns the number of memories that `list` and the screens show: those that can't be read, too.
    fn memories(&self) -> usize {
        self.records + self.broken
    }
}

impl ProblemCounts {
    /// Returns the worst severities with their counts, and their style.
    fn told(&self) -> (String, TextStyle) {
        let kinds = [(self.error, '✖', TextStyle::Bad), (self.warning, '⚠', TextStyle::Warning)];
        let some = kinds.iter().filter(|(count, ..)| *count > 0);
        let told: Vec<String> = some.clone().map(|(count, sign, _)| format!("{sign}{count}")).collect();
        let look = some.map(|(.., look)| *look).next().unwrap_or(TextStyle::Plain);
        (told.join(" "), look)
    }
}

fn near(path: &str) -> String {
    let below = std::env::current_dir().ok().and_then(|here| {
        let below = Path::new(path).strip_prefix(here).ok()?;
        Some(format!("./{}", below.to_text()))
    });
    below.unwrap_or_else(|| path.to_owned())
}

fn row(store: &Store) -> StoreRow {
    let [error, warning, note] = store.problem_counts();
    let (format, family) = with_family(store.format);
    let project = store.project.as_ref();
    let named_after =
        project.filter(|project| project.named() != project.path).map(|project| project.named());
    StoreRow {
        path: store.root.to_text().into_owned(),
        format,
        family,
        project: project.map(|project| project.path.to_text().into_owned()),
        named_after: named_after.map(|path| path.to_text().into_owned()),
        not_loaded: not_loaded(store),
        read_only: format::by_name(store.format).and_then(|own| own.about().read_only),
        named: store.format,
        sessions: store.sessions.len(),
        records: store.count(State::Live),
        archived: store.count(State::Archived),
        deleted: store.count(State::Deleted),
        broken: store.count(State::Broken),
        bytes: store.bytes,
        problems: ProblemCounts { error, warning, note },
    }
}

fn to_line(row: &StoreRow) -> String {
    format!(
        "{:14} {}, {} ({} broken), {} archived, {} deleted, ✖{} ⚠{} note {}    {}",
        row.named,
        count_with_noun(row.sessions as u64, "session"),
        count_with_noun(row.memories() as u64, "memory"),
        row.broken,
        row.archived,
        row.deleted,
        row.problems.error,
        row.problems.warning,
        row.problems.note,
        row.path
    )
}
