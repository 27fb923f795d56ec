//! The command line: a contract that people script against (`docs/cli.md`).

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::Verb;
use super::values::{known_format, moment, name};
use crate::model::Moment;
use crate::query::Ranking;

/// Review, repair and forget what AI agents remember.
///
/// Without a verb it opens the screens, on PATH or on the stores found from here and
/// from home.
#[derive(Debug, Parser)]
#[command(name = "palimp", version, args_conflicts_with_subcommands = false, subcommand_negates_reqs = true)]
pub struct Args {
    /// Folders or files: a store, what holds it, or a part of it.
    pub paths: Vec<PathBuf>,

    /// The screens on a throw-away demo in a temporary folder.
    #[arg(long)]
    pub demo: bool,

    /// Options that every verb takes.
    #[command(flatten)]
    pub options: Options,

    /// What to do.
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
}

/// Options that every verb takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// A store, or a folder or file that leads to one; may be given several times.
    #[arg(long = "store", value_name = "PATH", global = true)]
    pub stores: Vec<PathBuf>,

    /// The format, where the content does not tell.
    #[arg(long = "as", id = "as", value_name = "FORMAT", global = true, value_parser = known_format)]
    pub format: Option<String>,

    /// JSON instead of text: JSON Lines for lists.
    #[arg(long, global = true)]
    pub json: bool,

    /// Fixes the clock.
    #[arg(long, value_name = "RFC3339", global = true, value_parser = moment)]
    pub now: Option<Moment>,

    /// Changes nothing: every verb that would is refused.
    #[arg(long, global = true)]
    pub readonly: bool,

    /// Prints the plan, and writes nothing.
    #[arg(long, global = true)]
    pub dry_run: bool,

    /// Skip the confirmation.
    #[arg(long, global = true)]
    pub yes: bool,

    /// palimp's own data, instead of the user's: journal, undo, backups, drafts.
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,

    /// No colours.
    #[arg(long, global = true)]
    pub no_color: bool,

    /// How results are ranked.
    #[arg(long, value_enum, global = true)]
    pub ranking: Option<RankingArg>,

    /// Archived and deleted records too.
    #[arg(long, global = true)]
    pub all: bool,
}

/// The rankings by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RankingArg {
    /// importance × decay × recency × match
    Product,
    /// 0.4 text + 0.3 time + 0.2 importance + 0.1 access
    Weighted,
}

impl Options {
    /// The ranking asked for, or the default: the weighted sum where every store is of the
    /// format whose specification has it (4 §5.3).
    pub fn ranking<'a>(&self, formats: impl IntoIterator<Item = &'a str>) -> Ranking {
        let mut formats = formats.into_iter().peekable();
        match self.ranking {
            Some(RankingArg::Weighted) => Ranking::Weighted,
            None if formats.peek().is_some() && formats.all(|format| format == "bmad") => Ranking::Weighted,
            _ => Ranking::Product,
        }
    }
}

/// Records that are named, or found.
#[derive(Clone, Debug, clap::Args)]
pub struct Chosen {
    /// Ids, `SESSION/ID`, `STORE/SESSION/ID`, or keys.
    #[arg(value_parser = name())]
    pub ids: Vec<String>,
    /// The records that the query finds, instead of ids.
    #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with = "ids")]
    pub query: Option<String>,
}

/// The shapes of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ShapeArg {
    /// One array.
    Json,
    /// One object a line.
    Jsonl,
    /// Headings and text.
    Markdown,
    /// Comma-separated values.
    Csv,
}
