//! Headless verbs, one a file. stdout is data, stderr is talk.
//!
//! Every verb is a row of the table below: what it is about, its arguments, what the words behind it are, which
//! options it obeys, examples, and what it runs. The command line, its help, its manual and its completions are
//! made from it, and `docs/cli.md` is held to it.

mod add;
mod after;
mod args;
mod backup;
mod change;
mod check;
mod chosen;
mod demo;
mod duplicates;
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
mod open;
mod out;
mod records;
mod row;
mod run;
mod screens;
mod session;
mod show;
mod shown;
mod stats;
mod store_verbs;
mod stores;
mod table;
mod unread;
mod values;
mod words;

use std::path::PathBuf;

use clap::Subcommand;

pub use args::Args;
pub use failure::{Exit, wrong_usage};
pub use run::run;

use args::{Chosen, ShapeArg};
use backup::BackupVerb;
use failure::Result;
use run::Context;
use session::SessionVerb;
use table::*;
use values::{fraction, known_format, limit, name, step};
use words::queried;

use crate::deed::{DeleteAs, NewRecord, Wanted};
use crate::query::{ALIKE, Order};

verbs! {
    /// The stores that were found.
    Stores: Paths READS as "stores ~/work"
        => |context| stores::run(context);
    /// Records, newest first.
    List {
        /// What to list; everything live where it is absent.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        /// Limit the number of results.
        #[arg(long, value_name = "N", value_parser = limit)]
        limit: Option<usize>,
    }: Query FINDS
        as "list\nlist ./memory tag:auth -tag:old --limit 20"
        => |context| list::print(context, &query, Order::Time, limit, false);
    /// Records, best first.
    Search {
        /// What to look for.
        #[arg(required = true, value_parser = queried)]
        query: Vec<String>,
        /// Every factor of every rank.
        #[arg(long)]
        explain: bool,
        /// Limit the number of results.
        #[arg(long, value_name = "N", value_parser = limit)]
        limit: Option<usize>,
    }: Query FINDS used "[OPTIONS] [PATH]... QUERY..."
        as "search rotate keys\nsearch ./memory \"rotate keys\" since:-30d"
        => |context| list::print(context, &query, Order::Rank, limit, explain);
    /// Records of equal or nearly equal text, in groups.
    Duplicates {
        /// Among what to look; everything live where it is absent.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        /// How alike two texts have to be, in per cent.
        #[arg(long, value_name = "50..100", value_parser = duplicates::percent, default_value_t = ALIKE)]
        threshold: u32,
        /// Limit the number of groups.
        #[arg(long, value_name = "N", value_parser = limit)]
        limit: Option<usize>,
    }: Query FINDS as "duplicates\nduplicates ./memory type:decision --threshold 90"
        => |context| duplicates::run(context, &query, threshold, limit);
    /// One record with all its fields.
    Show {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        #[arg(value_parser = name())]
        id: String,
    }: Own READS
        as "show mem_20260101_001"
        => |context| show::run(context, &id);
    /// Problems; writes nothing.
    Check: Paths LISTS as "check\ncheck .chora/memory --json"
        => |context| check::run(context);
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
    }: Own CHANGES
        as "add --session s1 --type decision --text \"Use PostgreSQL\" --tag database"
        => |context| add::run(context, NewRecord { session, kind, tags, importance, text, record });
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
    }: Own CHANGES
        as "edit mem_1 --set importance=0.9\nedit mem_1 --editor"
        => |context| edit::run(context, id.as_deref(), query, &set, editor);
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
    }: Tags CHANGES
        as "tag mem_1 +auth -old\ntag --query topic:login +auth"
        => |context| records::tag(context, &words, query, rename.as_deref());
    /// Deletes records as their format does it.
    Delete {
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
    }: Own CHANGES
        as "delete mem_1 mem_2\ndelete --query 'tag:draft until:2025-12-31' --dry-run"
        => |context| records::delete(context, &chosen, DeleteAs { reason, replaced_by, remove });
    /// Takes records out of every file, copy and undo step, and searches every byte afterwards.
    Erase {
        #[command(flatten)]
        chosen: Chosen,
        /// Why: a code, not a sentence.
        #[arg(long, value_name = "CODE")]
        reason: Option<String>,
    }: Own CHANGES
        as "erase mem_1\nerase --query tag:secret"
        => |context| erase::run(context, &chosen, reason);
    /// Brings deleted records back.
    Undelete {
        #[command(flatten)]
        chosen: Chosen,
    }: Own CHANGES as "undelete mem_1"
        => |context| records::undelete(context, &chosen);
    /// Moves records aside.
    Archive {
        #[command(flatten)]
        chosen: Chosen,
    }: Own CHANGES
        as "archive --query 'until:2025-06-30'"
        => |context| records::archive(context, &chosen);
    /// Brings archived records back.
    Unarchive {
        #[command(flatten)]
        chosen: Chosen,
    }: Own CHANGES as "unarchive mem_1"
        => |context| records::unarchive(context, &chosen);
    /// Creates, lists, exports, archives and deletes sessions.
    Session {
        #[command(subcommand)]
        what: SessionVerb,
    }: Parts CHANGES parts ["list" READS, "export" READS]
        as "session list ./memory\nsession export s1 --format markdown"
        => |context| session::run(context, what);
    /// Makes an empty store.
    Init {
        /// The format.
        #[arg(value_parser = known_format)]
        format: String,
        /// A folder that is empty or not there yet.
        folder: PathBuf,
    }: Own MAKES
        as "init bmad .bmad/memory"
        => |context| store_verbs::init(context, &format, &folder);
    /// Repairs damaged files.
    Repair {
        /// Everything that can lose nothing.
        #[arg(long, required = true)]
        all_safe: bool,
    }: Paths CHANGES used "[OPTIONS] --all-safe [PATH]..."
        as "repair --all-safe --dry-run ./memory"
        => |context| {
            // It has to be said, and says nothing more.
            let _ = all_safe;
            store_verbs::each(context, Wanted::Repair)
        };
    /// Copies of files as they were.
    Backup {
        #[command(subcommand)]
        what: BackupVerb,
    }: Parts CHANGES parts ["list" READS, "diff" READS]
        as "backup list\nbackup diff BACKUP\nbackup restore BACKUP mem_1"
        => |context| backup::run(context, what);
    /// Drops what a log need not keep.
    Compact {
        /// That session alone.
        #[arg(long, value_parser = name())]
        session: Option<String>,
    }: Paths CHANGES
        as "compact --session s1 --dry-run"
        => |context| store_verbs::each(context, Wanted::Compact(session));
    /// Rebuilds indexes and counts.
    Reindex: Paths CHANGES as "reindex ./memory"
        => |context| store_verbs::each(context, Wanted::Reindex(None));
    /// Does what is due by the rules of the format and the store's own config; suits cron.
    Maintain: Paths CHANGES as "maintain --yes ./memory"
        => |context| store_verbs::maintain(context);
    /// Upgrades files of an older version, after a backup.
    Migrate: Paths CHANGES as "migrate ~/.claude/agents/memories"
        => |context| store_verbs::each(context, Wanted::Migrate);
    /// Counts, sizes and metrics.
    Stats: Paths READS as "stats --json"
        => |context| stats::run(context);
    /// What was changed, and until when it can be undone.
    Journal: Paths READS as "journal ./memory"
        => |context| journal::run(context);
    /// Undo the last step, or that one.
    Undo {
        /// The step's number.
        #[arg(value_parser = step)]
        step: Option<u64>,
    }: Step CHANGES
        as "undo\nundo 12 ./memory"
        => |context| journal::undo(context, step);
    /// Redo what was undone last.
    Redo: Paths CHANGES as "redo"
        => |context| journal::redo(context);
    /// Records in other shapes.
    Export {
        /// What to export; everything live where it is absent.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        /// The shape.
        #[arg(long = "format", value_enum)]
        shape: ShapeArg,
    }: Query SHAPES used "[OPTIONS] --format SHAPE [PATH]... [QUERY]..."
        as "export tag:auth --format markdown"
        => |context| export::run(context, &query, shape);
    /// Writes the demo's stores into a folder.
    Demo {
        /// A folder that is empty or not there yet.
        folder: PathBuf,
        /// Another seed makes other memories.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    }: Own CLOCK
        as "demo /tmp/demo --seed 2"
        => |context| demo::run(context, &folder, seed);
    /// Completions for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    }: Own NOTHING
        => |context| help::completions(context, shell);
    /// The manual page.
    Man: Own NOTHING
        => |context| help::man(context);
    /// Every key of the screens, and what it does.
    Keys: Own JSON
        => |context| keys::run(context);
    /// What `after` starts: no verb for people.
    #[command(hide = true)]
    LookAfter { stores: Vec<PathBuf> }: Own CHANGES
        => |context| Ok(after::run(context, &stores));
}
