//! Work after a change: removes second names when no process can have the files open, and rebuilds
//! derived files of logs when other programs pause.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::host::Host;
use crate::model::{Extent, Store};
use crate::store::commit::derive::derive_files::is_written_to;
use crate::store::commit::vault::pending_notices;
use crate::store::commit::vault::store_registry::is_settled;
use crate::store::commit::{Vault, VaultState, Writer};
use crate::store::discovery::Place;
use crate::store::hidden_names::OldFileName;
use crate::store::{load_from, store_walk};
use crate::{disk::Flock, format};

/// The longest watch of a second name: a minute without anything new, and some time to notice that.
const LONGEST: Duration = Duration::from_secs(65);
/// The pause between two looks, at first and at most.
const FIRST: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_secs(2);
/// The longest pause while an index is due.
const DUE: Duration = Duration::from_millis(500);
/// After this time a due index is rebuilt even if others are still writing.
const PATIENT: Duration = Duration::from_millis(1500);

/// Watches the second names in these stores until they are gone, for about a minute. Skips stores
/// that another process watches.
pub fn watch(host: Host<'_>, places: &[Place]) {
    let mut watched: Vec<WatchedStore<'_>> =
        places.iter().filter_map(|place| WatchedStore::of(host, place)).collect();
    let mut pause = FIRST;
    while !watched.is_empty() {
        let began = host.machine.monotonic();
        watched.retain_mut(|own| own.goes_on());
        let took = host.machine.monotonic().saturating_sub(began);
        if !watched.is_empty() {
            // A look may read large stores: longer pauses leave time to those who change them.
            let is_due = watched.iter().any(|own| own.due_since.is_some());
            host.machine.sleep(pause.min(if is_due { DUE } else { PAUSE }).max(took * 8));
            pause = PAUSE.min(pause * 2);
        }
    }
}

/// Rebuilds what is due in a store, without waiting. Returns the state of our own data afterwards,
/// or `None` if others are in the way. Reads the store before it takes any lock.
pub fn derive_at_once(host: Host<'_>, place: &Place) -> Option<Option<VaultState>> {
    let due = Vault::open_read_only(host.disk, host.data, &place.root).derive_due_files().ok()?;
    let store = read_for(host, place, &due);
    let writer = Writer::open_within(host, &store, Duration::ZERO).ok()?;
    let is_made = writer.derive_due();
    pending_notices::keep_notes(&writer.context);
    is_made.then(|| writer.vault_state())
}

/// Reads the part of the store that concerns these files, or all of it if a change was interrupted.
fn read_for(host: Host<'_>, place: &Place, files: &[PathBuf]) -> Store {
    let place = match is_settled(host.disk, host.data, &place.root) {
        true => place.with_files(files),
        false => place.clone(),
    };
    load_from(host.disk, &place, Extent::All, None, host.now)
}

/// A store that only this process watches.
struct WatchedStore<'a> {
    host: Host<'a>,
    place: Place,
    lock: Option<Box<dyn Flock + 'a>>,
    /// When each second name was first seen, by its number.
    seen: HashMap<u64, Duration>,
    /// When derived files were first seen to wait.
    due_since: Option<Duration>,
}

impl<'a> WatchedStore<'a> {
    /// Returns `None` while another process watches it.
    fn of(host: Host<'a>, place: &Place) -> Option<WatchedStore<'a>> {
        let lock = lock(host, place)?;
        Some(WatchedStore {
            host,
            place: place.clone(),
            lock: Some(lock),
            seen: HashMap::new(),
            due_since: None,
        })
    }

    /// Looks once. True if it has to look again.
    fn goes_on(&mut self) -> bool {
        if self.look() {
            return true;
        }
        // A process that came while this one was ending left its work to this one.
        self.lock = None;
        if !self.look() {
            return false;
        }
        self.lock = lock(self.host, &self.place);
        self.lock.is_some()
    }

    /// Looks, and does what can be done. True if there is something to wait for.
    fn look(&mut self) -> bool {
        let now = self.host.machine.monotonic();
        let (names, pending) = (self.names(), self.pending());
        if names.is_empty() && pending.is_empty() {
            return false;
        }
        let paths: Vec<&Path> = names.iter().map(|(_, path)| &**path).collect();
        let open = self.host.machine.may_be_open(&paths);
        let may_go = names.iter().zip(open).any(|((old, path), is_open)| !is_open || self.is_due(old, path));
        let is_late = self.due_since.is_some_and(|since| now.saturating_sub(since) >= PATIENT);
        let may_derive = is_late || !is_written_to(self.host, &self.place.root, &pending);
        if may_go || !pending.is_empty() && may_derive {
            self.tend(is_late);
        }
        let left = self.names();
        let mut waits = !self.pending().is_empty();
        match waits {
            true => waits = now.saturating_sub(*self.due_since.get_or_insert(now)) < LONGEST,
            false => self.due_since = None,
        }
        for (old, _) in &left {
            let first = *self.seen.entry(old.number).or_insert(now);
            waits |= now.saturating_sub(first) < LONGEST;
        }
        waits
    }

    /// Returns the files whose derived files wait until others pause. Data that can't be read is
    /// left to the next start.
    fn pending(&self) -> Vec<PathBuf> {
        Vault::open_read_only(self.host.disk, self.host.data, &self.place.root)
            .derive_due_files()
            .unwrap_or_default()
    }

    fn names(&self) -> Vec<(OldFileName, PathBuf)> {
        let Some(format) = format::by_name(self.place.format) else { return Vec::new() };
        let own = store_walk::walk(self.host.disk, &self.place.root, format, None).own_files.into_iter();
        own.filter_map(|own| Some((own.file_name().and_then(OldFileName::read)?, self.place.root.join(own))))
            .collect()
    }

    /// True if something was written to it, or a minute is over.
    fn is_due(&self, old: &OldFileName, path: &Path) -> bool {
        let Host { disk, machine, .. } = self.host;
        let age = machine.now().0.div_euclid(1_000_000) - old.since;
        let is_written = |own: &crate::model::snapshot::Generation| {
            own.len != old.taken || own.modified >= i128::from(old.since) * 1_000_000_000
        };
        age > super::rescue::WATCHED || disk.look(path).is_ok_and(|item| is_written(&item.generation))
    }

    /// Does what can be done; the rest is done next time. Notes are kept for the next verb, because
    /// the output of this process is not read.
    fn tend(&self, is_late: bool) {
        let host = Host { now: self.host.machine.now(), ..self.host };
        let within =
            |(_, path): (OldFileName, PathBuf)| path.strip_prefix(&self.place.root).ok().map(Path::to_owned);
        let names = self.names().into_iter().filter_map(within);
        let files: Vec<PathBuf> = self.pending().into_iter().chain(names).collect();
        let store = read_for(host, &self.place, &files);
        if let Ok(writer) = Writer::open_within(host, &store, Duration::ZERO) {
            if is_late {
                writer.derive_due();
            }
            pending_notices::keep_notes(&writer.context);
        }
    }
}

fn lock<'a>(host: Host<'a>, place: &Place) -> Option<Box<dyn Flock + 'a>> {
    let vault = Vault::open_read_only(host.disk, host.data, &place.root);
    host.disk.flock(&vault.path("watched"), Some(crate::model::plan::change::PRIVATE_MODE)).ok().flatten()
}
