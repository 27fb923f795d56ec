//! The command line: a contract that people script against (`docs/cli.md`).

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::model::{Moment, Zone};
use crate::query::Ranking;

/// Review, repair and forget what AI agents remember.
///
/// Without a verb it opens the screens, on PATH or on the stores found from here and
/// from home. This version only reads.
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
    pub verb: Option<Verb>,
}

/// Options that every verb takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// A store, or a folder or file that leads to one; may be given several times.
    #[arg(long = "store", value_name = "PATH", global = true)]
    pub stores: Vec<PathBuf>,

    /// The format, where the content does not tell.
    #[arg(long = "as", value_name = "FORMAT", global = true, value_parser = known_format)]
    pub format: Option<String>,

    /// JSON instead of text: JSON Lines for lists.
    #[arg(long, global = true)]
    pub json: bool,

    /// Fixes the clock.
    #[arg(long, value_name = "RFC3339", global = true, value_parser = moment)]
    pub now: Option<Moment>,

    /// Opens stores to read only, as this version always does.
    #[arg(long, global = true)]
    pub readonly: bool,

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

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// What was found.
    Stores,
    /// Records, newest first.
    List {
        /// What to list; everything live where it is absent.
        query: Vec<String>,
        /// At most so many.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Records, best first.
    Search {
        /// What to look for.
        #[arg(required = true)]
        query: Vec<String>,
        /// Every factor of every rank.
        #[arg(long)]
        explain: bool,
        /// At most so many.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// One record, whole.
    Show {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        id: String,
    },
    /// Problems; writes nothing.
    Check,
    /// Writes the demo's stores into a folder.
    Demo {
        /// A folder that is empty or not there yet.
        folder: PathBuf,
        /// Another seed makes other memories.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Completions for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// The manual page.
    Man,
    /// Every key of the screens, and what it does.
    Keys,
}

fn moment(text: &str) -> Result<Moment, String> {
    match Moment::parse(text) {
        Some((when, Zone::Given)) => Ok(when),
        _ => Err("it should be a time with a zone, such as 2026-01-31T12:00:00Z".into()),
    }
}

fn known_format(text: &str) -> Result<String, String> {
    let names: Vec<&str> = crate::format::FORMATS.iter().map(|format| format.name()).collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("it should be one of {}", names.join(", ")))
}
