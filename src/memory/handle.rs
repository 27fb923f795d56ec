//! An open store.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::error::{MemoryError, Result};
use super::options::{HandleOptions, Options};
use crate::disk::host::Host;
use crate::disk::{Disk, Machine, RealDisk, ThisMachine};
use crate::format;
use crate::format::tuning::StoreTuning;
use crate::format::writing::with_config;
use crate::model::{EntryRef, Extent, Generation, Moment, PathText, Snapshot, Store};
use crate::ops::init::InitStore;
use crate::store::steps::make_folders;
use crate::store::{Place, load_from};
use crate::usecase::{
    self, ChangeObserver, ChangeRequest, Command, PlannedChange, RecentSteps, Requester, SilentObserver,
    place_of_new,
};

/// A store that an agent has open.
///
/// Indexes wait after records are added: until an addition comes a second later, or as late as the store's config says,
/// until [`Memory::flush`], or until this value is closed or dropped. After a crash the next start of palimp writes them.
///
/// A call fails if what it names is not there, several records have the id, or the store can't be read; one that
/// changes the store, if the format has no such operation or refuses the value, or the change can't be made. Each
/// call says what else it refuses.
pub struct Memory {
    pub(super) disk: Box<dyn Disk + Send>,
    pub(super) machine: Box<dyn Machine + Send>,
    pub(super) place: Place,
    /// palimp's own data: journal, undo data, backups.
    pub(super) data: PathBuf,
    /// The store as last read, alone in a snapshot.
    pub(super) snapshot: Snapshot,
    /// What is kept between two additions.
    pub(super) handle_state: HandleState,
    pub(super) options: HandleOptions,
}

/// What an open store knows besides its records.
#[derive(Default)]
pub struct HandleState {
    pub(super) last: HashMap<String, SessionLastIds>,
    /// Whether derived files wait for a rebuild, and the number of records added since.
    pub is_due: bool,
    /// Since when they wait, by the monotonic clock.
    pub(super) due_since: Duration,
    pub(super) waiting: usize,
    /// The files with records that are not durable yet.
    pub(super) not_durable: BTreeSet<PathBuf>,
}

/// The ids that were given last, by session and type.
pub type LastIdMap = HashMap<(String, String), String>;

pub type LogGenerations = Vec<(PathBuf, Generation)>;

/// The ids that were given last in a session, by type, and its logs at that time.
pub struct SessionLastIds {
    pub(super) ids: HashMap<String, String>,
    pub(super) logs: LogGenerations,
}

impl Memory {
    /// Opens the store at `root`, or the store that contains `root`. `data` is the folder of
    /// palimp's own data, outside the store. palimp makes it when it is first needed.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let (root, data) = (folder.path().join("memory"), folder.path().join("data"));
    /// let mut memory = Memory::create("memory-server", &root, &data)?;
    /// let new = New { kind: "core", text: "Reviews need two people", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.close()?;
    ///
    /// let mut memory = Memory::open(&root, &data)?;
    /// assert_eq!(memory.get(None, &id)?.unwrap().text, new.text);
    /// # Ok::<(), MemoryError>(())
    /// ```
    ///
    /// Fails if there is no store, there are several (see [`Memory::open_with`]), or the folder can't be read.
    pub fn open(root: &Path, data: &Path) -> Result<Memory> {
        Memory::open_with(root, data, &Options::default())
    }

    /// Makes an empty store of a format, in a folder that is empty or does not exist yet.
    /// Fails if palimp does not know the format, or the folder is not empty or can't be written.
    pub fn create(format: &str, root: &Path, data: &Path) -> Result<Memory> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let machine = ThisMachine::new();
        let host = Host { disk: &RealDisk, machine: &machine, data, now: machine.now() };
        let place = place_of_new(host, format, &root, true)?;
        make_folders(&RealDisk, &root).map_err(|error| {
            MemoryError::new("E_STORAGE_IO", format!("{} can't be made: {error}.", root.to_text()))
        })?;
        let mut memory = Memory::here(place, data);
        memory.make(Vec::new(), InitStore)?;
        Ok(memory)
    }

    /// Opens the store at a place, on a disk and a machine that the caller chooses.
    pub fn at(
        disk: Box<dyn Disk + Send>,
        machine: Box<dyn Machine + Send>,
        place: Place,
        data: &Path,
    ) -> Memory {
        let data = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        let (snapshot, known, options) = Default::default();
        let mut memory = Memory { disk, machine, place, data, snapshot, handle_state: known, options };
        memory.refresh();
        memory
    }

    /// Opens the store at a place on this machine.
    pub(super) fn here(place: Place, data: &Path) -> Memory {
        Memory::at(Box::new(RealDisk), Box::new(ThisMachine::new()), place, data)
    }

    /// Returns the settings of the store's config for locks and waiting indexes.
    pub fn tuning(&self) -> StoreTuning {
        let tuning = format::by_name(self.place.format).and_then(|format| format.about().tuning);
        tuning.map_or_else(StoreTuning::default, |tuning| with_config(self.store(), tuning))
    }

    /// Returns the store as last read.
    pub fn store(&self) -> &Store {
        &self.snapshot.stores[0]
    }

    /// Reads what has changed since the last read. The operations call this themselves.
    pub fn refresh(&mut self) {
        let previous = self.snapshot.stores.first().map(|store| &**store);
        let store = load_from(&*self.disk, &self.place, Extent::All, previous, self.now());
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let store = match self.handle_state.is_due {
            true => usecase::mark_due_indexes(host, store),
            false => store,
        };
        self.snapshot = Snapshot::of(vec![Arc::new(store)]);
    }

    pub(super) fn now(&self) -> Moment {
        self.machine.now()
    }

    /// Returns `missing` only if the store was read completely, else the reason why it was not.
    pub(super) fn known_absent(&self, missing: MemoryError) -> MemoryError {
        self.store().whole().map_or_else(MemoryError::from, |_| missing)
    }

    /// Reads what has changed, and writes waiting indexes, because a plan needs correct derived
    /// files. Look up records after this call, because they may move.
    pub(super) fn ready(&mut self) -> Result {
        self.may_change()?;
        self.refresh();
        if self.handle_state.is_due {
            self.flush()?;
            self.refresh();
        }
        Ok(())
    }

    /// Changes the store, or records in it, and reads the result. The store must be read completely.
    pub(super) fn make(&mut self, at: Vec<EntryRef>, command: impl Command) -> Result<PlannedChange> {
        self.make_of(Snapshot::of(self.snapshot.stores.clone()), at, command)
    }

    /// Changes the store as a whole. The observer sees the plans that were carried out.
    pub(super) fn make_observed(
        &mut self,
        command: impl Command,
        observer: &mut dyn ChangeObserver,
    ) -> Result<PlannedChange> {
        self.refresh();
        self.make_seen(Snapshot::of(self.snapshot.stores.clone()), Vec::new(), command, observer)
    }

    /// Changes records of a snapshot of this store.
    pub(super) fn make_of(
        &mut self,
        snapshot: Snapshot,
        at: Vec<EntryRef>,
        command: impl Command,
    ) -> Result<PlannedChange> {
        self.make_seen(snapshot, at, command, &mut SilentObserver)
    }

    fn make_seen(
        &mut self,
        snapshot: Snapshot,
        at: Vec<EntryRef>,
        command: impl Command,
        observer: &mut dyn ChangeObserver,
    ) -> Result<PlannedChange> {
        self.may_change()?;
        self.store().whole()?;
        let snapshot = Arc::new(snapshot);
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let request =
            ChangeRequest::new(snapshot, Requester::Ids, Arc::new(command), self.data.clone(), host.now);
        let planned = usecase::plan(ChangeRequest { at, ..request }, host)?;
        usecase::execute_unshown(&planned, host, &mut RecentSteps::default(), observer)?;
        if !planned.is_empty() {
            self.refresh();
        }
        Ok(planned)
    }
}
