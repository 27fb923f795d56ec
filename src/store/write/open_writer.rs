//! Opens a store to change it: excludes other palimps, and first settles interrupted steps.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use super::{CommitContext, CommitError, Vault, Writer, scrub};
use crate::disk::Flock;
use crate::disk::host::Host;
use crate::format;
use crate::format::tuning::StoreTuning;
use crate::format::writing::with_config_of;
use crate::model::{Extent, Store};
use crate::store::discovery::Place;
use crate::store::load_from;
use crate::store::write::derive::derive_files;
use crate::store::write::handover::{file_exchange, rescue};
use crate::store::write::recovery::{leftover_files, recover_steps};

/// How long to wait for another palimp, unless the config allows a longer wait for a lock.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest config that is read, in bytes.
const CONFIG: u64 = 1 << 20;

impl<'a> Writer<'a> {
    /// Opens the store, and finishes or undoes interrupted steps. `store` is the store as it was read; palimp's own
    /// files that it lists are cleaned up. Fails if another palimp has the store for longer than five seconds or the
    /// config's lock timeout, or our own data can't be read or written.
    pub fn open(host: Host<'a>, store: &'a Store) -> Result<Writer<'a>, CommitError> {
        Writer::open_within(host, store, None)
    }

    /// Does the same. With `wait` it waits this long for each lock, and until a lock of a dead process is known to be
    /// one. If another process is in the way, the next start cleans up. Fails as [`Writer::open`].
    pub fn open_within(
        host: Host<'a>,
        store: &'a Store,
        wait: Option<Duration>,
    ) -> Result<Writer<'a>, CommitError> {
        let tuning = tuning(host, store);
        let own = wait_for(host, &store.root, wait.unwrap_or_else(|| patience(&tuning)))?;
        let tuning = match wait {
            Some(lock_timeout) => StoreTuning { lock_timeout, retries: 0, ..tuning },
            None => tuning,
        };
        Writer::taken(host, store, tuning, own)
    }

    /// Opens a store to append lines to its logs. `store` only says which store it is: it need not be read. `None` if
    /// something in our own data must be settled first. Fails if another palimp has the store for longer than five
    /// seconds or the config's lock timeout, or our own data can't be read or written.
    pub fn open_to_append(host: Host<'a>, store: &'a Store) -> Result<Option<Writer<'a>>, CommitError> {
        let tuning = tuning(host, store);
        let own = wait_for(host, &store.root, patience(&tuning))?;
        let vault = Vault::open_named(host, store)?;
        match vault.is_settled()? {
            true => Writer::of(host, store, vault, tuning, own).map(Some),
            false => Ok(None),
        }
    }

    fn taken(
        host: Host<'a>,
        store: &'a Store,
        tuning: StoreTuning,
        own: Option<Box<dyn Flock + 'a>>,
    ) -> Result<Writer<'a>, CommitError> {
        let vault = Vault::open_named(host, store)?;
        if store.scope.is_none() || vault.is_settled()? {
            return Writer::of(host, store, vault, tuning, own)?.with_recovery();
        }
        // An interrupted step may be in any session. `own` still excludes other palimps.
        let (notes, replaced, finished) = {
            let place = Place::whole(store.root.clone(), store.format);
            let whole = load_from(host.disk, &place, Extent::All, None, host.now);
            let mut writer = Writer::of(host, &whole, vault, tuning.clone(), None)?.with_recovery()?;
            (writer.context.notes.take(), writer.context.replaced.take(), writer.finished.take())
        };
        let vault = Vault::open(host.disk, host.data, &store.root)?;
        let mut writer = Writer::of(host, store, vault, tuning, own)?;
        writer.finished = finished;
        writer.context.notes.replace(notes);
        writer.context.replaced.replace(replaced);
        Ok(writer)
    }

    fn of(
        host: Host<'a>,
        store: &'a Store,
        vault: Vault<'a>,
        tuning: StoreTuning,
        own: Option<Box<dyn Flock + 'a>>,
    ) -> Result<Writer<'a>, CommitError> {
        let place = Place::of(store);
        let unknown = || format!("{} is not a format that this version knows.", store.format);
        let format = format::by_name(store.format).ok_or_else(|| CommitError::NoStep(unknown()))?;
        let (notes, replaced, emptied) = Default::default();
        let is_busy = Cell::new(false);
        let (durability, not_durable) = Default::default();
        let context = CommitContext {
            host,
            place,
            store,
            format,
            vault,
            is_busy,
            tuning,
            replaced,
            emptied,
            notes,
            durability,
            not_durable,
        };
        Ok(Writer { context, rescued: 0, finished: None, _own: own })
    }

    /// Recovers what earlier processes left.
    fn with_recovery(mut self) -> Result<Writer<'a>, CommitError> {
        file_exchange::recover_exchanges(&self.context, self.context.store);
        leftover_files::remove_leftovers(&self.context, self.context.store);
        recover_steps::recover(&self.context)?;
        derive_files::derive_pending(&self.context)?;
        let own_files = self.context.store.own_files.iter().map(|own| self.context.path(own).into());
        self.rescued = rescue::rescue_each(&self.context, own_files);
        self.finished = scrub::finish_erasing(&self.context)?;
        Ok(self)
    }

    /// Opens the store only to plan: nothing is locked, finished or written, and nothing may be changed. Fails if
    /// this version does not know the store's format.
    pub fn open_read_only(host: Host<'a>, store: &'a Store) -> Result<Writer<'a>, CommitError> {
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        Writer::of(host, store, vault, StoreTuning::default(), None)
    }
}

fn tuning(host: Host<'_>, store: &Store) -> StoreTuning {
    let Some(tuning) = format::by_name(store.format).and_then(|own| own.about().tuning) else {
        return StoreTuning::default();
    };
    let config = host.disk.read(&store.root.join("config.json"), 0, Some(CONFIG));
    with_config_of(config.ok().map(|(bytes, _)| bytes).as_deref(), tuning)
}

fn patience(tuning: &StoreTuning) -> Duration {
    tuning.lock_timeout.max(PATIENCE)
}

/// Excludes other palimps with a lock on the store's folder. The system releases it when this
/// process ends, even by a crash.
fn wait_for<'a>(
    host: Host<'a>,
    root: &Path,
    patience: Duration,
) -> Result<Option<Box<dyn Flock + 'a>>, CommitError> {
    let began = host.machine.monotonic();
    // If the root is a link, the real folder is locked: others may use its real name.
    let real = host.disk.real_path(root).map_err(|source| CommitError::io(root, "found", source))?;
    loop {
        match host.disk.flock(&real, None) {
            Ok(Some(own)) => return Ok(Some(own)),
            Ok(None) if host.machine.monotonic() - began < patience => {
                host.machine.sleep(Duration::from_millis(20));
            }
            Ok(None) => return Err(CommitError::Busy(root.to_owned())),
            Err(source) => return Err(CommitError::io(root, "locked", source)),
        }
    }
}
