//! The command line: its options, and how a run of it ends.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use clap::Parser;

use super::args::{GlobalOptions, ScreenOptions};
use super::failure::set_quiet;
use super::read_warnings::ReadWarnings;
use super::stdout::SafeStdout;
use super::verbs::VerbArgs;
use super::{Context, Exit, Failure, load_stores, screens};
use crate::model::Moment;

/// Review, repair and forget what AI agents remember.
///
/// Without a verb palimp opens the screens: on PATH, or on the stores that it finds from the current folder
/// and from your home folder.
#[derive(Debug, Parser)]
#[command(name = "palimp", version, args_conflicts_with_subcommands = false, subcommand_negates_reqs = true)]
pub struct Args {
    /// A store, a folder with stores in it, or a file of a store.
    pub paths: Vec<PathBuf>,

    /// Open the screens on a demo in a temporary folder.
    #[arg(long)]
    pub demo: bool,

    /// How the screens look.
    #[command(flatten)]
    pub looks: ScreenOptions,

    /// Options that every verb takes.
    #[command(flatten)]
    pub options: GlobalOptions,

    /// What to do.
    #[command(subcommand)]
    pub(super) verb: Option<VerbArgs>,
}

/// Runs the arguments, and reports how they ended.
pub fn run(args: Args) -> Exit {
    let now = args.options.now.unwrap_or_else(Moment::of_the_clock);
    set_quiet(args.options.quiet);
    // What these find is what went wrong.
    let finds = matches!(
        args.verb,
        Some(VerbArgs::Check { .. } | VerbArgs::Secrets { .. } | VerbArgs::VerifyErased { .. })
    );
    let is_silent = args.options.quiet && !finds;
    let mut context = Context {
        out: if is_silent { SafeStdout::closed() } else { SafeStdout::stdout() },
        options: args.options,
        now,
        changed: Vec::new(),
        unread: ReadWarnings::default(),
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
    load_stores::rescue_late_lines(&context);
    exit
}
