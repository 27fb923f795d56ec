//! Reads the stores that the options ask for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::warn;
use super::{Context, Exit, Failure, ReadScope, Result, say};
use crate::disk::host::Host;
use crate::disk::{RealDisk, is_absent};
use crate::format::FORMATS;
use crate::model::{AgentHome, Extent, PathText, Snapshot, Store};
use crate::ops::archive::is_in_own_data;
use crate::store::{self, DiscoveryResult, Place};
use crate::usecase::{
    self, RecoveryMode, RecoveryReport, is_settled, recover, store_with_archived, store_with_deleted,
    with_emptied_store, with_interrupted_stores,
};

/// Returns the stores that the options name, or those found from the current folder and from home.
pub fn places(context: &Context, paths: &[PathBuf]) -> Vec<DiscoveryResult> {
    let named: Vec<&PathBuf> = context.options.stores.iter().chain(paths).collect();
    let data = data_folder(context).ok();
    let known = |looked: DiscoveryResult| match &data {
        Some(data) => with_emptied_store(looked, data),
        None => looked,
    };
    let with_interrupted = |looked: Vec<DiscoveryResult>, is_here: &dyn Fn(&Path) -> bool| match &data {
        Some(data) => with_interrupted_stores(looked, data, is_here),
        None => looked,
    };
    if named.is_empty() {
        let looked = store::look_around(&here(), &agents()).into_iter().map(known).collect();
        return with_interrupted(looked, &|root| root.starts_with(here()));
    }
    let format = context.options.format.as_deref();
    let look = |path: &PathBuf| known(store::look_at(path, format));
    let looked = store::with_sources(store::parallel::map_parallel(&named, |path| look(path)), &agents());
    with_interrupted(looked, &|_| false)
}

/// Returns the only store, if there is exactly one, and everything that was named could be read.
pub fn the_place(context: &Context) -> Option<Place> {
    let looked = places(context, &[]);
    let is_sure =
        |own: &DiscoveryResult| own.found.is_ok() && own.skipped.is_empty() && own.near_misses.is_empty();
    let mut found = found(&looked).into_iter();
    match (found.next(), found.next()) {
        (Some(place), None) if looked.iter().all(is_sure) => Some(place),
        _ => None,
    }
}

/// Returns the stores in what was looked at, each once.
pub fn found(looked: &[DiscoveryResult]) -> Vec<Place> {
    store::unique_places(looked.iter().filter_map(|look| look.found.as_ref().ok()).flatten())
}

/// Reads the stores, as much of them as the verb is about. Says on stderr what is missing or could
/// not be read. Fails if there is no store at all.
///
/// What an earlier change left in them is recovered if no other program is in the way: palimp waits
/// for no lock, and reads the stores even if the recovery fails.
pub fn snapshot(context: &Context, about: ReadScope<'_>) -> Result<Snapshot> {
    read_and_tended(context, Extent::All, about, RecoveryMode::BestEffort)
}

/// Like [`snapshot`], only to list memories.
pub fn memories(context: &Context, about: ReadScope<'_>) -> Result<Snapshot> {
    read_and_tended(context, Extent::Memories, about, RecoveryMode::BestEffort)
}

/// Like [`snapshot`], for a verb that changes something: each store that is named must exist, and
/// what an earlier change left is finished or undone first. Refuses if something could not be read,
/// because which records are meant, and which ids are free, depends on all of them.
pub fn to_change(context: &Context, about: ReadScope<'_>) -> Result<Snapshot> {
    read_and_tended(context, Extent::All, about, RecoveryMode::Blocking)
}

fn read_and_tended(
    context: &Context,
    extent: Extent,
    about: ReadScope<'_>,
    mode: RecoveryMode,
) -> Result<Snapshot> {
    let changes = mode == RecoveryMode::Blocking;
    let mut snapshot = read(context, extent, about, changes)?;
    let is_enough = |store: &Arc<Store>| match changes {
        _ if store.scope.is_none() => true,
        // An interrupted change may have left something elsewhere.
        true => data_folder(context).is_ok_and(|data| is_settled(&data, &store.root)),
        false => !store.refers_elsewhere(),
    };
    if !snapshot.stores.iter().all(is_enough) {
        let whole = |store: &Arc<Store>| Place { scope: None, ..Place::of(store) };
        snapshot = load(context, extent, &snapshot.stores.iter().map(whole).collect::<Vec<_>>());
    }
    let snapshot = tended(context, snapshot, mode)?;
    for store in &snapshot.stores {
        match changes {
            true => _ = store.whole()?,
            false => context.unread.store(store),
        }
    }
    Ok(snapshot)
}

fn load(context: &Context, extent: Extent, places: &[Place]) -> Snapshot {
    Snapshot::of(store::load_each(places, extent, &Snapshot::default(), context.now))
}

/// Reads the stores. With `all`, each store that is named must exist.
fn read(context: &Context, extent: Extent, about: ReadScope<'_>, all: bool) -> Result<Snapshot> {
    let looked = places(context, &[]);
    let found = found(&looked);
    let named = !context.options.stores.is_empty();
    let is_missing = all && named && looked.iter().any(|look| look.found.is_err());
    if found.is_empty() || is_missing {
        return Err(none_found(&looked, named));
    }
    for look in &looked {
        let own = look.found.as_ref().err().filter(|_| named).map(|why| (&look.path, why));
        // A user who names no folder did not ask about folders that only look like stores.
        let alike = look.near_misses.iter().filter(|_| named).map(|(path, why)| (path, why));
        for (path, why) in own.into_iter().chain(alike) {
            let line = format!("{}: {why}", path.to_text());
            if look.refused { context.unread.line(line) } else { say(&line) }
        }
    }
    unseen(context, &looked, all)?;
    let places: Vec<Place> = found.into_iter().map(|place| about.of(place)).collect();
    Ok(load(context, extent, &places))
}

/// Says what was not looked into. A verb that changes something needs all of it.
fn unseen(context: &Context, looked: &[DiscoveryResult], all: bool) -> Result<()> {
    let unseen = looked.iter().flat_map(|look| &look.skipped);
    let told: Vec<String> = unseen.map(|(path, why)| format!("{}: {why}", path.to_text())).collect();
    match told.is_empty() {
        true => Ok(()),
        false if all => {
            let advice = "there may be more stores. Name the store that you mean with --store. Nothing was \
                          changed.";
            Err(Failure::lines(Exit::Refused, [told, vec![advice.into()]].concat()))
        }
        false => {
            told.into_iter().for_each(|line| context.unread.line(line));
            // If a folder is named already, the advice to name one does not help.
            say(match context.options.stores.is_empty() {
                true => "there may be more stores: name a folder with --store to see all in it",
                false => "there may be more stores in what could not be looked into",
            });
            Ok(())
        }
    }
}

/// Returns the stores with the deleted memories that undo data or backups still hold.
pub fn with_deleted(context: &Context, snapshot: &Snapshot) -> Result<Snapshot> {
    let data = data_folder(context)?;
    let mut with = Snapshot::default();
    for own in &snapshot.stores {
        let own = store_with_deleted(Host::here(&data, context.now), own)?;
        context.unread.store(&own);
        with.stores.push(Arc::new(own));
    }
    Ok(with)
}

/// Like [`snapshot`], to search the texts of all memories, also of those in palimp's own archive.
pub fn texts(context: &Context) -> Result<Snapshot> {
    let snapshot = read_and_tended(context, Extent::Texts, ReadScope::All, RecoveryMode::BestEffort)?;
    if !snapshot.stores.iter().any(|own| is_in_own_data(own)) {
        return Ok(snapshot);
    }
    let data = data_folder(context)?;
    let with = |own: &Arc<Store>| store_with_archived(Host::here(&data, context.now), own).map(Arc::new);
    Ok(Snapshot::of(snapshot.stores.iter().map(with).collect::<std::result::Result<_, _>>()?))
}

/// Recovers what was left in the stores, unless nothing may be written.
fn tended(context: &Context, snapshot: Snapshot, mode: RecoveryMode) -> Result<Snapshot> {
    if context.options.readonly || context.options.dry_run {
        return Ok(snapshot);
    }
    // Without a folder of palimp's own data, nothing was ever changed. A verb that writes reports it.
    let Ok(data) = data_folder(context) else { return Ok(snapshot) };
    let host = Host::here(&data, context.now);
    let mut tended = Snapshot::default();
    for store in &snapshot.stores {
        let recovered = match (recover(host, store, mode), mode) {
            (Err(failed), RecoveryMode::BestEffort) => {
                context.unread.line(format!("{}: {}", store.root.to_text(), failed.in_short()));
                None
            }
            (recovered, _) => recovered?,
        };
        let Some(report) = recovered else {
            tended.stores.push(Arc::clone(store));
            continue;
        };
        tell(context, &store.root, &report);
        let place = Place::of(store);
        tended.stores.extend(store::load_each(&[place], store.extent, &snapshot, context.now));
    }
    Ok(tended)
}

/// Takes over what came late to files that this verb replaced, and says what was found.
pub fn rescue_late_lines(context: &Context) {
    let Ok(data) = data_folder(context) else { return };
    let reports = usecase::rescue_late_lines(Host::here(&data, context.now));
    reports.iter().for_each(|(root, report)| tell(context, root, report));
}

/// Says what was found when the store was opened to write.
pub fn tell(context: &Context, root: &Path, report: &RecoveryReport) {
    report.notes.iter().for_each(|note| warn(note));
    if report.is_erasure_left {
        context.is_left.set(true);
    }
    let named = report.erased.iter().cloned();
    context.erased.borrow_mut().extend(named.map(|(session, name)| (root.to_owned(), session, name)));
}

pub fn none_found(looked: &[DiscoveryResult], named: bool) -> Failure {
    // If nothing is there, that is an answer, not a failure.
    let failed = looked.iter().any(|look| look.refused && !is_absent(&RealDisk, &look.path));
    let exit = if failed { Exit::Failed } else { Exit::Nothing };
    if named {
        let why = looked.iter().filter_map(|look| Some((&look.path, look.found.as_ref().err()?)));
        let lines = why.map(|(path, why)| format!("{}: {why}", path.to_text()));
        let nothing = "no store was found there. Nothing was written.".to_owned();
        return Failure::lines(exit, lines.chain([nothing]).collect());
    }
    let alike = looked.iter().flat_map(|look| &look.near_misses);
    let places = looked.iter().map(|look| format!("  {}", look.path.to_text()));
    let places = places.chain(alike.map(|(path, why)| format!("{}: {why}", path.to_text())));
    let places = places.chain(not_searched().map(str::to_owned));
    let message = "no store was found from here or from home. Name one with --store PATH. Looked at:";
    Failure::lines(exit, [message.to_owned()].into_iter().chain(places).collect())
}

pub fn data_folder(context: &Context) -> Result<PathBuf> {
    if let Some(folder) = &context.options.data_dir {
        return Ok(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()));
    }
    let own = directories::ProjectDirs::from("", "", "palimp").map(|own| own.data_dir().to_owned());
    // A folder that depends on where a verb is run would be another one the next time.
    own.filter(|own| own.is_absolute()).ok_or_else(|| {
        Failure::refused(
            "there is no home folder for undo data: name a folder with --data-dir. Nothing was changed.",
        )
    })
}

/// Says what was not searched from the home folder.
pub fn not_searched() -> Option<&'static str> {
    (home()? == here()).then_some(store::BELOW_HOME)
}

pub fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Returns the home folder, and the variables of the environment that move what is in it.
fn agents() -> AgentHome {
    let places = FORMATS.iter().flat_map(|format| format.about().places);
    let names: BTreeSet<&str> = places.flat_map(|place| place.moved_by).map(|(name, _)| *name).collect();
    let folder = |name| Some((name, PathBuf::from(std::env::var_os(name)?)));
    let variables = names.into_iter().filter_map(folder).filter(|(_, path)| path.is_absolute()).collect();
    AgentHome { home: home(), variables }
}

pub fn home() -> Option<PathBuf> {
    let own = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    own.filter(|own| own.is_absolute())
}
