//! The table of verbs. A row has the help of a verb, its arguments, the kind of the words
//! after it, the options that it obeys, examples, and what it runs. The command line, its help, its manual and its
//! completions are made from it. A test compares `docs/cli.md` with it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Subcommand;

use super::verb_info::{OperandKind, VerbInfo};
use super::{
    Context, Limit, Result, add, budget, change_records, check, demo, duplicates, edit, erase, export,
    forget, help, init, journal, keys, list, load_stores, maintain, redact, repair, run_change, secrets,
    show, stats, stores, undo_redo, verify_erased,
};
use crate::cli::args::{ExportFormatArg, RecordSelection, SessionOption};
use crate::cli::backup::{self, BackupVerb};
use crate::cli::erase::EraseChoice;
use crate::cli::forget::ForgetOptions;
use crate::cli::quarantine::{self, QuarantineVerb};
use crate::cli::redact::{NamedSpan, RedactOptions};
use crate::cli::secrets::SecretOptions;
use crate::cli::session::{self, SessionVerb};
use crate::cli::value_input::ValueOptions;
use crate::cli::value_parsers::{code, fraction, known_format, limit, name, queried, step};
use crate::format;
use crate::model::{Code, State};
use crate::ops::compact::Compact;
use crate::ops::copy_records::CopyMemories;
use crate::ops::maintain::Migrate;
use crate::ops::merge::{MergeChoice, MergedText};
use crate::ops::move_records::MoveMemories;
use crate::ops::redact::RedactionStyle;
use crate::ops::reindex::Reindex;
use crate::query::SIMILAR_PERCENT;
use crate::usecase::{
    ArchiveMemories, DeleteOptions, NewRecord, UnarchiveMemories, UndeleteMemories, Verdict,
};

const READS: &str = "stores as json now readonly data_dir no_color";
const FINDS: &str = "stores as json now readonly data_dir no_color ranking all";
const LISTS: &str = "stores as json now readonly data_dir no_color all quiet";
const SHAPES: &str = "stores as now readonly data_dir no_color ranking all";
const CHANGES: &str = "stores as json now readonly data_dir no_color dry_run yes quiet";
const MAKES: &str = "json now readonly data_dir no_color dry_run yes quiet";
const CLOCK: &str = "now";
const JSON: &str = "json";
const NOTHING: &str = "";

macro_rules! examples {
    () => {
        ""
    };
    ($examples:expr) => {
        $examples
    };
}

/// Makes the verbs from their table. A row has the arguments, the kind of the words after it, the options
/// that the verb and its parts obey, the usage if the kind does not say it, examples, and what it runs.
macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident $({ $($(#[$arg:meta])* $field:ident: $type:ty),* $(,)? })?:
        $takes:ident $obeys:ident $(parts [$($part:literal $part_obeys:ident),*])? $(used $usage:literal)?
        $(as $examples:expr)? => |$context:ident| $run:expr;)*) => {
        /// The verbs.
        #[derive(Clone, Debug, Subcommand)]
        pub enum VerbArgs {
            $($(#[$about])* $verb $({ $($(#[$arg])* $field: $type),* })?,)*
        }

        pub static VERBS: &[VerbInfo] = &[$(VerbInfo {
            name: stringify!($verb),
            takes: OperandKind::$takes,
            obeys: $obeys,
            parts: &[$($(($part, $part_obeys)),*)?],
            used: concat!("" $(, $usage)?),
            examples: examples!($($examples)?),
        },)*];

        impl VerbArgs {
            pub fn run(self, context: &mut Context) -> Result {
                match self {
                    $(VerbArgs::$verb $({ $($field),* })? => { let $context = context; $run })*
                }
            }
        }
    };
}

pub fn known(name: &str) -> Option<&'static VerbInfo> {
    VERBS.iter().find(|own| own.is_called(name))
}

/// True if a verb, or a verb inside it (`backup list`), obeys an option that every verb takes.
pub fn obeys(name: &str, option: &str) -> bool {
    let (whole, part) = name.split_once(' ').unwrap_or((name, ""));
    let of = |own: &VerbInfo| own.parts.iter().find(|(name, _)| *name == part).map_or(own.obeys, |own| own.1);
    known(whole).map_or(CHANGES, of).split(' ').any(|own| own == option)
}

verbs! {
    /// List the stores that are found.
    Stores {
        #[command(flatten)]
        limit: Limit,
    }: Paths READS as "stores ~/work"
        => |context| stores::run(context, limit);
    /// List memories, newest first.
    List {
        /// What to list; all live memories if it is left out.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        #[command(flatten)]
        within: SessionOption,
        #[command(flatten)]
        limit: Limit,
    }: Query FINDS
        as "list\nlist ./memory tag:auth -tag:old -n 20\nlist --session s1"
        => |context| list::list(context, &query, &within, limit);
    /// Search memories, best first.
    Search {
        /// What to look for.
        #[arg(required_unless_present = "saved", value_parser = queried)]
        query: Vec<String>,
        /// Run a query that the store itself has saved.
        #[arg(long, value_name = "NAME")]
        saved: Option<String>,
        /// Say why each memory has its rank.
        #[arg(long)]
        explain: bool,
        #[command(flatten)]
        within: SessionOption,
        #[command(flatten)]
        limit: Limit,
    }: Query FINDS used "[OPTIONS] [PATH]... (QUERY... | --saved NAME)"
        as "search rotate keys\nsearch ./memory \"rotate keys\" since:30d\nsearch --saved recent-failures"
        => |context| list::search(context, &query, saved.as_deref(), &within, (limit, explain));
    /// Find memories of equal or nearly equal text, in groups.
    Duplicates {
        /// Where to look; all live memories if it is left out.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        /// How alike two texts must be, in per cent.
        #[arg(long, value_name = "50..100", value_parser = duplicates::percent, default_value_t = SIMILAR_PERCENT)]
        threshold: u32,
        #[command(flatten)]
        limit: Limit,
    }: Query FINDS as "duplicates\nduplicates ./memory type:decision --threshold 90"
        => |context| duplicates::run(context, &query, threshold, limit);
    /// Show one memory with all its fields.
    Show {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        #[arg(value_parser = name())]
        id: String,
        #[command(flatten)]
        within: SessionOption,
    }: Own READS
        as "show mem_20260101_001\nshow s1/mem_20260101_001"
        => |context| show::run(context, &id, &within);
    /// List problems; changes nothing.
    Check {
        #[command(flatten)]
        limit: Limit,
    }: Paths LISTS as "check\ncheck .chora/memory --json"
        => |context| check::run(context, limit);
    /// List what looks sensitive, masked; changes nothing.
    Secrets {
        /// Only this kind: token, private-key, jwt, url-credentials, password, card, iban, email, phone,
        /// address, home, name. May be given several times.
        #[arg(long, value_name = "KIND", value_parser = secrets::kind)]
        only: Vec<String>,
        /// Note that a finding is real, a false alarm, or undecided. False alarms are not listed any more.
        #[arg(long, value_name = "KEY=yes|no|skip", value_parser = secrets::verdict)]
        triage: Vec<(String, Verdict)>,
        /// Also find the names and handles in this file, one on each line.
        #[arg(long, value_name = "FILE")]
        names: Option<PathBuf>,
        #[command(flatten)]
        limit: Limit,
    }: Paths LISTS
        as "secrets\nsecrets .chora/memory --only token --only password\nsecrets --triage 0a1b2c3d@0123456789abcdef:1=no"
        => |context| secrets::run(context, &SecretOptions { only, triage, names, limit });
    /// Add a memory.
    Add {
        /// The session that it belongs to.
        #[arg(long, value_parser = name())]
        session: Option<String>,
        /// The type, in the format's own word.
        #[arg(long = "type", value_name = "TYPE")]
        kind: String,
        /// A tag; may be given several times.
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// The importance, from 0 to 1.
        #[arg(long, value_name = "0..1", value_parser = fraction)]
        importance: Option<f64>,
        /// The text, or `-` for standard input.
        #[arg(long)]
        text: Option<String>,
        /// `-`: the whole memory as JSON on standard input.
        #[arg(long, value_name = "-", value_parser = ["-"])]
        record: Option<String>,
    }: Own CHANGES
        as "add --session s1 --type decision --text \"Use PostgreSQL\" --tag database"
        => |context| add::run(context, NewRecord { session, kind, tags, importance, text, record });
    /// Set fields of a memory.
    Edit {
        /// Its id, `SESSION/ID`, `STORE/SESSION/ID`, or its key.
        #[arg(value_parser = name())]
        id: Option<String>,
        /// The memories that a query finds, instead of an id.
        #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with_all = ["id", "editor"])]
        query: Option<String>,
        /// A field and its value: plain text, or JSON if the field is not a text.
        #[arg(long = "set", value_name = "FIELD=VALUE")]
        set: Vec<String>,
        /// Edit the main text in $EDITOR.
        #[arg(long)]
        editor: bool,
    }: Own CHANGES
        as "edit mem_1 --set importance=0.9\nedit mem_1 --editor"
        => |context| edit::run(context, id.as_deref(), query, &set, editor);
    /// Add and remove tags: `+new -old`.
    Tag {
        /// Ids, and tags with + or - before them.
        words: Vec<String>,
        /// The memories that a query finds.
        #[arg(long, value_name = "Q", allow_hyphen_values = true)]
        query: Option<String>,
        /// Rename a tag, or merge it with another.
        #[arg(long, value_name = "OLD=NEW")]
        rename: Option<String>,
    }: Tags CHANGES
        as "tag mem_1 +auth -old\ntag --query topic:login +auth"
        => |context| change_records::tag(context, &words, query, rename.as_deref());
    /// Delete memories, the way their format does it.
    Delete {
        #[command(flatten)]
        chosen: RecordSelection,
        /// Why: a code, not a sentence.
        #[arg(long, value_name = "CODE")]
        reason: Option<String>,
        /// What takes its place.
        #[arg(long, value_name = "ID")]
        replaced_by: Option<String>,
        /// Remove the bytes at once, even if the format would keep them.
        #[arg(long)]
        remove: bool,
    }: Own CHANGES
        as "delete mem_1 mem_2\ndelete --query 'tag:draft until:2025-12-31' --dry-run"
        => |context| change_records::delete(context, &chosen, DeleteOptions { reason, replaced_by, remove });
    /// Erase memories or values for good, with every copy, and search every byte afterwards.
    Erase {
        #[command(flatten)]
        chosen: RecordSelection,
        /// What is detected, with the memories that hold it.
        #[arg(long, conflicts_with = "ids")]
        secrets: bool,
        /// Only these kinds of what is detected.
        #[arg(long, value_name = "KIND", value_parser = secrets::kind, requires = "secrets", conflicts_with = "ids")]
        only: Vec<String>,
        #[command(flatten)]
        values: ValueOptions,
        /// Why: a code, not a sentence.
        #[arg(long, value_name = "CODE")]
        reason: Option<String>,
    }: Own CHANGES
        as "erase mem_1\nerase --query tag:secret\nerase --secrets --only token --dry-run"
        => |context| erase::run(context, EraseChoice { chosen, values, secrets, only, reason, keeps_memories: false });
    /// Forget a topic, a value, a person or a kind: find it everywhere, erase it, prove it.
    Forget {
        #[command(flatten)]
        values: ValueOptions,
        #[command(flatten)]
        options: ForgetOptions,
    }: Own CHANGES
        as "forget --topic acme\nforget --kind email --until 90d --rule old-addresses\nforget --rule old-addresses --yes"
        => |context| forget::run(context, &options, &values);
    /// Search again for what was erased.
    VerifyErased {
        /// A receipt: the file that an erasure named.
        receipt: Option<PathBuf>,
        /// List the receipts, each with its last check.
        #[arg(long, conflicts_with_all = ["receipt", "value_from", "values_from"])]
        list: bool,
        #[command(flatten)]
        values: ValueOptions,
    }: Own LISTS
        as "verify-erased --all\nverify-erased --list"
        => |context| if list { verify_erased::list(context) } else { verify_erased::run(context, receipt, &values) };
    /// Restore deleted memories.
    Undelete {
        #[command(flatten)]
        chosen: RecordSelection,
    }: Own CHANGES as "undelete mem_1"
        => |context| load_stores::data_folder(context)
            .and_then(|_| change_records::each(context, &chosen, |_| true, Arc::new(UndeleteMemories)));
    /// Move memories to the archive.
    Archive {
        #[command(flatten)]
        chosen: RecordSelection,
    }: Own CHANGES
        as "archive --query 'until:2025-06-30'"
        => |context| change_records::each(context, &chosen, |entry| entry.state == State::Live, Arc::new(ArchiveMemories));
    /// Bring memories back from the archive.
    Unarchive {
        #[command(flatten)]
        chosen: RecordSelection,
    }: Own CHANGES as "unarchive mem_1"
        => |context| change_records::each(context, &chosen, |entry| entry.state == State::Archived, Arc::new(UnarchiveMemories));
    /// Replace sensitive values in memories, and keep the rest.
    Redact {
        #[command(flatten)]
        chosen: RecordSelection,
        /// What `palimp secrets` finds, in all memories if none are named.
        #[arg(long, conflicts_with_all = ["value_from", "values_from"])]
        secrets: bool,
        /// Only this kind of it. May be given several times.
        #[arg(long, value_name = "KIND", value_parser = secrets::kind, conflicts_with_all = ["value_from", "values_from"])]
        only: Vec<String>,
        /// What replaces a value: ••••••, the name of the rule, or a name that is the same for the same value.
        #[arg(long, value_name = "mask|label|pseudonym", value_parser = redact::style, required_unless_present = "purge")]
        with: Option<RedactionStyle>,
        /// Takes the values out everywhere: also out of undo data, backups, archives, drafts and quarantine, for good.
        #[arg(long, conflicts_with_all = ["with", "span"])]
        purge: bool,
        /// These bytes of a memory's line, as `palimp secrets --json` prints them. LINE:A..B names one of several lines.
        #[arg(long, value_name = "A..B", value_parser = redact::span, conflicts_with_all = ["query", "secrets", "only", "value_from", "values_from"])]
        span: Option<NamedSpan>,
        #[command(flatten)]
        values: ValueOptions,
    }: Own CHANGES used "[OPTIONS] (ID... | --query Q | --secrets | --value-from -) (--with mask|label|pseudonym | --purge)"
        as "redact --secrets --only token --with label\nredact mem_001 --span 191..228 --with mask\nredact --value-from - --purge"
        => |context| match with {
            Some(with) if !purge => redact::run(context, &RedactOptions { chosen, secrets, only, with, span, values }),
            _ => erase::run(context, EraseChoice { chosen, values, secrets, only, reason: None, keeps_memories: true }),
        };
    /// Move memories to another session of their store.
    Move {
        #[command(flatten)]
        chosen: RecordSelection,
        /// The other session.
        #[arg(long, value_name = "SESSION", value_parser = name())]
        to: String,
    }: Own CHANGES as "move mem_1 mem_2 --to s2\nmove --query tag:auth --to s2 --dry-run"
        => |context| change_records::each(context, &chosen, |entry| entry.state == State::Live, Arc::new(MoveMemories { to }));
    /// Copy memories to another session of their store.
    Copy {
        #[command(flatten)]
        chosen: RecordSelection,
        /// The other session; in Markdown a folder, or `.`.
        #[arg(long, value_name = "SESSION", value_parser = name())]
        to: String,
    }: Own CHANGES as "copy mem_1 mem_2 --to s2\ncopy --query tag:auth --to s2 --dry-run"
        => |context| change_records::each(context, &chosen, |entry| entry.state == State::Live, Arc::new(CopyMemories { to }));
    /// Make several memories into one.
    Merge {
        #[command(flatten)]
        chosen: RecordSelection,
        /// The id or the key of the memory of the same store that stays.
        #[arg(long, value_name = "ID", value_parser = name())]
        into: String,
        /// Its text then: its own and what the others say besides, its own alone, or that of the others.
        #[arg(long, value_name = "both|into|others", default_value = "both", value_parser = change_records::merged_text)]
        text: MergedText,
    }: Own CHANGES as "merge tabs_or_spaces indentation --into style\nmerge tabs_or_spaces --into style --text others --dry-run"
        => |context| change_records::each(context, &chosen, |entry| entry.state == State::Live, Arc::new(MergeChoice { into, text }));
    /// Create, list, export, archive and delete sessions.
    Session {
        #[command(subcommand)]
        what: SessionVerb,
    }: Parts CHANGES parts ["list" READS, "export" READS]
        as "session list ./memory\nsession new s1 --store ./memory\nsession export s1 --format markdown\n\
            session archive s1\nsession unarchive s1\nsession delete s1 --dry-run"
        => |context| session::run(context, what);
    /// Create an empty store.
    Init {
        /// The format.
        #[arg(value_parser = known_format)]
        format: String,
        /// An empty folder, or one that does not exist yet.
        folder: PathBuf,
    }: Own MAKES
        as format::INIT_EXAMPLE
        => |context| init::init(context, &format, &folder);
    /// Repair damaged files.
    Repair {
        /// Repair everything that can be repaired without losing data.
        #[arg(long, conflicts_with_all = ["problem", "code", "fix"])]
        all_safe: bool,
        /// One problem, by its key or its number in `palimp check`.
        #[arg(long, value_name = "N", conflicts_with = "code")]
        problem: Option<String>,
        /// Which of its fixes, from 1; the first if it is left out.
        #[arg(long, value_name = "K", requires = "problem", value_parser = limit)]
        fix: Option<usize>,
        /// Every problem with that code, each by its first fix.
        #[arg(long, value_name = "CODE", value_parser = code, conflicts_with = "fix")]
        code: Option<Code>,
    }: Paths CHANGES used "[OPTIONS] --all-safe|--problem N|--code CODE [PATH]..."
        as "repair --dry-run ./memory\nrepair --all-safe ./memory\nrepair --problem 3 --fix 2 ./memory\nrepair --code torn-line"
        => |context| repair::run(context, all_safe, problem.map(|problem| (problem, fix)), code);
    /// List, show and restore what repairs took out of files.
    Quarantine {
        #[command(subcommand)]
        what: QuarantineVerb,
    }: Parts CHANGES parts ["list" READS, "show" READS]
        as "quarantine list ./memory\nquarantine show 1 ./memory\nquarantine restore 1 ./memory"
        => |context| quarantine::run(context, what);
    /// List, create, compare and restore backups.
    Backup {
        #[command(subcommand)]
        what: BackupVerb,
    }: Parts CHANGES parts ["list" READS, "diff" READS]
        as "backup list --verify\nbackup create ./memory\nbackup diff BACKUP\nbackup restore BACKUP mem_1"
        => |context| backup::run(context, what);
    /// Remove what a log does not have to keep.
    Compact {
        /// Only this session.
        #[arg(long, value_parser = name())]
        session: Option<String>,
    }: Paths CHANGES
        as "compact --session s1 --dry-run"
        => |context| run_change::each_store(context, Compact { session });
    /// Rebuild indexes and counts.
    Reindex: Paths CHANGES as "reindex ./memory"
        => |context| run_change::each_store(context, Reindex { session: None });
    /// Do what is due by the rules of the format and the store's config; made for cron.
    Maintain: Paths CHANGES as "maintain --yes ./memory"
        => |context| maintain::maintain(context);
    /// Upgrade files of an older version, after a backup.
    Migrate: Paths CHANGES as "migrate ~/.claude/agents/memories"
        => |context| run_change::each_store(context, Migrate);
    /// Show counts and sizes.
    Stats {
        /// Print the metrics by their names, for programs.
        #[arg(long)]
        metrics: bool,
    }: Paths READS as "stats\nstats --metrics ./memory"
        => |context| stats::run(context, metrics);
    /// Show what a model gets of the stores when an agent starts, and where that is cut.
    Budget: Paths READS as "budget\nbudget ~/.claude/projects"
        => |context| budget::run(context);
    /// List the changes, and until when each can be undone.
    Journal {
        #[command(flatten)]
        limit: Limit,
    }: Paths READS as "journal ./memory\njournal -n 5"
        => |context| journal::run(context, limit);
    /// Undo the last change, or the one with that number.
    Undo {
        /// The number of the step, from `palimp journal`.
        #[arg(value_parser = step)]
        step: Option<u64>,
    }: Step CHANGES
        as "undo\nundo 12 ./memory"
        => |context| undo_redo::run(context, step, false);
    /// Redo the change that was undone last.
    Redo: Paths CHANGES as "redo"
        => |context| undo_redo::run(context, None, true);
    /// Export memories as JSON, JSON Lines, Markdown or CSV.
    Export {
        /// What to export; all live memories if it is left out.
        #[arg(value_parser = queried)]
        query: Vec<String>,
        #[command(flatten)]
        limit: Limit,
        /// The file format; without it what suits the terminal, the file's name or a program.
        #[arg(long = "format", value_enum)]
        shape: Option<ExportFormatArg>,
        /// With the store, file, line and state of each; with `--all` also what only backups and undo data have.
        #[arg(long)]
        places: bool,
    }: Query SHAPES
        as "export tag:auth --format markdown\nexport tag:auth > auth.csv\nexport --all --places ann > ann.json"
        => |context| export::run(context, &query, (limit, shape, places));
    /// Write the stores of the demo into a folder.
    Demo {
        /// An empty folder, or one that does not exist yet.
        folder: PathBuf,
        /// A different seed gives different memories.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    }: Own CLOCK
        as "demo /tmp/demo --seed 2"
        => |context| demo::run(context, &folder, seed);
    /// Print completions for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    }: Own NOTHING as "completions bash"
        => |context| help::print_completions(context, shell);
    /// Print the manual page.
    Man: Own NOTHING as "man"
        => |context| help::print_manual(context);
    /// List every key of the screens, and what it does.
    Keys: Own JSON as "keys\nkeys --json"
        => |context| keys::run(context);
}
