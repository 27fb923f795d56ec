//! The command line: a contract that people script against (`docs/cli.md`).

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::backup::BackupVerb;
use super::values::{fraction, known_format, limit, moment, name, step};
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
    pub verb: Option<Verb>,
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

/// The verbs.
#[derive(Clone, Debug, Subcommand)]
pub enum Verb {
    /// The stores that were found.
    Stores,
    /// Records, newest first.
    List {
        /// What to list; everything live where it is absent.
        query: Vec<String>,
        /// Limit the number of results.
        #[arg(long, value_name = "N", value_parser = limit)]
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
        /// Limit the number of results.
        #[arg(long, value_name = "N", value_parser = limit)]
        limit: Option<usize>,
    },
    /// One record with all its fields.
    Show {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        #[arg(value_parser = name())]
        id: String,
    },
    /// Problems; writes nothing.
    Check,
    /// Adds a record.
    Add {
        /// The session that it belongs to.
        #[arg(long, value_parser = name())]
        session: Option<String>,
        /// The format's own word for its type.
        #[arg(long = "type", value_name = "TYPE")]
        kind: String,
        /// A tag; may be given several times.
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// From 0 to 1.
        #[arg(long, value_name = "0..1", value_parser = fraction)]
        importance: Option<f64>,
        /// The text, or `-` for standard input.
        #[arg(long)]
        text: Option<String>,
        /// `-`: the record as JSON on standard input.
        #[arg(long, value_name = "-", value_parser = ["-"])]
        record: Option<String>,
    },
    /// Sets fields of a record.
    Edit {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        #[arg(value_parser = name())]
        id: Option<String>,
        /// The records that the query finds, instead of an id.
        #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with_all = ["id", "editor"])]
        query: Option<String>,
        /// A field and its value: JSON where the field is no string, else the text as it is.
        #[arg(long = "set", value_name = "FIELD=VALUE")]
        set: Vec<String>,
        /// The main text in $EDITOR.
        #[arg(long)]
        editor: bool,
    },
    /// Adds and removes tags: `+new -old`.
    Tag {
        /// Ids, and tags with + or - before them.
        words: Vec<String>,
        /// The records that the query finds.
        #[arg(long, value_name = "Q", allow_hyphen_values = true)]
        query: Option<String>,
        /// Renames a tag, or merges it with another.
        #[arg(long, value_name = "OLD=NEW")]
        rename: Option<String>,
    },
    /// Deletes records as their format does it.
    Delete {
        /// Which.
        #[command(flatten)]
        chosen: Chosen,
        /// Why: a code, not a sentence.
        #[arg(long, value_name = "CODE")]
        reason: Option<String>,
        /// What takes its place.
        #[arg(long, value_name = "ID")]
        replaced_by: Option<String>,
        /// Removes the bytes, where the format would keep them.
        #[arg(long)]
        remove: bool,
    },
    /// Takes records out of every file, copy and undo step, and searches every byte afterwards.
    Erase {
        /// Which.
        #[command(flatten)]
        chosen: Chosen,
        /// Why: a code, not a sentence.
        #[arg(long, value_name = "CODE")]
        reason: Option<String>,
    },
    /// Brings deleted records back.
    Undelete {
        /// Which.
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Moves records aside.
    Archive {
        /// Which.
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Brings archived records back.
    Unarchive {
        /// Which.
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Creates, lists, exports, archives and deletes sessions.
    Session {
        /// What to do.
        #[command(subcommand)]
        what: SessionVerb,
    },
    /// Makes an empty store.
    Init {
        /// The format.
        #[arg(value_parser = known_format)]
        format: String,
        /// A folder that is empty or not there yet.
        folder: PathBuf,
    },
    /// Repairs damaged files.
    Repair {
        /// Everything that can lose nothing.
        #[arg(long, required = true)]
        all_safe: bool,
    },
    /// Copies of files as they were.
    Backup {
        /// What to do.
        #[command(subcommand)]
        what: BackupVerb,
    },
    /// Drops what a log need not keep.
    Compact {
        /// That session alone.
        #[arg(long, value_parser = name())]
        session: Option<String>,
    },
    /// Rebuilds indexes and counts.
    Reindex,
    /// Does what is due by the rules of the format and the store's own config; suits cron.
    Maintain,
    /// Upgrades files of an older version, after a backup.
    Migrate,
    /// Counts, sizes and metrics.
    Stats,
    /// What was changed, and until when it can be undone.
    Journal,
    /// Undo the last step, or that one.
    Undo {
        /// The step's number.
        #[arg(value_parser = step)]
        step: Option<u64>,
    },
    /// Redo what was undone last.
    Redo,
    /// Records in other shapes.
    Export {
        /// What to export; everything live where it is absent.
        query: Vec<String>,
        /// The shape.
        #[arg(long = "format", value_enum)]
        shape: ShapeArg,
    },
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
    /// What `after` starts: no verb for people.
    #[command(hide = true)]
    LookAfter { stores: Vec<PathBuf> },
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
