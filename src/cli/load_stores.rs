//! Reads the stores that the options ask for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::{Exit, Failure, Result, say};
use super::read_scope::{ReadScope, is_enough, may_change};
use crate::cli::context::Context;
use crate::disk::host::Host;
use crate::disk::{Disk, Lookup, RealDisk};
use crate::format::FORMATS;
use crate::model::{Extent, PathText, Snapshot, Store};
use crate::store::commit::{CommitError, Vault, Writer, interrupted_stores, is_left_over};
use crate::store::{self, DiscoveryResult, Place};

/// Returns the stores that the options name, or those found from the current folder and from home.
pub fn places(context: &Context, paths: &[PathBuf]) -> Vec<DiscoveryResult> {
    let named: Vec<&PathBuf> = context.options.stores.iter().chain(paths).collect();
    let data = data_folder(context).ok();
    let known = |looked: DiscoveryResult| known_by_journal(looked, data.as_deref());
    if named.is_empty() {
        let looked = store::look_around(&here(), home().as_deref()).into_iter().map(known).collect();
        return with_unfinished(looked, data.as_deref(), &|root| root.starts_with(here()));
    }
    let format = context.options.format.as_deref();
    let look = |path: &PathBuf| known(store::look_at(path, format));
    let looked = store::parallel::map_parallel(&named, |path| look(path));
    with_unfinished(looked, data.as_deref(), &|_| false)
}

/// Adds the stores in which a change was interrupted. Until that change is finished, their files
/// may show no format, or another one.
fn with_unfinished(
    mut looked: Vec<DiscoveryResult>,
    data: Option<&Path>,
    is_here: &dyn Fn(&Path) -> bool,
) -> Vec<DiscoveryResult> {
    let real = |path: &Path| RealDisk.real_path(path).unwrap_or_else(|_| path.to_owned());
    let paths: Vec<PathBuf> = looked.iter().map(|look| real(&look.path)).collect();
    let is_near = |root: &Path| paths.iter().any(|own| own.starts_with(root) || root.starts_with(own));
    let is_asked = |root: &Path| is_here(root) || is_near(root);
    for place in data.map(|data| interrupted_stores(&RealDisk, data, &is_asked)).unwrap_or_default() {
        let is_it = |own: &Place| real(&own.root) == place.root;
        let found = looked.iter_mut().flat_map(|look| look.found.iter_mut().flatten()).find(|own| is_it(own));
        if let Some(own) = found {
            own.format = place.format;
            continue;
        }
        let path_of = |look: &DiscoveryResult| real(&look.path);
        let holds = |look: &&mut DiscoveryResult| {
            path_of(look).starts_with(&place.root) || place.root.starts_with(path_of(look))
        };
        match looked.iter_mut().find(holds) {
            Some(look) => match &mut look.found {
                Ok(found) => found.push(place),
                Err(_) => look.found = Ok(vec![place]),
            },
            None if is_here(&place.root) => {
                looked.push(DiscoveryResult::at(&place.root.clone(), Ok(vec![place])));
            }
            None => {}
        }
    }
    looked
}

/// Recognizes an emptied store by its journal, because the change that emptied it can still be undone.
fn known_by_journal(looked: DiscoveryResult, data: Option<&Path>) -> DiscoveryResult {
    let (Err(_), false, Some(data)) = (&looked.found, looked.refused, data) else { return looked };
    let places = FORMATS.iter().map(|format| looked.path.join(format.about().place));
    for root in std::iter::once(looked.path.clone()).chain(places) {
        let format = match Vault::open_read_only(&RealDisk, data, &root).format() {
            Ok(format) => format,
            Err(error) => return DiscoveryResult { found: Err(error.to_string()), refused: true, ..looked },
        };
        if let Some(found) = format.and_then(|format| store::look_at(&root, Some(&format)).found.ok()) {
            return DiscoveryResult { found: Ok(found), ..looked };
        }
    }
    looked
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
    looked_after(context, Extent::Whole, about)
}

/// Like [`snapshot`], only to show the stores: the bytes of long logs are not held.
pub fn listing(context: &Context, about: ReadScope<'_>) -> Result<Snapshot> {
    looked_after(context, Extent::Listed, about)
}

fn looked_after(context: &Context, extent: Extent, about: ReadScope<'_>) -> Result<Snapshot> {
    let mut snapshot = read(context, extent, about, false)?;
    if !snapshot.stores.iter().all(|store| is_enough(store)) {
        snapshot = load(context, &snapshot.stores.iter().map(whole).collect::<Vec<_>>(), extent);
    }
    let snapshot = tended(context, snapshot, RecoveryMode::BestEffort)?;
    snapshot.stores.iter().for_each(|store| context.unread.store(store));
    Ok(snapshot)
}

fn whole(store: &Arc<Store>) -> Place {
    Place::whole(store.root.clone(), store.format)
}

fn load(context: &Context, places: &[Place], extent: Extent) -> Snapshot {
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
        let alike = look.near_misses.iter().map(|(path, why)| (path, why));
        for (path, why) in own.into_iter().chain(alike) {
            let line = format!("{}: {why}", path.to_text());
            if look.refused { context.unread.line(line) } else { say(&line) }
        }
    }
    unseen(context, &looked, all)?;
    let places: Vec<Place> = found.into_iter().map(|place| about.of(place)).collect();
    Ok(load(context, &places, extent))
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
        let own = store::commit::with_deleted(&RealDisk, &data, own, context.now)?;
        context.unread.store(&own);
        with.stores.push(Arc::new(own));
    }
    Ok(with)
}

/// Like [`snapshot`], for a verb that changes something: each store that is named must exist, and
/// what an earlier change left is finished or undone first. Refuses if something could not be read,
/// because which records are meant, and which ids are free, depends on all of them.
pub fn to_change(context: &Context, about: ReadScope<'_>) -> Result<Snapshot> {
    let mut snapshot = read(context, Extent::Whole, about, true)?;
    if !snapshot.stores.iter().all(|store| may_change(context, store)) {
        snapshot = load(context, &snapshot.stores.iter().map(whole).collect::<Vec<_>>(), Extent::Whole);
    }
    let snapshot = tended(context, snapshot, RecoveryMode::Blocking)?;
    snapshot.stores.iter().try_for_each(|store| store.whole().map(drop))?;
    Ok(snapshot)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RecoveryMode {
    /// Before anything else: it waits for other programs, and a failure ends the verb.
    Blocking,
    /// If no other program is in the way. What can't be read of palimp's own data is reported.
    BestEffort,
}

impl RecoveryMode {
    fn open<'a>(
        self,
        context: &Context,
        host: Host<'a>,
        store: &'a Store,
    ) -> Result<Option<Writer<'a>>, CommitError> {
        let is_left = is_left_over(host.disk, host.machine, host.data, store);
        match (self, is_left) {
            (_, Ok(false)) => Ok(None),
            (RecoveryMode::Blocking, is_left) => is_left.and_then(|_| Writer::open(host, store).map(Some)),
            (RecoveryMode::BestEffort, Ok(true)) => Ok(Writer::open_at_once(host, store).ok()),
            (RecoveryMode::BestEffort, Err(error)) => {
                context.unread.line(format!("{}: {error}", store.root.to_text()));
                Ok(None)
            }
        }
    }
}

/// Recovers what was left in the stores, unless nothing may be written.
fn tended(context: &Context, snapshot: Snapshot, tends: RecoveryMode) -> Result<Snapshot> {
    if context.options.readonly || context.options.dry_run {
        return Ok(snapshot);
    }
    // Without a folder of palimp's own data, nothing was ever changed. A verb that writes reports it.
    let Ok(data) = data_folder(context) else { return Ok(snapshot) };
    let host = Host::here(&data, context.now);
    let mut tended = Snapshot::default();
    for store in &snapshot.stores {
        let Some(writer) = tends.open(context, host, store)? else {
            tended.stores.push(Arc::clone(store));
            continue;
        };
        tell(context, &writer);
        drop(writer);
        let place = Place::of(store);
        tended.stores.extend(store::load_each(&[place], store.extent, &snapshot, context.now));
    }
    Ok(tended)
}

/// Says what was found when the store was opened to write.
pub fn tell(context: &Context, writer: &Writer<'_>) {
    writer.notes().iter().for_each(|note| say(note));
    if writer.finished().is_some_and(|erased| !erased.left.is_empty()) {
        context.is_left.set(true);
    }
}

/// Returns the failure that no store was found.
pub fn none_found(looked: &[DiscoveryResult], named: bool) -> Failure {
    // If nothing is there, that is an answer, not a failure.
    let is_absent = |path: &Path| matches!(Lookup::from(RealDisk.look(path)), Lookup::Absent);
    let failed = looked.iter().any(|look| look.refused && !is_absent(&look.path));
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
        Failure::new(
            Exit::Failed,
            "there is no home folder for undo data: name a folder with --data-dir. Nothing was changed.",
        )
    })
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

fn home() -> Option<PathBuf> {
    let own = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    own.filter(|own| own.is_absolute())
}
