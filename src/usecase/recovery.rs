//! What a change left in stores: finishes it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::{ChangeFailure, Result};
use super::write::settle;
use crate::disk::host::Host;
use crate::disk::{Disk, Item, RealDisk, is_any_open, optional};
use crate::format::{self, Placement};
use crate::model::{Change, Extent, Moment, PathText, Plan, Role, Snapshot, Store, Verb};
use crate::ops::{self, Refusal};
use crate::store::write::{is_left_over, take_left_files};
use crate::store::{Place, Vault, load, load_from, steps};

/// How long a verb that only reads waits for each lock, to finish an erasure.
const ERASING: Duration = Duration::from_secs(1);

/// The result of looking after palimp's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// The number of rescued lines.
    pub rescued: usize,
    /// What was found and can't be repaired here. May quote the store.
    pub notes: Vec<String>,
    /// True if an interrupted erasure was finished, and something of it is left.
    pub is_erasure_left: bool,
    /// The memories of an interrupted erasure that was finished: their sessions and names.
    pub erased: Vec<(Option<String>, String)>,
}

/// Which interrupted changes are finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryMode {
    /// All of them, before anything else: it waits for other programs.
    Blocking,
    /// Those where no other program is in the way. An erasure is waited for: what it erases must not stay.
    BestEffort,
}

/// Finishes what was interrupted in a store. `None` if nothing is left.
/// Fails if palimp's own data can't be read, or another program is in the way for too long.
pub fn recover(host: Host<'_>, store: &Store, mode: RecoveryMode) -> Result<Option<RecoveryReport>> {
    if !is_left_over(host.disk, host.machine, host.data, store)? {
        return Ok(None);
    }
    if mode == RecoveryMode::Blocking {
        return Ok(Some(settle(host, store, None)?));
    }
    let is_erasing = Vault::open_read_only(host.disk, host.data, &store.root).erasing()?.is_some();
    let wait = if is_erasing { ERASING } else { Duration::ZERO };
    Ok(settle(host, store, Some(wait)).ok())
}

/// Returns the place of a store that is to be made in a folder. If it `settles`, it first finishes or undoes an `init` that
/// was interrupted there.
/// Fails if the folder is not empty or can't be read, or the format makes no stores.
pub fn place_of_new(host: Host<'_>, format: &str, root: &Path, settles: bool) -> Result<Place> {
    let plan = ops::init::init(format, root, host.now)?;
    let place = Place::whole(root.to_owned(), plan.format);
    // A lock may stay when it is released.
    let is_lock = |item: &Item| {
        let role = format::by_name(format).map(|format| format.place(Path::new(&item.name), false));
        role == Some(Placement::File(Role::Lock))
    };
    let refused = |code, why: String| {
        let message = format!("{} {why}.", root.to_text());
        ChangeFailure::from(Refusal::new(code, message))
    };
    let unread = |error| refused("E_STORAGE_IO", format!("can't be read: {error}"));
    let is_taken =
        || optional(host.disk.list(root)).map(|items| !items.unwrap_or_default().iter().all(is_lock));
    if settles && is_taken().map_err(unread)? && is_cut_init(host, &plan)? {
        settle(host, &load_from(host.disk, &place, Extent::All, None, host.now), None)?;
    }
    match is_taken().map_err(unread)? {
        true => Err(refused("E_INVALID_FORMAT", "is not empty".into())),
        false => Ok(place),
    }
}

/// True if this `init` was interrupted, and nothing else: a store of another format is none of its business.
fn is_cut_init(host: Host<'_>, init: &Plan) -> Result<bool> {
    let vault = Vault::open_read_only(host.disk, host.data, &init.root);
    let begun = vault.unsettled(&vault.journal()?)?;
    let is_named = |change: &Change| init.changes.iter().any(|made| made.path.starts_with(&change.path));
    let mut is_it = vault.erasing()?.is_none() && !begun.is_empty();
    for number in begun {
        let step = vault.step(number)?;
        is_it &= step.is_some_and(|step| step.line.verb == Verb::Init && step.changes.iter().all(is_named));
    }
    Ok(is_it)
}

/// Finishes an interrupted erasure of a store. `None` if there is none.
/// Fails if palimp's own data can't be read, or it could not be finished.
pub fn finish_erasure(host: Host<'_>, store: &Store) -> Result<Option<RecoveryReport>> {
    let erasing = Vault::open_read_only(host.disk, host.data, &store.root).erasing()?;
    erasing.map(|_| Ok(settle(host, store, None)?)).transpose()
}

/// Finishes what was interrupted in stores, and rescues late lines. What fails is done next time.
pub fn recover_stores(snapshot: &Snapshot, data: &Path, now: Moment) -> RecoveryReport {
    let host = Host::here(data, now);
    let mut report = RecoveryReport::default();
    for store in &snapshot.stores {
        match is_left_over(host.disk, host.machine, data, store) {
            Ok(false) => {}
            Ok(true) => {
                let Ok(opened) = settle(host, store, None) else { continue };
                report.rescued += opened.rescued;
                report.notes.extend(opened.notes);
                report.is_erasure_left |= opened.is_erasure_left;
            }
            Err(error) => report.notes.push(error.in_short()),
        }
    }
    report
}

/// True if an erasure of the store at `root` is not finished, or if palimp's own data can't be read.
pub fn is_erasing(data: &Path, root: &Path) -> bool {
    !matches!(Vault::open_read_only(&RealDisk, data, root).erasing(), Ok(None))
}

/// True if no change of the store at `root` was interrupted; false if palimp's own data can't be read.
pub fn is_settled(data: &Path, root: &Path) -> bool {
    steps::is_settled(&RealDisk, data, root)
}

/// How long a verb waits for programs that have a replaced file open, and the pause between two looks.
const LATE: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(10);

/// Takes over what other programs wrote to files that this process replaced. Waits a moment for those that are known to
/// have one open. What comes later is left to the next start. Returns a report for each store.
pub fn rescue_late_lines(host: Host<'_>) -> Vec<(PathBuf, RecoveryReport)> {
    let left = take_left_files();
    let names: Vec<&Path> = left.iter().flat_map(|(_, names)| names).map(PathBuf::as_path).collect();
    // A program that has closed its file since may have written to it.
    if names.iter().all(|name| RealDisk.look(name).is_err()) {
        return Vec::new();
    }
    let began = host.machine.monotonic();
    while host.machine.monotonic() - began < LATE && is_any_open(&names) {
        host.machine.sleep(PAUSE);
    }
    let report = |(place, names): &(Place, Vec<PathBuf>)| {
        let names = names.iter().filter_map(|name| name.strip_prefix(&place.root).ok().map(Path::to_owned));
        let store = load(&place.with_files(&names.collect::<Vec<_>>()), Extent::All, None, host.now);
        Some((store.root.clone(), recover(host, &store, RecoveryMode::BestEffort).ok()??))
    };
    left.iter().filter_map(report).collect()
}
