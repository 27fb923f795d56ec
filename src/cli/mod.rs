//! Headless verbs, one a file. stdout is data, stderr is talk.

mod args;
mod check;
mod completions;
mod demo;
mod failure;
mod json;
mod keys;
mod list;
mod man;
mod open;
mod out;
mod row;
mod screens;
mod search;
mod show;
mod stores;

use std::io::{self, ErrorKind};

pub use args::Args;
pub use failure::{Exit, wrong_usage};

use args::Verb;
use failure::Failure;
use out::Out;

use crate::model::Moment;

/// What every verb is given.
struct Context {
    options: args::Options,
    now: Moment,
    out: Out,
}

/// Runs what the arguments say and tells how it ended.
pub fn run(args: Args) -> Exit {
    let now = args.options.now.unwrap_or_else(Moment::of_the_clock);
    let mut context = Context { out: Out::stdout(), options: args.options, now };
    let ended = verb(&mut context, args.verb, args.paths, args.demo);
    let ended = ended.and_then(|exit| match exit {
        // A hang-up: nothing takes what is left.
        Exit::Signal(_) => Ok(exit),
        exit => context.out.flush().map(|()| exit).map_err(Failure::from),
    });
    match ended {
        Ok(exit) => exit,
        Err(failure) => failure.tell(),
    }
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
        Some(Verb::Demo { folder, seed }) => demo::run(context, &folder, seed),
        Some(Verb::Completions { shell }) => completions::run(context, shell),
        Some(Verb::Man) => man::run(context),
        Some(Verb::Keys) => keys::run(context),
    }
}

/// A closed pipe is no error: the reader has seen enough.
fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}
