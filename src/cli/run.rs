//! Runs a verb: what each verb gets, and how it ended.

use std::cell::{Cell, RefCell};

use super::failure::{Exit, Failure};
use super::stdout::SafeStdout;
use super::{background_recovery, read_warnings, screens};
use crate::cli::command_line::Args;
use crate::cli::context::Context;
use crate::model::Moment;

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
        erased: RefCell::default(),
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
