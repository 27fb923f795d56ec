//! The storage module for agents: one store, open to write to and to recall from.
//!
//! Its operations are those that the specifications name (2 §4.1, 4 §10.1, 5 §6 and §7), for
//! whatever the format of the store has; what a format lacks is refused with the reason. All
//! of them go the way that the verbs of the command line go: planned, carried out under the
//! format's lock, journalled, and undone by `palimp undo`.
//! The front page of the library has an example, each call has one of its own, and `docs/library.md` lists
//! them by specification.

mod append;
mod archive;
mod batch;
mod cache;
mod error;
mod events;
mod found_memory;
mod index_writer;

mod id_lookup;
mod links;
mod options;
mod plan_outcome;
mod problems;
mod query;
mod recall_result;
mod records;
mod sessions;
mod undo;
mod upkeep;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use append::HandleState;
pub use error::{MemoryError, Result};
pub use found_memory::Found;
use index_writer::IndexWriter;
pub use links::{Link, Links};
use options::HandleOptions;
pub use options::Options;
pub use plan_outcome::{Added, Dropped};
pub use query::MemoryQuery;
pub use recall_result::Recalled;
pub use records::New;
pub use sessions::Statistics;
pub use undo::Undone;

pub use crate::model::{Code, Moment, Problem, Severity, State};
pub use crate::ops::export::ExportFormat;
pub use crate::query::Order;
pub use crate::text::canonical::Checksum;

use crate::disk::{Disk, Lookup, Machine, RealDisk, ThisMachine};
use crate::format;
use crate::format::tuning::StoreTuning;
use crate::format::writing::{NO_COMPRESSED_FILES, Refusal, WriteContext, with_config};
use crate::model::{EntryRef, Extent, PathText, Plan, Snapshot, Store};
use crate::ops;
use crate::store::commit::{Host, Writer, make_folders};
use crate::store::{Place, load_from};
use crate::usecase::{
    self, ChangeCommand, ChangeRequest, PlannedChange, RecentSteps, Requester, SilentObserver,
};

/// A store that an agent has open.
///
/// Indexes that wait since records were added are written by a thread when the store is idle: a second after the
/// last record, or as its config has it. The thread ends with it.
pub struct Memory {
    disk: Box<dyn Disk + Send>,
    machine: Box<dyn Machine + Send>,
    place: Place,
    /// palimp's own data: journal, undo, backups.
    data: PathBuf,
    /// The store as it was read last, alone in a snapshot.
    snapshot: Snapshot,
    /// What is known between two records that are added.
    handle_state: HandleState,
    /// How it was opened.
    options: HandleOptions,
    /// What writes indexes that wait while the store is idle; nothing on a disk that the caller chose.
    index_writer: Option<IndexWriter>,
}

/// How a plan is made, and what is told of it.
type PlanUnderLock<'p, T> = dyn Fn(&WriteContext<'_>) -> Result<(Plan, T), Refusal> + 'p;

impl Memory {
    /// Opens the store at `root`, or the one that `root` is a part of. `data` is the folder
    /// of palimp's own data, outside the store; it is made when it is first needed.
    ///
    /// ```
    /// use palimp::memory::{Memory, MemoryError, New};
    ///
    /// # fn main() -> Result<(), MemoryError> {
    /// # let folder = std::env::temp_dir().join(format!("palimp-doc-open-{}", std::process::id()));
    /// let (root, data) = (folder.join("memory"), folder.join("data"));
    /// let mut memory = Memory::create("memory-server", &root, &data)?;
    /// let new = New { kind: "core", text: "Reviews need two people", ..New::default() };
    /// let id = memory.add(&new)?.id;
    /// memory.close()?;
    ///
    /// let mut memory = Memory::open(&root, &data)?;
    /// assert_eq!(memory.get(None, &id)?.unwrap().text, new.text);
    /// # drop(memory);
    /// # std::fs::remove_dir_all(&folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no store, there are several, or the folder can't be looked at. [`Memory::open_with`] names
    /// one of several by its format.
    pub fn open(root: &Path, data: &Path) -> Result<Memory> {
        Memory::open_with(root, data, &Options::default())
    }

    /// Makes an empty store of that format in a folder that is empty or not there yet.
    ///
    /// # Errors
    ///
    /// If palimp knows no such format, the folder has something in it, or can't be written.
    pub fn create(format: &str, root: &Path, data: &Path) -> Result<Memory> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let machine = ThisMachine::new();
        match Lookup::from(RealDisk.list(&root)) {
            Lookup::Absent => {}
            Lookup::Read(items) if items.is_empty() => {}
            Lookup::Read(_) => {
                let message = format!("{} is not empty. Nothing was written.", root.to_text());
                return Err(MemoryError::new("E_INVALID_FORMAT", message));
            }
            Lookup::Unreadable(error) => {
                let message = format!("{} can't be read: {error}. Nothing was written.", root.to_text());
                return Err(MemoryError::new("E_STORAGE_IO", message));
            }
        }
        let plan = ops::init::init(format, &root, machine.now())?;
        make_folders(&RealDisk, &root).map_err(|error| {
            MemoryError::new("E_STORAGE_IO", format!("{} can't be made: {error}.", root.to_text()))
        })?;
        let place = Place::whole(root, plan.format);
        let mut memory = Memory::here(place, data);
        let host =
            Host { disk: &*memory.disk, machine: &*memory.machine, data: &memory.data, now: memory.now() };
        Writer::open(host, memory.store())?.commit(&plan)?;
        memory.refresh();
        Ok(memory)
    }

    /// The store at that place, on a disk and a machine of the caller's choice.
    pub fn at(
        disk: Box<dyn Disk + Send>,
        machine: Box<dyn Machine + Send>,
        place: Place,
        data: &Path,
    ) -> Memory {
        let data = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        let (snapshot, known, options) = Default::default();
        let mut memory =
            Memory { disk, machine, place, data, snapshot, handle_state: known, options, index_writer: None };
        memory.refresh();
        memory
    }

    /// The store at that place, on this machine. Indexes that wait are written while it is idle.
    fn here(place: Place, data: &Path) -> Memory {
        let mut own = Memory::at(Box::new(RealDisk), Box::new(ThisMachine::new()), place, data);
        own.index_writer = Some(IndexWriter::new());
        own
    }

    /// What the store's config says of what is kept and written later.
    fn tuning(&self) -> StoreTuning {
        let tuning = format::by_name(self.place.format).and_then(|format| format.tuning());
        tuning.map_or_else(StoreTuning::default, |tuning| with_config(self.store(), tuning))
    }

    /// The store as it was read last.
    pub fn store(&self) -> &Store {
        &self.snapshot.stores[0]
    }

    /// Reads what has changed since. Every operation does it before it begins.
    pub fn refresh(&mut self) {
        self.meet_index_writer();
        self.handle_state.is_behind = false;
        let previous = self.snapshot.stores.first().map(|store| &**store);
        let store = load_from(&*self.disk, &self.place, Extent::Whole, previous, self.now());
        let store = if self.handle_state.is_due {
            usecase::mark_due_indexes(&self.data, store, self.now())
        } else {
            store
        };
        if previous.is_none_or(|was| !has_same_files(was, &store)) {
            self.handle_state.cache.clear();
        }
        self.snapshot = Snapshot::of(vec![Arc::new(store)]);
    }

    fn now(&self) -> Moment {
        self.machine.now()
    }

    /// That there is none is only said of a store that was read whole.
    fn known_absent(&self, missing: MemoryError) -> MemoryError {
        self.store().whole().map_or_else(MemoryError::from, |_| missing)
    }

    /// Reads what has changed since, before a change: it is planned on derived files that are right. Records
    /// are looked for after it, for they may have moved.
    fn ready(&mut self) -> Result {
        self.may_change()?;
        self.refresh();
        if self.handle_state.is_due {
            self.flush()?;
            self.refresh();
        }
        Ok(())
    }

    /// Does something with a store that was read whole, or with records in it, and reads what came of it.
    fn make(&mut self, at: Vec<EntryRef>, wanted: ChangeCommand) -> Result<PlannedChange> {
        self.make_of(Snapshot::of(self.snapshot.stores.clone()), at, wanted)
    }

    /// The same with records of a snapshot of this store.
    fn make_of(
        &mut self,
        snapshot: Snapshot,
        at: Vec<EntryRef>,
        wanted: ChangeCommand,
    ) -> Result<PlannedChange> {
        self.may_change()?;
        self.store().whole()?;
        let snapshot = Arc::new(snapshot);
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let request = ChangeRequest::new(snapshot, Requester::Ids, wanted, self.data.clone(), host.now);
        let planned = usecase::plan(ChangeRequest { at, ..request }, host)?;
        usecase::execute_unshown(&planned, host, &mut RecentSteps::default(), &mut SilentObserver)?;
        if !planned.is_empty() {
            self.refresh();
        }
        Ok(planned)
    }

    /// The same for a plan that depends on what nobody else may take meanwhile, an id: it is
    /// made when no other palimp can write. What is told of it is told of that very plan.
    fn commit_under_lock<T>(&mut self, planned: &PlanUnderLock<'_, T>) -> Result<T> {
        self.may_change()?;
        let (now, random) = (self.now(), self.machine.random());
        let (told, left) = {
            let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now };
            let writer = Writer::open(host, self.store())?;
            let store = writer.load();
            store.whole()?;
            let (plan, told) = planned(&WriteContext {
                store: &store,
                now,
                random,
                compressed_files: &NO_COMPRESSED_FILES,
            })?;
            writer.commit(&plan)?;
            (told, writer.vault_state())
        };
        self.handle_state.vault = left;
        self.refresh();
        Ok(told)
    }
}

/// Whether a store was read from the same files.
fn has_same_files(was: &Store, is: &Store) -> bool {
    let mut both = was.documents.iter().zip(&is.documents);
    was.documents.len() == is.documents.len() && both.all(|(was, is)| Arc::ptr_eq(was, is))
}
