//! `palimp backup`: copies of files as they were.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Subcommand;

use super::args::Limit;
use super::change::{make_of, scene};
use super::columns::Terminal;
use super::failure::{Exit, Failure, Result, say};
use super::listed::more;
use super::scope::Scope;
use super::values::name;
use super::{Context, open};
use crate::deed::{By, Restoring, Wanted};
use crate::disk::{Disk, Real};
use crate::model::key::{Key, Written};
use crate::model::{Entry, Moment, Snapshot, Store, Tell};
use crate::ops;
use crate::ops::restore::{Comparison, CopyFacts, Item, Kind, compare};
use crate::store::commit::{Copy, NOT_VERIFIED, Reason, Vault, Verified, copies};
use crate::text::secrets::mask;

/// What can be done with backups.
#[derive(Clone, Debug, Subcommand)]
pub enum BackupVerb {
    /// List the backups, without opening them.
    List {
        /// Read every byte of each, and say whether it is intact.
        #[arg(long)]
        verify: bool,
        #[command(flatten)]
        limit: Limit,
    },
    /// Copy every file that holds live memories.
    Create,
    /// Compare a backup with its file.
    Diff {
        /// The path of the backup, as `backup list` prints it.
        #[arg(value_parser = name())]
        backup: String,
    },
    /// Restore memories from a backup.
    Restore {
        /// The path of the backup, as `backup list` prints it.
        #[arg(value_parser = name())]
        backup: String,
        /// The memories, by ids or keys; all that are missing in the file if none is named.
        #[arg(value_parser = name())]
        ids: Vec<String>,
        /// Replace the whole file with the backup.
        #[arg(long)]
        replace: bool,
        /// Restore what was deleted since, too.
        #[arg(long)]
        deleted: bool,
    },
}

/// Does what was asked with backups.
pub fn run(context: &mut Context, what: BackupVerb) -> Result {
    let snapshot = match what {
        BackupVerb::List { .. } | BackupVerb::Diff { .. } => open::snapshot(context, Scope::All)?,
        BackupVerb::Create | BackupVerb::Restore { .. } => open::to_change(context, Scope::All)?,
    };
    match what {
        BackupVerb::List { verify, limit } => list(context, &snapshot, (verify, limit)),
        BackupVerb::Create => create(context, &snapshot),
        BackupVerb::Diff { backup } => diff(context, &snapshot, &backup),
        BackupVerb::Restore { backup, ids, replace, deleted } => {
            restore(context, &snapshot, &backup, (&ids, replace, deleted))
        }
    }
}

fn all(context: &Context, snapshot: &Snapshot) -> Result<Vec<(usize, Copy)>> {
    let data = open::data_folder(context)?;
    let mut found = Vec::new();
    for (number, store) in snapshot.stores.iter().enumerate() {
        let vault = Vault::look(&Real, &data, &store.root);
        found.extend(copies(store, &vault)?.into_iter().map(|copy| (number, copy)));
    }
    Ok(found)
}

fn list(context: &mut Context, snapshot: &Snapshot, (verify, limit): (bool, Limit)) -> Result {
    let all = all(context, snapshot)?;
    let found = &all[..all.len().min(limit.most())];
    let data = open::data_folder(context)?;
    let began = Instant::now();
    for (at, (number, copy)) in found.iter().enumerate() {
        let store = &snapshot.stores[*number];
        let verified = verify.then(|| verified(&data, store, copy, context.now));
        context.row(&row(store, copy, verified.as_ref()), || told(copy, verified.as_ref()))?;
        if verify && began.elapsed() > SLOW {
            context.out.flush()?;
            tell_progress(at + 1, found.len());
        }
    }
    more(context, Terminal::of(context), limit.more(all.len()).as_deref())?;
    Ok(if all.is_empty() { Exit::Nothing } else { Exit::Done })
}

/// What takes longer says how far it is.
const SLOW: Duration = Duration::from_millis(200);

/// Where the rows go elsewhere, a terminal is told how many were looked at.
fn tell_progress(done: usize, all: usize) {
    if io::stderr().is_terminal() && !io::stdout().is_terminal() {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(io::stderr(), "\rpalimp: looked at {done} of {all} backups, Ctrl-C stops{end}");
    }
}

fn row(store: &Store, copy: &Copy, verified: Option<&Verified>) -> serde_json::Value {
    let step = match copy.reason {
        Reason::Before(_, step) => Some(step),
        _ => None,
    };
    serde_json::json!({
        "store": store.root.told().into_owned(),
        "backup": copy.path.told().into_owned(),
        "file": copy.file.told().into_owned(),
        "at": copy.at.map(|at| at.to_rfc3339()),
        "bytes": copy.bytes,
        "reason": copy.reason.to_string(),
        "step": step,
        "verified": verified.map(|own| own.is_whole),
        "found": verified.map_or(NOT_VERIFIED, |own| &own.found),
    })
}

fn told(copy: &Copy, verified: Option<&Verified>) -> String {
    let at = copy.at.map(|at| at.to_minute()).unwrap_or_default();
    let (path, file, reason) = (copy.path.told(), copy.file.told(), copy.reason.to_string());
    let found = match verified {
        None => NOT_VERIFIED.to_owned(),
        Some(own) if own.is_whole => format!("intact: {}", own.found),
        Some(own) => format!("DAMAGED: {}", own.found),
    };
    format!("{at:16} {:10}  {reason:22} {path}  of {file}  ({found})", copy.bytes)
}

fn verified(data: &Path, store: &Store, copy: &Copy, now: Moment) -> Verified {
    let vault = Vault::look(&Real, data, &store.root);
    match Real.read(&store.root.join(&copy.path), 0, None) {
        Ok((bytes, _)) => copy.verify(store, &vault, &bytes, now),
        Err(error) => Verified { is_whole: false, found: format!("it can't be read: {error}") },
    }
}

/// Copies every file that holds memories into our own data: a format that keeps copies beside
/// its files drops the oldest of them with every change.
fn create(context: &mut Context, snapshot: &Snapshot) -> Result {
    let data = open::data_folder(context)?;
    if context.options.dry_run || context.options.readonly {
        return Ok(Exit::Done);
    }
    if !context.options.yes {
        return Err(Failure::new(Exit::Refused, "nothing was copied: use --yes to do it."));
    }
    for store in &snapshot.stores {
        let vault = Vault::open(&Real, &data, &store.root)?;
        for document in ops::backup::worth(store) {
            let path = vault.copy(&document.path, &document.bytes, context.now)?;
            let row = serde_json::json!({
                "store": store.root.told(), "backup": path.told(), "file": document.path.told(),
                "bytes": document.len,
            });
            context.row(&row, || path.told().into_owned())?;
        }
    }
    say("the copies are in palimp's own data. No rotation removes them");
    Ok(Exit::Done)
}

fn the_copy(context: &Context, snapshot: &Snapshot, name: &str) -> Result<(usize, Copy, Vec<u8>)> {
    let found = all(context, snapshot)?;
    let fits = |(number, copy): &&(usize, Copy)| {
        let whole = snapshot.stores[*number].root.join(&copy.path);
        let is_named = |own: &OsStr| own == name || own.told() == name;
        is_named(copy.path.as_os_str())
            || is_named(whole.as_os_str())
            || copy.path.file_name().is_some_and(is_named)
    };
    let Some((number, copy)) = found.iter().find(fits).cloned() else {
        return Err(Failure::new(
            Exit::Nothing,
            format!("there is no backup {name:?}; `palimp backup list` names them."),
        ));
    };
    let whole = snapshot.stores[number].root.join(&copy.path);
    let read = Real.read(&whole, 0, None);
    let (bytes, _) = read.map_err(|error| {
        Failure::new(Exit::Failed, format!("{} can't be read: {error}. Nothing was changed.", whole.told()))
    })?;
    Ok((number, copy, bytes))
}

/// What differs between a backup and the store, record by record.
fn diff(context: &mut Context, snapshot: &Snapshot, name: &str) -> Result {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let facts = facts(context, store, (&copy, &bytes))?;
    let compared = compare(&scene(context, store), &copy.file, &bytes, &facts)?;
    for item in &compared.items {
        // Nothing of what was erased is shown: there is none of it here.
        let raw = if item.was.is_empty() { &item.is } else { &item.was };
        let raw = (item.kind != Kind::Erased).then(|| String::from_utf8_lossy(raw));
        let now = (item.kind == Kind::Changed).then(|| String::from_utf8_lossy(&item.is));
        let row = serde_json::json!({
            "key": compared.key(&store.root, item).map(|key| key.to_string()),
            "id": item.id, "line": item.line, "change": item.kind.as_str(), "told": item.told,
            "restorable": item.can_come, "raw": raw, "raw_now": now,
        });
        let id = item.id.as_deref().unwrap_or("(no id)");
        let (sign, change) = (item.kind.sign(), item.kind.as_str());
        context.row(&row, || format!("{sign} {change:10} line {} {id}  {}", item.line, item.told))?;
    }
    if let Some(why) = &compared.whole_only {
        say(why);
    }
    Ok(if compared.items.is_empty() && compared.is_alike { Exit::Nothing } else { Exit::Done })
}

/// What is known about a copy besides its bytes.
fn facts(context: &Context, store: &Store, copy: (&Copy, &[u8])) -> Result<CopyFacts> {
    let data = open::data_folder(context)?;
    Ok(CopyFacts::of(store, &Vault::look(&Real, &data, &store.root), copy, context.now)?)
}

fn restore(
    context: &mut Context,
    snapshot: &Snapshot,
    name: &str,
    (ids, whole, deleted): (&[String], bool, bool),
) -> Result {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let facts = facts(context, store, (&copy, &bytes))?;
    let compared = compare(&scene(context, store), &copy.file, &bytes, &facts)?;
    let is_key = |name: &String, item: &Item| match Key::read(name) {
        Some(Written::Key(key)) => compared.of_key(&store.root, &key) == Some(item),
        _ => false,
    };
    let is_named = |item: &Item, name: &String| item.id.as_ref() == Some(name) || is_key(name, item);
    let is_any = |item: &Item| ids.iter().any(|name| is_named(item, name));
    let has_it = |item: &Item| !item.kind.is_only_here();
    let is_there = |name: &&String| {
        compared.items.iter().any(|item| has_it(item) && is_named(item, name))
            || has(store, &copy.file, name) && !compared.is_only_here(&store.root, name)
    };
    if let Some(name) = ids.iter().filter(|_| whole).find(|name| !is_there(name)) {
        let message = format!("the backup has no memory with the id or key {name:?}. Nothing was changed.");
        return Err(Failure::new(Exit::Nothing, message));
    }
    let one_by_one = !whole && compared.whole_only.is_none();
    let mut chosen = match ids {
        [] => compared.by_default(),
        _ if one_by_one => named(store, &compared, ids)?,
        _ => compared.deleted().filter(|item| is_any(item)).map(|item| item.at).collect(),
    };
    chosen.extend(compared.deleted().filter(|_| deleted).map(|item| item.at));
    let has_none = if one_by_one { chosen.is_empty() } else { !compared.items.iter().any(is_any) };
    if !ids.is_empty() && !whole && has_none {
        return Err(Failure::new(Exit::Nothing, "none of these can be restored. Nothing was changed."));
    }
    let wanted = Wanted::Restore(Restoring { store: number, copy, bytes: bytes.into(), chosen, whole });
    make_of(context, snapshot, (Vec::new(), By::Ids), wanted)
}

/// Whether a file of the store has a memory of that name. A backup that does not differ there has it, too.
fn has(store: &Store, file: &Path, name: &str) -> bool {
    let is_own = |entry: &Entry| store.document(entry).path == file;
    let of_key = match Key::read(name) {
        Some(Written::Key(key)) => store.at_key(&key),
        _ => None,
    };
    let is_key = of_key.and_then(|at| store.entries.get(at as usize)).is_some_and(is_own);
    let has_id = |entry: &Entry| store.view(entry).and_then(|view| view.id) == Some(name);
    is_key || store.entries.iter().any(|entry| is_own(entry) && has_id(entry))
}

/// Where the records start that were named. Of an id that several share none is meant.
fn named(store: &Store, compared: &Comparison, names: &[String]) -> Result<HashSet<u64>> {
    let mut chosen = HashSet::new();
    for name in names {
        let of_key = match Key::read(name) {
            Some(Written::Key(key)) => compared.of_key(&store.root, &key),
            _ => None,
        };
        match (of_key, compared.of_id(name).as_slice()) {
            (Some(item), _) if item.can_come => drop(chosen.insert(item.at)),
            (Some(item), _) => tell_staying(name, Some(item)),
            (None, []) => {
                tell_staying(name, compared.items.iter().find(|item| item.id.as_ref() == Some(name)));
            }
            (None, [one]) => drop(chosen.insert(one.at)),
            (None, several) => return Err(ambiguous(store, compared, name, several)),
        }
    }
    Ok(chosen)
}

fn ambiguous(store: &Store, compared: &Comparison, name: &str, several: &[&Item]) -> Failure {
    let count = several.len();
    let told = format!("{count} memories that can be restored have the id {name:?}. Nothing was changed.");
    let candidate = |item: &&Item| {
        let key = compared.key(&store.root, item).map(|key| key.to_string()).unwrap_or_default();
        let title = mask(&item.title).replace('\n', " ");
        format!("  key {key}  line {} of the backup  {title}", item.line)
    };
    let lines = [format!("{told} Name one by its key:")].into_iter().chain(several.iter().map(candidate));
    Failure::lines(Exit::Refused, lines.collect())
}

/// Says why a record that was named does not come back.
fn tell_staying(name: &str, item: Option<&Item>) {
    match item {
        Some(item) => say(&format!("{name}: {}; {}", item.kind.as_str(), item.told)),
        None => say(&format!("{name}: it is unchanged, or the backup has no memory with that id")),
    }
}
