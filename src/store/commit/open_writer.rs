//! How a store is taken to change it: other palimps are kept out, and what was cut short in it
//! is finished or taken back first.

use crate::store::commit::derive::derive_files;
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::Duration;

use super::{CommitContext, CommitError, Host, Vault, VaultState, Writer};
use crate::disk::Flock;
use crate::format::tuning::StoreTuning;
use crate::format::writing::with_config_of;
use crate::format::{self, Format};
use crate::model::{Extent, Store};
use crate::store::commit::apply::step_folders;
use crate::store::commit::handover::file_exchange;
use crate::store::commit::handover::rescue;
use crate::store::commit::recovery::leftover_files;
use crate::store::commit::recovery::recover_steps;
use crate::store::commit::scrub;
use crate::store::commit::vault::pending_notices;
use crate::store::discovery::Place;
use crate::store::load_from;

/// How long another palimp is waited for. It is longer if the config lets it wait longer for a lock.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest config whose settings are obeyed, in bytes.
const CONFIG: u64 = 1 << 20;

impl<'a> Writer<'a> {
    /// Takes the store, and finishes or takes back what was cut short in it. `store` is the
    /// store as it was read; what it lists of our own files is looked after.
    ///
    /// # Errors
    ///
    /// If another palimp has the store for longer than five seconds, or than a lock is waited for, or our own data can't be read or written.
    pub fn open(host: Host<'a>, store: &'a Store) -> Result<Writer<'a>, CommitError> {
        let tuning = tuning(host, store);
        let own = wait_for(host, &store.root, patience(&tuning))?;
        Writer::taken(host, store, tuning, own)
    }

    /// The same without waiting for anybody, to look after what was left: what another process
    /// is in the way of is done by the next start.
    ///
    /// # Errors
    ///
    /// If another palimp has the store, or our own data can't be read or written.
    pub fn open_at_once(host: Host<'a>, store: &'a Store) -> Result<Writer<'a>, CommitError> {
        let own = wait_for(host, &store.root, Duration::ZERO)?;
        let tuning = StoreTuning { lock_timeout: Duration::ZERO, retries: 0, ..tuning(host, store) };
        Writer::taken(host, store, tuning, own)
    }

    /// The same where nobody else changed our own data since this process did; then nothing of it is
    /// looked after. `None` where somebody did.
    ///
    /// # Errors
    ///
    /// If another palimp has the store for longer than five seconds, or than a lock is waited for.
    pub fn open_if_unchanged(
        host: Host<'a>,
        store: &'a Store,
        left: &VaultState,
    ) -> Result<Option<Writer<'a>>, CommitError> {
        let tuning = tuning(host, store);
        let own = wait_for(host, &store.root, patience(&tuning))?;
        let vault = Vault::open_unchanged(host.disk, &store.root, left);
        vault.map(|vault| Writer::of(host, store, vault, tuning, own)).transpose()
    }

    /// Takes the store to add lines to its logs, of which nothing was read: `store` says which it is. `None`
    /// where something that was left in our own data is to be looked after first.
    ///
    /// # Errors
    ///
    /// If another palimp has the store for longer than five seconds, or than a lock is waited for, or our own data can't be read or written.
    pub fn open_to_append(host: Host<'a>, store: &'a Store) -> Result<Option<Writer<'a>>, CommitError> {
        let tuning = tuning(host, store);
        let own = wait_for(host, &store.root, patience(&tuning))?;
        let vault = Vault::open(host.disk, host.data, &store.root)?;
        vault.name_store(host.data, &store.root, store.format)?;
        // Notes that wait are told by who has read the store.
        match vault.is_settled()? && vault.pending_notices()?.is_empty() {
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
        let vault = Vault::open(host.disk, host.data, &store.root)?;
        vault.name_store(host.data, &store.root, store.format)?;
        if store.scope.is_none() || vault.is_settled()? {
            return Writer::of(host, store, vault, tuning, own)?.with_recovery();
        }
        // What was cut short may be in any session. `own` keeps others out meanwhile.
        let (notes, replaced, finished) = {
            let place = Place::whole(store.root.clone(), store.format);
            let whole = load_from(host.disk, &place, Extent::Whole, None, host.now);
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
        let format = format_of(store)?;
        let (notes, replaced) = (RefCell::default(), RefCell::default());
        let is_busy = Cell::new(false);
        let context = CommitContext { host, place, store, format, vault, is_busy, tuning, replaced, notes };
        Ok(Writer { context, rescued: 0, finished: None, _own: own })
    }

    /// What was left is looked after.
    fn with_recovery(mut self) -> Result<Writer<'a>, CommitError> {
        pending_notices::take_notes(&self.context)?;
        file_exchange::recover_exchanges(&self.context, self.context.store);
        leftover_files::remove_leftovers(&self.context, self.context.store);
        recover_steps::recover(&self.context)?;
        step_folders::remove_left_folders(&self.context);
        derive_files::derive_pending(&self.context)?;
        self.rescued = rescue::rescue(&self.context, self.context.store);
        self.finished = scrub::finish_erasing(&self.context)?;
        Ok(self)
    }

    /// The store to plan on: nothing is taken, finished or written, and nothing may be changed.
    ///
    /// # Errors
    ///
    /// If this version does not know the store's format.
    pub fn open_read_only(host: Host<'a>, store: &'a Store) -> Result<Writer<'a>, CommitError> {
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        Writer::of(host, store, vault, StoreTuning::default(), None)
    }
}

/// What the store's config says, as it is on the disk now.
fn tuning(host: Host<'_>, store: &Store) -> StoreTuning {
    let Some(tuning) = format::by_name(store.format).and_then(|own| own.tuning()) else {
        return StoreTuning::default();
    };
    let config = host.disk.read(&store.root.join("config.json"), 0, Some(CONFIG));
    with_config_of(config.ok().map(|(bytes, _)| bytes).as_deref(), tuning)
}

fn patience(tuning: &StoreTuning) -> Duration {
    tuning.lock_timeout.max(PATIENCE)
}

/// Keeps other palimps out by a lock on the store's folder, which the system lets go of when
/// this process ends, however it ends.
fn wait_for<'a>(
    host: Host<'a>,
    root: &Path,
    patience: Duration,
) -> Result<Option<Box<dyn Flock + 'a>>, CommitError> {
    let began = host.machine.monotonic();
    // A root that is a link leads to the folder that is locked: others may know it by its name.
    let real = host.disk.real_path(root).map_err(|source| CommitError::io(root, "found", source))?;
    loop {
        match host.disk.flock(&real, None) {
            Ok(Some(own)) => return Ok(Some(own)),
            Ok(None) if host.machine.monotonic() - began < patience => {
                host.machine.sleep(Duration::from_millis(20));
            }
            Ok(None) => return Err(CommitError::Busy { root: root.to_owned() }),
            Err(source) => return Err(CommitError::io(root, "locked", source)),
        }
    }
}

fn format_of(store: &Store) -> Result<&'static dyn Format, CommitError> {
    format::by_name(store.format).ok_or_else(|| {
        CommitError::NoStep(format!("{} is not a format that this version knows.", store.format))
    })
}
