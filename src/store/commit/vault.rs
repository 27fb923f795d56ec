//! Our own data about a store: the journal, what undo needs, drafts, backups, quarantine.
//!
//! One folder a store, in the user's data folder or where `--data-dir` says, never in the
//! store. The journal holds numbers and names of files and no content; what undo needs is
//! content, has a file a step, and goes after 30 days or 256 MB.

pub(super) mod activity_log;
pub(super) mod backups;
pub(super) mod drafts;
pub(super) mod folder;
pub(super) mod journal;
pub(super) mod pending_derive;
pub(super) mod pending_notices;
pub(super) mod retention;
pub(super) mod state;
pub(super) mod step_encoding;
pub(super) mod store_registry;
pub(super) mod undo_step;
pub(super) mod verify_backup;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::CommitError;
use crate::store::commit::vault::retention::STEP_SUFFIX;
use crate::store::commit::vault::undo_step::{UndoStep, digest};
use folder::folder_of;
pub use folder::{make_folders, make_folders_as};
pub(super) use folder::{real_of, way_to};
pub(super) use journal::JOURNAL;
pub use journal::{FileLine, JournalLine, UndoRedo};
pub use state::VaultState;

use crate::disk::{Disk, Lookup};
use crate::model::Bytes;
use crate::store::large_file;

/// The folder of one store.
pub struct Vault<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
    root: PathBuf,
    /// The last number that a step has had, where nobody else can give any.
    last: Cell<Option<u64>>,
    /// How many bytes of undo data are kept, where nobody else can keep any.
    pub(super) kept: Cell<Option<u64>>,
    /// The files of which it is written down that what is derived is due, as far as that is known.
    pub(super) known_due: RefCell<HashSet<PathBuf>>,
}

impl<'a> Vault<'a> {
    /// The folder of the store at `root` below `data`, made if it is not there (0700).
    ///
    /// # Errors
    ///
    /// If the folder can't be made.
    pub fn open(disk: &'a dyn Disk, data: &Path, root: &Path) -> Result<Vault<'a>, CommitError> {
        let vault = Vault::open_read_only(disk, data, root);
        vault.make(&vault.folder)?;
        Ok(vault)
    }

    /// The same, without making anything.
    pub fn open_read_only(disk: &'a dyn Disk, data: &Path, root: &Path) -> Vault<'a> {
        Vault {
            disk,
            folder: folder_of(disk, data, root),
            root: root.to_owned(),
            last: Cell::new(None),
            kept: Cell::new(None),
            known_due: RefCell::default(),
        }
    }

    /// From now on nobody else gives numbers: that was the last.
    pub(super) fn begin_at(&self, last: u64) {
        self.last.set(Some(last));
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// A folder within it, made with those that lead to it.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf, CommitError> {
        let folder = self.folder.join(name);
        self.make(&folder)?;
        Ok(folder)
    }

    /// Where something of that name is in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn make(&self, folder: &Path) -> Result<(), CommitError> {
        make_folders(self.disk, folder).map_err(|source| CommitError::own_data(folder, source))
    }

    /// The numbers of the steps that can still be taken back, ascending.
    ///
    /// # Errors
    ///
    /// If they can't be listed.
    pub fn steps(&self) -> Result<Vec<u64>, CommitError> {
        Ok(self.numbered()?.iter().filter(|own| own.end == STEP_SUFFIX).map(|own| own.number).collect())
    }

    /// A number that no step has had. Who alone may write here reads them once.
    ///
    /// # Errors
    ///
    /// If the folder or the journal can't be read.
    pub fn next_step(&self) -> Result<u64, CommitError> {
        let last = match self.last.get() {
            Some(last) => last,
            None => {
                let numbered = self.numbered()?.last().map_or(0, |own| own.number);
                numbered.max(self.journal()?.last().map_or(0, |line| line.step))
            }
        };
        let next = 1 + last.max(self.erasing()?.map_or(0, |entry| entry.step));
        self.last.set(self.last.get().map(|_| next));
        Ok(next)
    }

    /// Whether a change was cut short: a step that the journal does not know, or an erasure.
    ///
    /// # Errors
    ///
    /// If that can't be read: something may be pending then.
    pub fn is_unfinished(&self) -> Result<bool, CommitError> {
        let steps = self.steps()?;
        let known: HashSet<u64> = if steps.is_empty() {
            HashSet::new()
        } else {
            self.journal()?.iter().map(|line| line.step).collect()
        };
        let is_cut = steps.iter().any(|step| !known.contains(step));
        Ok(is_cut || self.erasing()?.is_some() || !self.derive_due_files()?.is_empty())
    }

    pub(super) fn step_path(&self, number: u64) -> PathBuf {
        self.undo_path(number, STEP_SUFFIX)
    }

    pub(super) fn undo_path(&self, number: u64, end: &str) -> PathBuf {
        self.path("undo").join(format!("{number:06}.{end}"))
    }

    /// Keeps a step's undo data, durably, before the step is done. Where it is kept anew,
    /// one of the two is there at any moment.
    ///
    /// # Errors
    ///
    /// If our own data can't be written, or has no room for it.
    pub fn keep(&self, number: u64, step: &UndoStep) -> Result<(), CommitError> {
        self.folder("undo")?;
        let parts = step.parts();
        self.make_room(number, parts.iter().map(|own| own.len() as u64).sum())?;
        self.put_parts(&self.step_path(number), &parts)
    }

    /// A step's undo data; `None` where it is gone, or was cut short by a crash.
    ///
    /// # Errors
    ///
    /// If it is there and can't be read.
    pub fn step(&self, number: u64) -> Result<Option<UndoStep>, CommitError> {
        let Some(bytes) = self.read_own_file(&self.step_path(number))? else { return Ok(None) };
        let failed = RefCell::new(None);
        let step = UndoStep::read(&bytes, &|file, made| {
            let fail = |error| drop(failed.replace(Some(CommitError::unread(file, error))));
            self.made(file, made).map_err(fail).unwrap_or_default()
        });
        let numbered = step.map(|own| UndoStep { line: JournalLine { step: number, ..own.line }, ..own });
        failed.into_inner().map_or(Ok(numbered), Err)
    }

    /// The bytes of a file of the store that a step made with that digest; where it is another
    /// by now, bytes that it does not have. One that can't be read is not another.
    fn made(&self, file: &Path, made: &str) -> io::Result<Bytes> {
        let read = Lookup::from(large_file::read(self.disk, &self.root.join(file))).optional()?;
        let mut bytes = read.map(|(bytes, _)| bytes).unwrap_or_default();
        if digest(&bytes) != made {
            bytes.extend(&[0]);
        }
        Ok(bytes)
    }
}
