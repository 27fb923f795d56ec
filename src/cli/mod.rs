//! Headless verbs, one a file. stdout is data, stderr is talk.

mod add;
mod after;
mod args;
mod backup;
mod change;
mod check;
mod chosen;
mod completions;
mod demo;
mod edit;
mod erase;
mod export;
mod failure;
mod help;
mod journal;
mod json;
mod keys;
mod list;
mod lock;
mod man;
mod open;
mod out;
mod records;
mod row;
mod screens;
mod search;
mod session;
mod show;
mod shown;
mod stats;
mod store_verbs;
mod stores;
mod unread;
mod values;
mod words;

use std::io::{self, ErrorKind};

use std::cell::Cell;

pub use args::Args;
pub use failure::{Exit, wrong_usage};

use args::Verb;
use failure::Failure;
use out::Out;

use crate::deed::{DeleteAs, NewRecord, Wanted};
use crate::model::Moment;

/// What every verb is given.
struct Context {
    options: args::Options,
    now: Moment,
    out: Out,
    /// The stores that were changed so far, and how that is undone.
    changed: Vec<String>,
    /// What could not be read, and was told.
    unread: unread::Told,
    /// Whether an erasure that was cut short was finished now, and left something.
    is_left: Cell<bool>,
}

/// Runs what the arguments say and tells how it ended.
pub fn run(args: Args) -> Exit {
    let now = args.options.now.unwrap_or_else(Moment::of_the_clock);
    let unread = unread::Told::default();
    let mut context = Context {
        out: Out::stdout(),
        options: args.options,
        now,
        changed: Vec::new(),
        unread,
        is_left: Cell::new(false),
    };
    let ended = verb(&mut context, args.verb, args.paths, args.demo);
    let ended = ended.and_then(|exit| match exit {
        // A hang-up: nothing takes what is left.
        Exit::Signal(_) => Ok(exit),
        // What is given out is not all that is there.
        Exit::Done if context.unread.any() => {
            context.out.flush().map(|()| Exit::Nothing).map_err(Failure::from)
        }
        exit => context.out.flush().map(|()| exit).map_err(Failure::from),
    });
    let exit = match ended {
        Ok(exit) => exit,
        Err(failure) => failure.after(&context.changed).tell(),
    };
    after::leave();
    exit
}

fn verb(
    context: &mut Context,
    verb: Option<Verb>,
    paths: Vec<std::path::PathBuf>,
    demo: bool,
) -> Result<Exit, Failure> {
    match verb {
        None => screens::run(context, paths, demo),
        Some(Verb::Stores) => stores::run(context),
        Some(Verb::List { query, limit }) => list::run(context, &query, limit),
        Some(Verb::Search { query, explain, limit }) => search::run(context, &query, explain, limit),
        Some(Verb::Show { id }) => show::run(context, &id),
        Some(Verb::Check) => check::run(context),
        Some(Verb::Add { session, kind, tags, importance, text, record }) => {
            add::run(context, NewRecord { session, kind, tags, importance, text, record })
        }
        Some(Verb::Edit { id, query, set, editor }) => edit::run(context, id.as_deref(), query, &set, editor),
        Some(Verb::Tag { words, query, rename }) => records::tag(context, &words, query, rename.as_deref()),
        Some(Verb::Delete { chosen, reason, replaced_by, remove }) => {
            records::delete(context, &chosen, DeleteAs { reason, replaced_by, remove })
        }
        Some(Verb::Erase { chosen, reason }) => erase::run(context, &chosen, reason),
        Some(Verb::Undelete { chosen }) => records::undelete(context, &chosen),
        Some(Verb::Archive { chosen }) => records::archive(context, &chosen),
        Some(Verb::Unarchive { chosen }) => records::unarchive(context, &chosen),
        Some(Verb::Session { what }) => session::run(context, what),
        Some(Verb::Init { format, folder }) => store_verbs::init(context, &format, &folder),
        Some(Verb::Repair { .. }) => store_verbs::each(context, Wanted::Repair),
        Some(Verb::Backup { what }) => backup::run(context, what),
        Some(Verb::Compact { session }) => store_verbs::each(context, Wanted::Compact(session)),
        Some(Verb::Reindex) => store_verbs::each(context, Wanted::Reindex(None)),
        Some(Verb::Maintain) => store_verbs::maintain(context),
        Some(Verb::Migrate) => store_verbs::each(context, Wanted::Migrate),
        Some(Verb::Stats) => stats::run(context),
        Some(Verb::Journal) => journal::run(context),
        Some(Verb::Undo { step }) => journal::undo(context, step),
        Some(Verb::Redo) => journal::redo(context),
        Some(Verb::Export { query, shape }) => export::run(context, &query, shape),
        Some(Verb::Demo { folder, seed }) => demo::run(context, &folder, seed),
        Some(Verb::Completions { shell }) => completions::run(context, shell),
        Some(Verb::Man) => man::run(context),
        Some(Verb::Keys) => keys::run(context),
        Some(Verb::LookAfter { stores }) => Ok(after::run(context, &stores)),
    }
}

/// A closed pipe is no error: the reader has seen enough.
fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}
