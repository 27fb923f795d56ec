//! What all parts of a change share: the store, its format, its lock, the paths of its files, our own data.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io;
use std::path::{Path, PathBuf};

use super::apply::replace_file::ReplacedFile;
use super::{CommitError, UndoStep, Vault};
use crate::disk::host::Host;
use crate::disk::{Disk, Item, optional, sync_file};
use crate::format::tuning::StoreTuning;
use crate::format::{Format, Placement};
use crate::model::{Bytes, Durability, Extent, Lock, Plan, Role, Store, Verb};
use crate::store::discovery::Place;
use crate::store::freshness::is_as_read;
use crate::store::hidden_names::OldFileName;
use crate::store::load::load_from;
use crate::store::lock::{LockError, LockGuard, WaitPolicy, acquire};

/// The number of recent steps that are searched for a file's name, and for its content before it was replaced.
pub(super) const STEPS: usize = 16;

/// A store that this process changes while no other palimp does.
pub struct CommitContext<'a> {
    pub(super) host: Host<'a>,
    pub(super) place: Place,
    pub(super) store: &'a Store,
    pub(super) format: &'static dyn Format,
    pub(super) vault: Vault<'a>,
    /// True if other programs write to the store during this change.
    pub(super) is_busy: Cell<bool>,
    /// How long to wait for locks, and what is written later.
    pub(super) tuning: StoreTuning,
    /// Second names of replaced files that may still get late lines.
    pub(super) replaced: RefCell<Vec<ReplacedFile>>,
    /// Folders that recovery removes once they are empty: no line of the journal says so.
    pub(super) emptied: RefCell<Vec<PathBuf>>,
    /// Notes for the user, until a receipt takes them.
    pub(super) notes: RefCell<Vec<String>>,
    /// When added lines become durable.
    pub(super) durability: Cell<Durability>,
    /// Files with added lines that are not durable yet.
    pub(super) not_durable: RefCell<Vec<PathBuf>>,
}

impl<'a> CommitContext<'a> {
    /// Returns an empty plan of palimp's own, which no user sees.
    pub fn unseen(&self, verb: Verb) -> Plan {
        Plan::of_unread_store(verb, &self.place.root, self.place.format)
    }

    pub fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    pub fn own_process(&self) -> Option<i32> {
        i32::try_from(self.host.machine.own_process()).ok()
    }

    /// Keeps a step's undo data before it is done.
    pub fn keep(&self, number: u64, step: &UndoStep) -> Result<(), CommitError> {
        self.vault.keep(number, self.host.machine.now(), step, self.durability.get())?;
        if self.durability.get() == Durability::Batch {
            self.not_durable.borrow_mut().extend(self.vault.last_segment_path());
        }
        Ok(())
    }

    /// Makes files durable to which lines were added, or leaves that to the end of the batch.
    pub fn make_durable(&self, files: &mut Vec<PathBuf>) -> Result<(), CommitError> {
        let files = std::mem::take(files);
        match self.durability.get() {
            Durability::Batch => self.not_durable.borrow_mut().extend(files),
            Durability::Each => sync_each(self.host.disk, &files)?,
        }
        Ok(())
    }

    /// Notes, durably, that a step was not done, or was undone because it could not be finished.
    pub fn forget(&self, step: u64) -> Result<(), CommitError> {
        self.vault.forget(step, self.host.machine.now())
    }

    /// Returns the store as it is on disk. Reads it again only if it changed.
    pub fn load(&self) -> Cow<'a, Store> {
        match is_as_read(self.host.disk, self.store) {
            true => Cow::Borrowed(self.store),
            false => {
                let Host { disk, now, .. } = self.host;
                Cow::Owned(load_from(disk, &self.place, Extent::All, Some(self.store), now))
            }
        }
    }

    /// Returns how long to wait for other programs.
    pub(super) fn patience(&self) -> WaitPolicy {
        let StoreTuning { lock_timeout, lock_backoff: pause, .. } = self.tuning;
        WaitPolicy { pause, ..WaitPolicy::of(lock_timeout) }
    }

    pub(super) fn lock(&self, files: &[&Path]) -> Result<LockGuard<'a>, LockError> {
        self.lock_as(files, self.patience())
    }

    pub(super) fn lock_as(&self, files: &[&Path], patience: WaitPolicy) -> Result<LockGuard<'a>, LockError> {
        let Host { disk, machine, .. } = self.host;
        acquire(disk, machine, &self.protocol(files), patience)
    }

    pub(super) fn protocol(&self, files: &[&Path]) -> Lock {
        self.format.lock(files).with_paths(|file| self.path(file))
    }

    pub(super) fn path(&self, relative: &Path) -> PathBuf {
        match relative.strip_prefix("..") {
            Ok(beside) => self.path_beside(beside),
            Err(_) => self.place.root.join(relative),
        }
    }

    /// Returns the opposite of [`CommitContext::path`], for a file of the store or of the folder around it.
    pub(super) fn relative(&self, file: &Path) -> Option<PathBuf> {
        let root = &self.place.root;
        let around = root.parent().unwrap_or(root);
        let beside = || file.strip_prefix(around).map(Path::to_owned).ok();
        let really = || Some(file.strip_prefix(self.host.disk.real_path(around).ok()?).ok()?.to_owned());
        let within = file.strip_prefix(root).map(Path::to_owned).ok();
        within.or_else(|| Some(Path::new("..").join(beside().or_else(really)?)))
    }

    /// Returns the file that replaced the one with the second name `path`. If its name was too long
    /// to be kept and no file matches, searches the undo data of the last steps. `None` if that has
    /// no match either.
    pub(super) fn file_of(&self, old: &OldFileName, path: &Path) -> io::Result<Option<PathBuf>> {
        let disk = self.host.disk;
        if let Some(file) = old.file_of(disk, path)? {
            return Ok(Some(file));
        }
        for step in self.vault.last_steps(STEPS).map_err(io::Error::other)? {
            let step = step.map_err(io::Error::other)?;
            let mut files = step.changes.iter().map(|change| self.path(&change.path));
            let is_it = |file: &PathBuf| {
                file.parent() == path.parent()
                    && file.file_name().is_some_and(|name| old.is_of(name.as_ref()))
            };
            if let Some(file) = files.find(is_it) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Returns the path of a file in the folder around the store. A link that stays in that folder
    /// is followed, as when it was read; any other is refused when it is written.
    pub(super) fn path_beside(&self, relative: &Path) -> PathBuf {
        let around = self.place.root.parent().unwrap_or(&self.place.root);
        let path = around.join(relative);
        let real = |path: &Path| self.host.disk.real_path(path).ok();
        match (real(around), real(&path)) {
            (Some(around), Some(real)) if real.starts_with(&around) => real,
            _ => path,
        }
    }

    /// Returns the item at a path, or `None` if there is none.
    pub fn item_at(&self, path: &Path) -> Result<Option<Item>, CommitError> {
        optional(self.host.disk.look(path)).map_err(|error| CommitError::unread(path, error))
    }

    /// Reads a file's bytes; `None` if it does not exist. Fails if it exists and can't be read.
    pub fn read(&self, relative: &Path) -> Result<Option<Vec<u8>>, CommitError> {
        let path = self.path(relative);
        let read = optional(self.host.disk.read(&path, 0, None));
        Ok(read.map_err(|error| CommitError::unread(&path, error))?.map(|(bytes, _)| bytes))
    }

    /// Returns a file's bytes, shared with the store that was read as far as they are the same.
    pub fn bytes(&self, relative: &Path) -> Result<Option<Bytes>, CommitError> {
        let path = self.path(relative);
        if let Some(own) = self.store.document_at(relative).filter(|own| own.is_held())
            && let Ok((Some(more), _)) = self.host.disk.read_after(&path, &own.bytes)
        {
            return Ok(Some(if more.is_empty() { own.bytes.clone() } else { own.bytes.with_added(&more) }));
        }
        Ok(self.read(relative)?.map(Bytes::from))
    }
}

/// Makes added lines durable in these files.
pub fn sync_each(disk: &dyn Disk, files: &[PathBuf]) -> Result<(), CommitError> {
    let sync =
        |path: &PathBuf| sync_file(disk, path).map_err(|error| CommitError::io(path, "made durable", error));
    files.iter().try_for_each(sync)
}

/// True if the file is a backup, from which nothing is derived.
pub fn is_copy(context: &CommitContext<'_>, path: &Path) -> bool {
    context.format.place(path, false) == Placement::File(Role::Backup)
}
