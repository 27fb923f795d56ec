//! The command line: a contract that people script against (`docs/cli.md`).

use std::path::PathBuf;

use clap::ValueEnum;

use super::value_parsers::{known_format, limit, moment, name};
use crate::format;
use crate::model::Moment;
use crate::query::Ranking;
use crate::tui::ColourPalette;

/// How the screens look.
#[derive(Clone, Debug, clap::Args)]
pub struct ScreenOptions {
    /// The colours of the screens.
    #[arg(long, value_enum, value_name = "NAME")]
    pub theme: Option<ColourPalette>,

    /// Signs and bars in ASCII.
    #[arg(long)]
    pub ascii: bool,

    /// Leave clicks and the wheel to the terminal.
    #[arg(long)]
    pub no_mouse: bool,

    /// Lines instead of screens, for a screen reader.
    #[arg(long)]
    pub linear: bool,

    /// The settings, instead of the file in your configuration folder.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the settings in use as a file, and end.
    #[arg(long)]
    pub print_config: bool,
}

/// Options that every verb takes.
#[derive(Clone, Debug, clap::Args)]
pub struct GlobalOptions {
    /// A store, or a folder or file of one; may be given several times.
    #[arg(long = "store", value_name = "PATH", global = true)]
    pub stores: Vec<PathBuf>,

    /// The format, if the files do not show which it is.
    #[arg(long = "as", id = "as", value_name = "FORMAT", global = true, value_parser = known_format)]
    pub format: Option<String>,

    /// Print JSON instead of text; JSON Lines for lists.
    #[arg(long, global = true)]
    pub json: bool,

    /// Use this time instead of the clock.
    #[arg(long, value_name = "RFC3339", global = true, value_parser = moment)]
    pub now: Option<Moment>,

    /// Print nothing but what went wrong.
    #[arg(long, global = true)]
    pub quiet: bool,

    /// Change nothing: verbs that would are refused.
    #[arg(long, global = true)]
    pub readonly: bool,

    /// Print the plan, and write nothing.
    #[arg(long, global = true)]
    pub dry_run: bool,

    /// Skip the confirmation.
    #[arg(long, global = true)]
    pub yes: bool,

    /// Where palimp keeps its own data: journal, undo, backups, drafts.
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,

    /// Print no colours.
    #[arg(long, global = true)]
    pub no_color: bool,

    /// How to rank results.
    #[arg(long, value_enum, global = true)]
    pub ranking: Option<RankingArg>,

    /// Include archived and deleted memories.
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

impl GlobalOptions {
    /// Returns the ranking that was asked for. The default is the weighted sum if every store has
    /// a format whose specification defines it.
    pub fn ranking<'a>(&self, formats: impl IntoIterator<Item = &'a str>) -> Ranking {
        let mut formats = formats.into_iter().peekable();
        match self.ranking {
            Some(RankingArg::Weighted) => Ranking::Weighted,
            None if formats.peek().is_some() && formats.all(format::ranks_by_sum) => Ranking::Weighted,
            _ => Ranking::Product,
        }
    }
}

/// Memories that are named, or found.
#[derive(Clone, Debug, clap::Args)]
pub struct RecordSelection {
    /// Ids, `SESSION/ID`, `STORE/SESSION/ID`, or keys.
    #[arg(value_parser = name())]
    pub ids: Vec<String>,
    /// The memories that a query finds, instead of ids.
    #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with = "ids")]
    pub query: Option<String>,
}

/// The session that a verb is about.
#[derive(Clone, Debug, clap::Args)]
pub struct SessionOption {
    /// Only this session: no other is read.
    #[arg(long, value_name = "SESSION", allow_hyphen_values = true, value_parser = name())]
    pub session: Option<String>,
}

/// A limit of how many items of a list are shown.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Limit {
    /// Limit the number of results.
    #[arg(short = 'n', long, value_name = "N", value_parser = limit)]
    limit: Option<usize>,
}

impl Limit {
    pub fn most(self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }

    /// Returns the notice that not all items are shown, if they are not.
    pub fn more(self, all: usize) -> Option<String> {
        let shown = self.limit.filter(|most| *most < all)?;
        Some(format!("{shown} of {all}. More: --limit {all}"))
    }
}

/// The shapes of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormatArg {
    /// One array of objects.
    Json,
    /// One object per line.
    Jsonl,
    /// Headings and text.
    Markdown,
    /// Comma-separated values.
    Csv,
}
