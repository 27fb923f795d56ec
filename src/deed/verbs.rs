//! Every verb: what follows it on a command line, which options it obeys, how it is written.
//! The command line, its help and its manual are made from this table, and `docs/cli.md` is held to it.

/// What the words behind a verb are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Its own alone.
    Own,
    /// Tags, ids.
    Tags,
    /// A query, and paths among it.
    Query,
    /// Paths.
    Paths,
    /// A step's number, and paths.
    Step,
    /// A verb of its own, with what that takes, and paths.
    Parts,
}

use Takes::{Own, Parts, Paths, Query, Step, Tags};

/// What is known of a verb.
pub struct Verb {
    /// Its name; that of a part is behind that of the whole.
    pub name: &'static str,
    /// What the words behind it are.
    pub takes: Takes,
    /// The options of every verb that it obeys.
    obeys: &'static str,
    /// How it is written, where paths are sorted out before the rest is parsed.
    pub usage: Option<&'static str>,
    /// Examples, a line each.
    examples: &'static str,
}

impl Verb {
    const fn used(self, usage: &'static str) -> Verb {
        Verb { usage: Some(usage), ..self }
    }

    /// Examples, without the program's name.
    pub fn examples(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.examples.lines()
    }
}

const fn verb(name: &'static str, takes: Takes, obeys: &'static str, examples: &'static str) -> Verb {
    let usage = match takes {
        Paths => Some("[OPTIONS] [PATH]..."),
        Query => Some("[OPTIONS] [PATH]... [QUERY]..."),
        Step => Some("[OPTIONS] [STEP] [PATH]..."),
        Parts => Some("[OPTIONS] VERB ... [PATH]..."),
        Own | Tags => None,
    };
    Verb { name, takes, obeys, usage, examples }
}

const READS: &str = "stores as json now readonly data_dir no_color";
const FINDS: &str = "stores as json now readonly data_dir no_color ranking all";
const LISTS: &str = "stores as json now readonly data_dir no_color all";
const SHAPES: &str = "stores as now readonly data_dir no_color ranking all";
const CHANGES: &str = "stores as json now readonly data_dir no_color dry_run yes";
const MAKES: &str = "json now readonly data_dir no_color dry_run yes";

/// Every verb that is shown, and of the parts of a verb those that obey something else.
pub static VERBS: &[Verb] = &[
    verb("stores", Paths, READS, "stores ~/work"),
    verb("list", Query, FINDS, "list\nlist ./memory tag:auth -tag:old --limit 20"),
    verb("search", Query, FINDS, "search rotate keys\nsearch ./memory \"rotate keys\" since:-30d")
        .used("[OPTIONS] [PATH]... QUERY..."),
    verb("show", Own, READS, "show mem_20260101_001"),
    verb("check", Paths, LISTS, "check\ncheck .chora/memory --json"),
    verb("add", Own, CHANGES, "add --session s1 --type decision --text \"Use PostgreSQL\" --tag database"),
    verb("edit", Own, CHANGES, "edit mem_1 --set importance=0.9\nedit mem_1 --editor"),
    verb("tag", Tags, CHANGES, "tag mem_1 +auth -old\ntag --query topic:login +auth"),
    verb("delete", Own, CHANGES, "delete mem_1 mem_2\ndelete --query 'tag:draft until:2025-12-31' --dry-run"),
    verb("erase", Own, CHANGES, "erase mem_1\nerase --query tag:secret"),
    verb("undelete", Own, CHANGES, "undelete mem_1"),
    verb("archive", Own, CHANGES, "archive --query 'until:2025-06-30'"),
    verb("unarchive", Own, CHANGES, "unarchive mem_1"),
    verb("session", Parts, CHANGES, "session list ./memory\nsession export s1 --format markdown"),
    verb("session list", Own, READS, ""),
    verb("session export", Own, READS, ""),
    verb("init", Own, MAKES, "init bmad .bmad/memory"),
    verb("repair", Paths, CHANGES, "repair --all-safe --dry-run ./memory")
        .used("[OPTIONS] --all-safe [PATH]..."),
    verb("backup", Parts, CHANGES, "backup list\nbackup diff BACKUP\nbackup restore BACKUP mem_1"),
    verb("backup list", Own, READS, ""),
    verb("backup diff", Own, READS, ""),
    verb("compact", Paths, CHANGES, "compact --session s1 --dry-run"),
    verb("reindex", Paths, CHANGES, "reindex ./memory"),
    verb("maintain", Paths, CHANGES, "maintain --yes ./memory"),
    verb("migrate", Paths, CHANGES, "migrate ~/.claude/agents/memories"),
    verb("stats", Paths, READS, "stats --json"),
    verb("journal", Paths, READS, "journal ./memory"),
    verb("undo", Step, CHANGES, "undo\nundo 12 ./memory"),
    verb("redo", Paths, CHANGES, "redo"),
    verb("export", Query, SHAPES, "export tag:auth --format markdown")
        .used("[OPTIONS] --format SHAPE [PATH]... [QUERY]..."),
    verb("demo", Own, "now", "demo /tmp/demo --seed 2"),
    verb("completions", Own, "", ""),
    verb("man", Own, "", ""),
    verb("keys", Own, "json", ""),
];

/// What is known of a verb, or of a part of one.
pub fn known(name: &str) -> Option<&'static Verb> {
    let of = |name: &str| VERBS.iter().find(|own| own.name == name);
    of(name).or_else(|| of(name.split(' ').next()?))
}

/// Whether a verb, or a part of one, obeys an option that every verb takes.
pub fn obeys(name: &str, option: &str) -> bool {
    known(name).map_or(CHANGES, |own| own.obeys).split(' ').any(|own| own == option)
}
