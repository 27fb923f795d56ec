//! `palimp session`: sessions as a whole.

use std::sync::Arc;

use clap::Subcommand;
use serde::Serialize;

use super::add::the_store;
use super::args::{ExportFormatArg, Limit};
use super::columns::{Column, ColumnCell, ColumnRow, OutputTerminal, lines};
use super::export::ExportOptions;
use super::failure::{Exit, Failure, Result};
use super::list_table::more;
use super::read_scope::ReadScope;
use super::run_change::{request, run_change};
use super::value_parsers::name;
use super::{export, load_stores};
use crate::cli::context::Context;
use crate::format::store_names;
use crate::model::{EntryRef, PathText, Session, Snapshot, State, Store, plan};
use crate::text::columns::human_size;
use crate::usecase::{ChangeCommand, SessionCommand};

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
    lifecycle: Option<&'static str>,
    created: Option<String>,
    records: usize,
    archived: usize,
    deleted: usize,
    bytes: u64,
    limit: Option<u64>,
}

pub fn run(context: &mut Context, what: SessionVerb) -> Result {
    let snapshot = match what {
        SessionVerb::List { .. } | SessionVerb::Export { .. } => {
            load_stores::memories(context, ReadScope::All)?
        }
        _ => load_stores::to_change(context, ReadScope::All)?,
    };
    let (number, operation) = match what {
        SessionVerb::List { limit } => {
            context.unread.archives(&snapshot);
            return list(context, &snapshot, limit);
        }
        SessionVerb::Export { id, shape } => return export_one(context, &snapshot, &id, shape),
        SessionVerb::New { id, user } => (the_store(&snapshot, None)?, SessionCommand::New(id, user)),
        SessionVerb::Delete { id } => (with_session(&snapshot, &id)?, SessionCommand::Delete(id)),
        SessionVerb::Archive { id } => (with_session(&snapshot, &id)?, SessionCommand::Archive(id)),
        SessionVerb::Unarchive { id, allow_large } => {
            (with_session(&snapshot, &id)?, SessionCommand::Unarchive(id, allow_large))
        }
    };
    run_change(context, request(context, &snapshot, ChangeCommand::Session(number, operation)), None)
}

pub fn no_session(id: &str) -> Failure {
    Failure::nothing(format!("there is no session {id:?}. (E_SESSION_NOT_FOUND)"))
}

fn with_session(snapshot: &Snapshot, id: &str) -> Result<usize> {
    let has = |at: &usize| snapshot.stores[*at].sessions.iter().any(|own| own.name == id);
    let with: Vec<usize> = (0..snapshot.stores.len()).filter(has).collect();
    match with.as_slice() {
        [one] => Ok(*one),
        [] => Err(no_session(id)),
        _ => Err(Failure::refused(format!("several stores have a session {id:?}; name one with --store."))),
    }
}

fn list(context: &mut Context, snapshot: &Snapshot, limit: Limit) -> Result {
    let names = store_names(snapshot);
    let rows: Vec<(SessionRow, &str)> = snapshot.stores.iter().zip(&names).flat_map(rows).collect();
    let shown = &rows[..rows.len().min(limit.most())];
    match OutputTerminal::of(context) {
        Some(terminal) => {
            print(context, shown, names.len() > 1, terminal)?;
            more(context, Some(terminal), limit.more(rows.len()).as_deref())?;
        }
        None => shown.iter().try_for_each(|(row, _)| context.row(row, || to_line(row)))?,
    }
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn rows<'a>((store, name): (&'a Arc<Store>, &'a String)) -> impl Iterator<Item = (SessionRow, &'a str)> {
    store.sessions.iter().enumerate().map(|(number, own)| (row(store, number as u32, own), name.as_str()))
}

fn print(
    context: &mut Context,
    rows: &[(SessionRow, &str)],
    is_named: bool,
    terminal: OutputTerminal,
) -> Result<()> {
    let columns = [
        Column::new("STORE").giving_way(16, 20),
        Column::new("STATE"),
        Column::figures("MEMORIES"),
        Column::figures("ARCHIVED"),
        Column::figures("SIZE"),
        Column::new("SESSION"),
    ];
    let some = |count: usize| if count == 0 { String::new() } else { count.to_string() };
    let line = |(row, name): &(SessionRow, &str)| -> ColumnRow {
        let name = if is_named { name } else { "" };
        let (state, size) = (row.lifecycle.unwrap_or(""), human_size(row.bytes));
        let cells = [name, state, &row.records.to_string(), &some(row.archived), &size, &row.session];
        cells.into_iter().map(ColumnCell::new).collect::<Vec<_>>().into()
    };
    let drawn: Vec<ColumnRow> = rows.iter().map(line).collect();
    Ok(context.out.drawn(&if drawn.is_empty() { Vec::new() } else { lines(&columns, &drawn, terminal) })?)
}

fn to_line(row: &SessionRow) -> String {
    let (name, size, state) = (&row.session, human_size(row.bytes), row.lifecycle.unwrap_or(""));
    let memories = plan::count_with_noun(row.records as u64, "memory");
    let archived = if row.archived == 0 { String::new() } else { format!(", {} archived", row.archived) };
    format!("{name:40} {memories}{archived}, {size} {state}")
}

fn row(store: &Store, number: u32, session: &Session) -> SessionRow {
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
        store.session(entry).is_some_and(|session| session.name == id) && store.memory(entry).is_some()
    };
    let entries: Vec<EntryRef> = snapshot.entries().filter(own).collect();
    export::print(context, snapshot, &entries, ExportOptions { shape, places: false })
}
