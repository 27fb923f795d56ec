//! The command line: paths, options, a verb.

use std::path::PathBuf;

use clap::Parser;

use crate::cli::args::{GlobalOptions, ScreenOptions};
use crate::cli::verbs::Verb;

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
    pub(super) verb: Option<Verb>,
}
