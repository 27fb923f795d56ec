//! What an earlier palimp left behind that was ended by force: temporary files and locks.
//! Other programs' stay: an agent may be in the middle of its own rename.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{CommitError, Host, Vault, Writer, hidden};
use crate::disk::{Disk, Holder, Machine};
use crate::model::{Role, Store};
use crate::store::lock;

/// Whether an earlier palimp left something behind that the next change looks after first, or
/// keeps content longer than it may.
///
/// # Errors
///
/// If our own data can't be read: something may be left over then.
pub fn is_left_over(
    disk: &dyn Disk,
    machine: &dyn Machine,
    data: &Path,
    store: &Store,
) -> Result<bool, CommitError> {
    let around = store.root.ancestors().nth(depth_of(store));
    let folders = store.beside.iter().filter_map(|(path, _)| around?.join(path).parent().map(Path::to_owned));
    let folders: BTreeSet<PathBuf> = folders.collect();
    let has_temp = |folder: &PathBuf| {
        let items = disk.list(folder).unwrap_or_default();
        items.iter().any(|item| hidden::is_temp(&item.name))
    };
    let vault = Vault::look(disk, data, &store.root);
    let is_waiting = vault.is_unfinished()?
        || !vault.untold()?.is_empty()
        || vault.has_expired(machine.now(), &vault.journal()?)?;
    Ok(is_waiting || !store.own.is_empty() || folders.iter().any(has_temp))
}

/// How many folders the default place of a store's format has.
fn depth_of(store: &Store) -> usize {
    let format = crate::format::by_name(store.format);
    format.map_or(0, |format| Path::new(format.default_place()).iter().count())
}

impl Writer<'_> {
    /// Removes our own temporary files, and locks of ours whose process is gone. While this
    /// process has the store, no other palimp is in the middle of a change.
    pub(super) fn remove_leftovers(&self, store: &Store) {
        for path in &store.own {
            let name = path.file_name().unwrap_or_default();
            let whole = self.path(path);
            if hidden::temp_of(name).is_some() {
                let _ = self.host.disk.remove(&whole);
            }
            let holder = hidden::lock_of(name).map(|process| self.host.machine.process(process));
            if holder == Some(Holder::Gone) {
                self.remove_lock(&whole);
            }
        }
        let locks = store.documents.iter().filter(|document| document.role == Role::Lock);
        locks.for_each(|document| self.remove_own_lock(&self.path(&document.path)));
        let folder = |(path, _): &(PathBuf, _)| self.path_beside(path).parent().map(Path::to_owned);
        let beside: BTreeSet<PathBuf> = store.beside.iter().filter_map(folder).collect();
        beside.iter().for_each(|folder| self.remove_temps_beside(folder));
    }

    /// Removes a lock that names palimp and a process that is gone and that changed this store
    /// by what our own data says: a power cut brings such back, and nobody else may touch it for
    /// half a minute. One of a palimp elsewhere is judged as any other is.
    fn remove_own_lock(&self, lock: &Path) {
        let Host { disk, machine, .. } = self.host;
        let is_known = |process| self.vault.has_step_of(process);
        if lock::remove_left(disk, machine, lock, "palimp", &is_known).unwrap_or(false) {
            let _ = lock.parent().map(|folder| disk.sync_folder(folder));
        }
    }

    /// Removes a lock of a process that is gone, under its own name and under the one that
    /// others wait for: it is the same file, so that it is certainly ours.
    fn remove_lock(&self, own: &Path) {
        let disk = self.host.disk;
        let (Ok(item), Some(folder)) = (disk.look(own), own.parent()) else { return };
        for other in disk.list(folder).unwrap_or_default() {
            let is_same = (other.generation.device, other.generation.inode)
                == (item.generation.device, item.generation.inode);
            if is_same && other.link.is_none() {
                let _ = disk.remove(&folder.join(&other.name));
            }
        }
    }

    /// What a crash left beside the store: only of processes that are gone, for others than
    /// those that change this store may have files there.
    fn remove_temps_beside(&self, folder: &Path) {
        for item in self.host.disk.list(folder).unwrap_or_default() {
            let maker = hidden::temp_of(&item.name);
            if maker.is_some_and(|maker| self.host.machine.process(maker) == Holder::Gone) {
                let _ = self.host.disk.remove(&folder.join(&item.name));
            }
        }
    }
}
