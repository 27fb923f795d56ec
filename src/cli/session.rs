//! `palimp session`: sessions as a whole.

use std::sync::Arc;

use clap::Subcommand;
use serde::Serialize;

use super::add::the_store;
use super::args::ExportFormatArg;
use super::columns::{Column, ColumnCell, ColumnRow, OutputTerminal, lines};
use super::run_change::{request, run_change};
use super::value_parsers::name;
use super::{Context, Exit, Failure, Limit, ReadScope, Result, export, load_stores};
use crate::format::store_names;
use crate::model::{EntryRef, Lifecycle, PathText, Session, Snapshot, State, Store, plan};
use crate::ops::session::{ArchiveSession, DeleteSession, NewSession, UnarchiveSession};
use crate::text::columns::human_size;
use crate::usecase::Command;

/// What can be done with sessions.
#[derive(Clone, Debug, Subcommand)]
pub enum SessionVerb {
    /// Create a session.
    New {
        /// Its id; palimp makes one if it is left out.
        id: Option<String>,
        /// The user that it belongs to.
        #[arg(long, default_value = "user")]
        user: String,
    },
    /// List the sessions.
    List {
        #[command(flatten)]
        limit: Limit,
    },
    /// Export a session, as JSON Lines, JSON, Markdown or CSV.
    Export {
        /// The session.
        #[arg(value_parser = name())]
        id: String,
        /// The file format; without it what suits the terminal, the file's name or a program.
        #[arg(long = "format", value_enum)]
        shape: Option<ExportFormatArg>,
    },
    /// Archive a whole session.
    Archive {
        /// The session.
        #[arg(value_parser = name())]
        id: String,
    },
    /// Bring a session back from the archive.
    Unarchive {
        /// The session.
        #[arg(value_parser = name())]
        id: String,
        /// Unpack archives that are larger than the limits.
        #[arg(long)]
        allow_large: bool,
    },
    /// Delete a session with all its memories.
    Delete {
        /// The session.
        #[arg(value_parser = name())]
        id: String,
    },
}

#[derive(Serialize)]
struct SessionRow {
    store: String,
    session: String,
    lifecycle: Option<Lifecycle>,
    created: Option<String>,
    records: usize,
    archived: usize,
    deleted: usize,
    bytes: u64,
    limit: Option<u64>,
    /// The short name of the store.
    #[serde(skip)]
    store_name: String,
}

pub fn run(context: &mut Context, what: SessionVerb) -> Result {
    let snapshot = match what {
        SessionVerb::List { .. } | SessionVerb::Export { .. } => {
            load_stores::memories(context, ReadScope::All)?
        }
        _ => load_stores::to_change(context, ReadScope::All)?,
    };
    let command: Arc<dyn Command> = match what {
        SessionVerb::List { limit } => {
            context.unread.archives(&snapshot);
            return list(context, &snapshot, limit);
        }
        SessionVerb::Export { id, shape } => return export_one(context, &snapshot, &id, shape),
        SessionVerb::New { id, user } => {
            Arc::new(NewSession { store: the_store(&snapshot, None)?, id, user })
        }
        SessionVerb::Delete { id } => Arc::new(DeleteSession { store: with_session(&snapshot, &id)?, id }),
        SessionVerb::Archive { id } => Arc::new(ArchiveSession { store: with_session(&snapshot, &id)?, id }),
        SessionVerb::Unarchive { id, allow_large } => {
            Arc::new(UnarchiveSession { store: with_session(&snapshot, &id)?, id, allow_large })
        }
    };
    run_change(context, request(context, &snapshot, command), None)
}

pub fn no_session(id: &str) -> Failure {
    Failure::nothing(format!("there is no session {id:?}. (E_SESSION_NOT_FOUND)"))
}

/// Returns the numbers of the stores that have a session of that name.
pub fn stores_with(snapshot: &Snapshot, id: &str) -> Vec<usize> {
    let has = |at: &usize| snapshot.stores[*at].sessions.iter().any(|own| own.name == id);
    (0..snapshot.stores.len()).filter(has).collect()
}

fn with_session(snapshot: &Snapshot, id: &str) -> Result<usize> {
    match stores_with(snapshot, id).as_slice() {
        [one] => Ok(*one),
        [] => Err(no_session(id)),
        _ => Err(Failure::refused(format!("several stores have a session {id:?}; name one with --store."))),
    }
}

fn list(context: &mut Context, snapshot: &Snapshot, limit: Limit) -> Result {
    let mut rows: Vec<SessionRow> = Vec::new();
    for (store, name) in snapshot.stores.iter().zip(store_names(snapshot)) {
        rows.extend((0..).zip(&store.sessions).map(|(number, own)| row(store, &name, number, own)));
    }
    let shown = &rows[..rows.len().min(limit.most())];
    match OutputTerminal::of(context) {
        Some(terminal) => {
            print(context, shown, snapshot.stores.len() > 1, terminal)?;
            context.more(limit, rows.len())?;
        }
        None => shown.iter().try_for_each(|row| context.row(row, || to_line(row)))?,
    }
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn print(context: &mut Context, rows: &[SessionRow], is_named: bool, terminal: OutputTerminal) -> Result<()> {
    let columns = [
        Column::new("STORE").giving_way(16, 20),
        Column::new("STATE"),
        Column::figures("MEMORIES"),
        Column::figures("ARCHIVED"),
        Column::figures("SIZE"),
        Column::new("SESSION"),
    ];
    let some = |count: usize| if count == 0 { String::new() } else { count.to_string() };
    let line = |row: &SessionRow| -> ColumnRow {
        let name = if is_named { &row.store_name } else { "" };
        let (state, size) = (row.lifecycle.map_or("", Lifecycle::as_str), human_size(row.bytes));
        let cells = [name, state, &row.records.to_string(), &some(row.archived), &size, &row.session];
        cells.into_iter().map(ColumnCell::new).collect::<Vec<_>>().into()
    };
    let drawn: Vec<ColumnRow> = rows.iter().map(line).collect();
    if drawn.is_empty() { Ok(()) } else { Ok(context.out.drawn(&lines(&columns, &drawn, terminal))?) }
}

fn to_line(row: &SessionRow) -> String {
    let (name, size, state) =
        (&row.session, human_size(row.bytes), row.lifecycle.map_or("", Lifecycle::as_str));
    let memories = plan::count_with_noun(row.records as u64, "memory");
    let archived = if row.archived == 0 { String::new() } else { format!(", {} archived", row.archived) };
    format!("{name:40} {memories}{archived}, {size} {state}")
}

fn row(store: &Store, name: &str, number: u32, session: &Session) -> SessionRow {
    let count =
        |state| store.entries.iter().filter(|own| own.session == Some(number) && own.state == state).count();
    SessionRow {
        store: store.root.to_text().into_owned(),
        session: session.name.clone(),
        lifecycle: session.lifecycle,
        created: session.created.map(|when| when.to_rfc3339()),
        records: count(State::Live),
        archived: count(State::Archived),
        deleted: count(State::Deleted),
        bytes: session.size,
        limit: session.limit,
        store_name: name.to_owned(),
    }
}

fn export_one(
    context: &mut Context,
    snapshot: &Snapshot,
    id: &str,
    shape: Option<ExportFormatArg>,
) -> Result {
    with_session(snapshot, id)?;
    let own = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        store.session(entry).is_some_and(|session| session.name == id) && store.is_readable(entry)
    };
    let entries: Vec<EntryRef> = snapshot.entries().filter(own).collect();
    export::print(context, snapshot, &entries, (shape, false))
}
