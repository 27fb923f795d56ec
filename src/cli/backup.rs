//! `palimp backup`: older copies of files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Subcommand;

use super::value_parsers::name;
use super::{Context, Exit, Failure, Limit, ReadScope, Result, load_stores, say};
use crate::cli::run_change::{request, run_change};
use crate::detectors::mask;
use crate::disk::host::Host;
use crate::disk::{Disk, RealDisk};
use crate::model::key::Key;
use crate::model::{BackupCheck, BackupCopy, BackupReason, Entry, Moment, PathText, Snapshot, Store};
use crate::ops::backup_restore::comparison::{BackupComparison, DifferenceKind, RecordDifference};
use crate::usecase::{BackupComparer, BackupRestore, check_backup, create_backups, list_backups};

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

pub fn run(context: &mut Context, what: BackupVerb) -> Result {
    let snapshot = match what {
        BackupVerb::List { .. } | BackupVerb::Diff { .. } => load_stores::snapshot(context, ReadScope::All)?,
        BackupVerb::Create | BackupVerb::Restore { .. } => load_stores::to_change(context, ReadScope::All)?,
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

fn all(context: &Context, snapshot: &Snapshot) -> Result<Vec<(usize, BackupCopy)>> {
    let data = load_stores::data_folder(context)?;
    let mut found = Vec::new();
    for (number, store) in snapshot.stores.iter().enumerate() {
        found.extend(list_backups(&data, store)?.into_iter().map(|copy| (number, copy)));
    }
    Ok(found)
}

fn list(context: &mut Context, snapshot: &Snapshot, (verify, limit): (bool, Limit)) -> Result {
    let all = all(context, snapshot)?;
    let found = &all[..all.len().min(limit.most())];
    let data = load_stores::data_folder(context)?;
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
    context.more(limit, all.len())?;
    Ok(if all.is_empty() { Exit::Nothing } else { Exit::Done })
}

/// The result for a backup that was not checked.
const NOT_VERIFIED: &str = "not verified yet";

/// A check that takes longer shows its progress.
const SLOW: Duration = Duration::from_millis(200);

/// Tells a terminal how many backups were checked, if the rows go elsewhere.
fn tell_progress(done: usize, all: usize) {
    if io::stderr().is_terminal() && !io::stdout().is_terminal() {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(io::stderr(), "\rpalimp: looked at {done} of {all} backups, Ctrl-C stops{end}");
    }
}

fn row(store: &Store, copy: &BackupCopy, verified: Option<&BackupCheck>) -> serde_json::Value {
    let step = match copy.reason {
        BackupReason::Before(_, step) => Some(step),
        _ => None,
    };
    serde_json::json!({
        "store": store.root.to_text().into_owned(),
        "backup": copy.path.to_text().into_owned(),
        "file": copy.file.to_text().into_owned(),
        "at": copy.at.map(|at| at.to_rfc3339()),
        "bytes": copy.bytes,
        "reason": copy.reason.to_string(),
        "step": step,
        "verified": verified.map(|own| own.is_whole),
        "found": verified.map_or(NOT_VERIFIED, |own| &own.found),
    })
}

fn told(copy: &BackupCopy, verified: Option<&BackupCheck>) -> String {
    let at = copy.at.map(|at| at.to_minute()).unwrap_or_default();
    let (path, file, reason) = (copy.path.to_text(), copy.file.to_text(), copy.reason.to_string());
    let found = match verified {
        None => NOT_VERIFIED.to_owned(),
        Some(own) if own.is_whole => format!("intact: {}", own.found),
        Some(own) => format!("DAMAGED: {}", own.found),
    };
    format!("{at:16} {:10}  {reason:22} {path}  of {file}  ({found})", copy.bytes)
}

fn verified(data: &Path, store: &Store, copy: &BackupCopy, now: Moment) -> BackupCheck {
    match RealDisk.read(&store.root.join(&copy.path), 0, None) {
        Ok((bytes, _)) => check_backup(data, store, (copy, &bytes), now),
        Err(error) => BackupCheck { is_whole: false, found: format!("it can't be read: {error}") },
    }
}

/// Copies all files with memories into palimp's own data, because some formats drop their oldest copies.
fn create(context: &mut Context, snapshot: &Snapshot) -> Result {
    let data = load_stores::data_folder(context)?;
    if context.options.dry_run || context.options.readonly {
        return Ok(Exit::Done);
    }
    if !context.options.yes {
        return Err(Failure::refused("nothing was copied: use --yes to do it."));
    }
    for store in &snapshot.stores {
        for copied in create_backups(&data, store, context.now)? {
            let (document, path) = copied?;
            let row = serde_json::json!({
                "store": store.root.to_text(), "backup": path.to_text(), "file": document.path.to_text(),
                "bytes": document.len,
            });
            context.row(&row, || path.to_text().into_owned())?;
        }
    }
    say("the copies are in palimp's own data. No rotation removes them");
    Ok(Exit::Done)
}

fn the_copy(context: &Context, snapshot: &Snapshot, name: &str) -> Result<(usize, BackupCopy, Vec<u8>)> {
    let found = all(context, snapshot)?;
    let fits = |(number, copy): &&(usize, BackupCopy)| {
        let whole = snapshot.stores[*number].root.join(&copy.path);
        let is_named = |own: &OsStr| own == name || own.to_text() == name;
        is_named(copy.path.as_os_str())
            || is_named(whole.as_os_str())
            || copy.path.file_name().is_some_and(is_named)
    };
    let Some((number, copy)) = found.iter().find(fits).cloned() else {
        return Err(Failure::nothing(format!(
            "there is no backup {name:?}; `palimp backup list` names them."
        )));
    };
    let whole = snapshot.stores[number].root.join(&copy.path);
    let read = RealDisk.read(&whole, 0, None);
    let (bytes, _) = read.map_err(|error| {
        Failure::refused(format!("{} can't be read: {error}. Nothing was changed.", whole.to_text()))
    })?;
    Ok((number, copy, bytes))
}

fn diff(context: &mut Context, snapshot: &Snapshot, name: &str) -> Result {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let compared = compared(context, store, (&copy, &bytes))?;
    for item in &compared.items {
        // Nothing of an erased record is shown. A difference does not hold its bytes.
        let raw = if item.was.is_empty() { &item.is } else { &item.was };
        let raw = (item.kind != DifferenceKind::Erased).then(|| String::from_utf8_lossy(raw));
        let now = (item.kind == DifferenceKind::Changed).then(|| String::from_utf8_lossy(&item.is));
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

fn compared(context: &Context, store: &Arc<Store>, copy: (&BackupCopy, &[u8])) -> Result<BackupComparison> {
    let data = load_stores::data_folder(context)?;
    let host = Host::here(&data, context.now);
    Ok(BackupComparer::default().compare(host, (store, store), copy)?)
}

fn restore(
    context: &mut Context,
    snapshot: &Snapshot,
    name: &str,
    (ids, whole, deleted): (&[String], bool, bool),
) -> Result {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let compared = compared(context, store, (&copy, &bytes))?;
    let is_key = |name: &String, item: &RecordDifference| {
        Key::read(name).is_some_and(|key| compared.of_key(&store.root, &key) == Some(item))
    };
    let is_named =
        |item: &RecordDifference, name: &String| item.id.as_ref() == Some(name) || is_key(name, item);
    let is_any = |item: &RecordDifference| ids.iter().any(|name| is_named(item, name));
    let has_it = |item: &RecordDifference| !item.kind.is_only_here();
    let is_there = |name: &&String| {
        compared.items.iter().any(|item| has_it(item) && is_named(item, name))
            || has(store, &copy.file, name) && !compared.is_only_here(&store.root, name)
    };
    if let Some(name) = ids.iter().filter(|_| whole).find(|name| !is_there(name)) {
        let message = format!("the backup has no memory with the id or key {name:?}. Nothing was changed.");
        return Err(Failure::nothing(message));
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
        return Err(Failure::nothing("none of these can be restored. Nothing was changed."));
    }
    let restore = BackupRestore { store: number, copy, bytes: bytes.into(), chosen, whole };
    run_change(context, request(context, snapshot, Arc::new(restore)), None)
}

/// True if a file of the store has a memory with this name. A backup that does not differ there has it, too.
fn has(store: &Store, file: &Path, name: &str) -> bool {
    let is_own = |entry: &Entry| store.document(entry).path == file;
    let of_key = Key::read(name).and_then(|key| store.entry_of_key(&key));
    let is_key = of_key.and_then(|at| store.entries.get(at as usize)).is_some_and(is_own);
    let has_id = |entry: &Entry| store.id(entry) == Some(name);
    is_key || store.entries.iter().any(|entry| is_own(entry) && has_id(entry))
}

/// Returns where the named records start. An id that several records share names none of them.
fn named(store: &Store, compared: &BackupComparison, names: &[String]) -> Result<HashSet<u64>> {
    let mut chosen = HashSet::new();
    for name in names {
        let of_key = Key::read(name).and_then(|key| compared.of_key(&store.root, &key));
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

fn ambiguous(
    store: &Store,
    compared: &BackupComparison,
    name: &str,
    several: &[&RecordDifference],
) -> Failure {
    let count = several.len();
    let told = format!("{count} memories that can be restored have the id {name:?}. Nothing was changed.");
    let candidate = |item: &&RecordDifference| {
        let key = compared.key(&store.root, item).map(|key| key.to_string()).unwrap_or_default();
        let title = mask(&item.title).replace('\n', " ");
        format!("  key {key}  line {} of the backup  {title}", item.line)
    };
    let lines = [format!("{told} Name one by its key:")].into_iter().chain(several.iter().map(candidate));
    Failure::lines(Exit::Refused, lines.collect())
}

/// Says why a named record is not restored.
fn tell_staying(name: &str, item: Option<&RecordDifference>) {
    match item {
        Some(item) => say(&format!("{name}: {}; {}", item.kind.as_str(), item.told)),
        None => say(&format!("{name}: it is unchanged, or the backup has no memory with that id")),
    }
}
