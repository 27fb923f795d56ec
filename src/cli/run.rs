//! Runs a verb: what each verb gets, and how it ended.

use std::cell::Cell;
use std::io;

use serde::Serialize;

use super::args::{Args, GlobalOptions};
use super::failure::{Exit, Failure};
use super::stdout::SafeStdout;
use super::{background_recovery, read_warnings, screens};
use crate::model::{Moment, Snapshot};
use crate::query::{Order, Query, Request};

/// What every verb gets.
pub struct Context {
    pub(super) options: GlobalOptions,
    pub(super) now: Moment,
    pub(super) out: SafeStdout,
    /// The stores that were changed so far, and how to undo that.
    pub(super) changed: Vec<String>,
    /// What could not be read, and was reported.
    pub(super) unread: read_warnings::ReadWarnings,
    /// True if an interrupted erasure was finished in this run, and left something.
    pub(super) is_left: Cell<bool>,
}

impl Context {
    /// Prints a row: as JSON if that is asked for, otherwise as this line.
    pub fn row(&mut self, row: &impl Serialize, line: impl FnOnce() -> String) -> io::Result<()> {
        match self.options.json {
            true => self.out.json(row),
            false => self.out.line(&line()),
        }
    }

    /// True if a change is made without being shown first.
    pub fn is_at_once(&self) -> bool {
        let options = &self.options;
        options.yes && !options.dry_run && !options.readonly && !options.json
    }

    /// Returns a search, as the options say.
    pub fn request<'a>(&self, snapshot: &'a Snapshot, query: &'a Query, order: Order) -> Request<'a> {
        let ranking = self.options.ranking(snapshot.stores.iter().map(|store| store.format));
        Request { snapshot, text: None, query, ranking, order, all: self.options.all, now: self.now }
    }
}

/// Runs the arguments, and reports how they ended.
pub fn run(args: Args) -> Exit {
    let now = args.options.now.unwrap_or_else(Moment::of_the_clock);
    let unread = read_warnings::ReadWarnings::default();
    let mut context = Context {
        out: SafeStdout::stdout(),
        options: args.options,
        now,
        changed: Vec::new(),
        unread,
        is_left: Cell::new(false),
    };
    let ended = match args.verb {
        None => screens::run(&mut context, args.paths, args.demo, args.looks),
        Some(verb) => verb.run(&mut context),
    };
    let ended = ended.and_then(|exit| match exit {
        // After a hang-up, nothing takes the rest of the output.
        Exit::Signal(_) => Ok(exit),
        // The output is not complete.
        Exit::Done if context.unread.any() => {
            context.out.flush().map(|()| Exit::Nothing).map_err(Failure::from)
        }
        exit => context.out.flush().map(|()| exit).map_err(Failure::from),
    });
    let exit = match ended {
        Ok(exit) => exit,
        Err(failure) => failure.after(&context.changed).tell(),
    };
    background_recovery::leave();
    exit
}
