//! `palimp session`: sessions as a whole.

use clap::Subcommand;
use serde::Serialize;

use super::add::the_store;
use super::args::ShapeArg;
use super::change::{make, request};
use super::failure::{Exit, Failure, Result};
use super::values::name;
use super::{Context, export, open};
use crate::deed::{SessionDeed, Wanted};
use crate::model::{EntryRef, Session, Snapshot, State, Store, Tell, plan};

/// What can be done with sessions.
#[derive(Clone, Debug, Subcommand)]
pub enum SessionVerb {
    /// Create a session.
    New {
        /// Its id; one is made up where it is absent.
        id: Option<String>,
        /// Whose it is.
        #[arg(long, default_value = "user")]
        user: String,
    },
    /// Lists them.
    List,
    /// Everything of one, as JSON Lines or one JSON document.
    Export {
        /// Which.
        #[arg(value_parser = name())]
        id: String,
        /// The shape.
        #[arg(long = "format", value_enum, default_value = "jsonl")]
        shape: ShapeArg,
    },
    /// Archives a whole session.
    Archive {
        /// Which.
        #[arg(value_parser = name())]
        id: String,
    },
    /// Brings one back.
    Unarchive {
        /// Which.
        #[arg(value_parser = name())]
        id: String,
        /// Beyond the limits of size.
        #[arg(long)]
        allow_large: bool,
    },
    /// Deletes one with all that is in it.
    Delete {
        /// Which.
        #[arg(value_parser = name())]
        id: String,
    },
}

#[derive(Serialize)]
struct Row {
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

/// Does what was asked with a session.
pub fn run(context: &mut Context, what: SessionVerb) -> Result {
    let snapshot = match what {
        SessionVerb::List | SessionVerb::Export { .. } => open::listing(context)?,
        _ => open::to_change(context)?,
    };
    let (number, deed) = match what {
        SessionVerb::List => return list(context, &snapshot),
        SessionVerb::Export { id, shape } => return export_one(context, &snapshot, &id, shape),
        SessionVerb::New { id, user } => (the_store(&snapshot, None)?, SessionDeed::New(id, user)),
        SessionVerb::Delete { id } => (with_session(&snapshot, &id)?, SessionDeed::Delete(id)),
        SessionVerb::Archive { id } => (with_session(&snapshot, &id)?, SessionDeed::Archive(id)),
        SessionVerb::Unarchive { id, allow_large } => {
            (with_session(&snapshot, &id)?, SessionDeed::Unarchive(id, allow_large))
        }
    };
    make(context, request(context, &snapshot, Wanted::Session(number, deed)), None)
}

/// The number of the one store that has such a session.
fn with_session(snapshot: &Snapshot, id: &str) -> Result<usize> {
    let has = |at: &usize| snapshot.stores[*at].sessions.iter().any(|own| own.name == id);
    let with: Vec<usize> = (0..snapshot.stores.len()).filter(has).collect();
    match with.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::new(Exit::Nothing, format!("there is no session {id:?}. (E_SESSION_NOT_FOUND)"))),
        _ => Err(Failure::new(
            Exit::Refused,
            format!("several stores have a session {id:?}; name one with --store."),
        )),
    }
}

fn list(context: &mut Context, snapshot: &Snapshot) -> Result {
    let mut any = false;
    for store in &snapshot.stores {
        for (number, session) in store.sessions.iter().enumerate() {
            any = true;
            let row = row(store, number as u32, session);
            let state = row.lifecycle.unwrap_or("");
            let records = plan::counted(row.records as u64, "record");
            let archived = match row.archived {
                0 => String::new(),
                archived => format!(", {archived} archived"),
            };
            let (name, bytes) = (&row.session, row.bytes);
            context.row(&row, || format!("{name:40} {records}{archived}, {bytes} bytes {state}"))?;
        }
    }
    Ok(if any { Exit::Done } else { Exit::Nothing })
}

fn row(store: &Store, number: u32, session: &Session) -> Row {
    let count =
        |state| store.entries.iter().filter(|own| own.session == Some(number) && own.state == state).count();
    Row {
        store: store.root.told().into_owned(),
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

fn export_one(context: &mut Context, snapshot: &Snapshot, id: &str, shape: ShapeArg) -> Result {
    with_session(snapshot, id)?;
    let own = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        store.session(entry).is_some_and(|session| session.name == id) && store.view(entry).is_some()
    };
    let entries: Vec<EntryRef> = snapshot.entries().filter(own).collect();
    export::print(context, snapshot, &entries, shape)
}
