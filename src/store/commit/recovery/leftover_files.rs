//! What an earlier palimp left behind that was ended by force: temporary files and locks.
//! Other programs' stay: an agent may be in the middle of its own rename.

use std::path::Path;

use crate::disk::{Disk, Item, Machine, ProcessState};
use crate::model::{Role, Store};
use crate::store::commit::apply::step_folders::left_folders;
use crate::store::commit::{CommitContext, CommitError, Host, Vault};
use crate::store::hidden_names;
use crate::store::lock;

/// Nobody takes longer, in microseconds, to fill a lock that was made.
const UNWRITTEN: i128 = 10_000_000;
/// No lock of ours is longer.
const LONGEST_LOCK: u64 = 4096;

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
    let vault = Vault::open_read_only(disk, data, &store.root);
    let journal = vault.journal()?;
    let is_waiting = vault.is_unfinished()?
        || !vault.pending_notices()?.is_empty()
        || vault.has_expired(machine.now(), &journal)?;
    let is_folder_left = || left_folders((disk, machine), &store.root, (&vault, &journal)).next().is_some();
    Ok(is_waiting || !store.own_files.is_empty() || is_folder_left())
}

/// Removes our own temporary files, and locks of ours whose process is gone. While this
/// process has the store, no other palimp is in the middle of a change.
pub fn remove_leftovers(context: &CommitContext<'_>, store: &Store) {
    for path in &store.own_files {
        let name = path.file_name().unwrap_or_default();
        let whole = context.path(path);
        // Others than those that change this store may be at work beside it.
        let is_left =
            |maker| !path.starts_with("..") || context.host.machine.process(maker) == ProcessState::Gone;
        if hidden_names::temp_process(name).is_some_and(is_left) {
            let _ = context.host.disk.remove(&whole);
        }
        let holder = hidden_names::lock_process(name).map(|process| context.host.machine.process(process));
        if holder == Some(ProcessState::Gone) {
            remove_lock(context, &whole);
        }
    }
    let locks = store.documents.iter().filter(|document| document.role == Role::Lock);
    locks.for_each(|document| remove_own_lock(context, &context.path(&document.path)));
}

/// Removes a lock that names palimp and a process that is gone and that changed this store
/// by what our own data says: a power cut brings such back, and nobody else may touch it for
/// half a minute. One of a palimp elsewhere is judged as any other is.
fn remove_own_lock(context: &CommitContext<'_>, lock: &Path) {
    let Host { disk, machine, .. } = context.host;
    let is_known = |process| context.vault.has_step_of(process);
    if lock::remove_left(disk, machine, lock, "palimp", &is_known).unwrap_or(false) {
        let _ = lock.parent().map(|folder| disk.sync_folder(folder));
    }
}

/// Whether a lock holds what was written as `own`, or what there is of it since long.
fn is_copy(context: &CommitContext<'_>, lock: &Path, item: &Item, own: &Path) -> bool {
    let Host { disk, machine, .. } = context.host;
    let is_lock = item.name == "lock" || lock.extension().is_some_and(|end| end == "lock");
    let is_old = item.generation.modified < (i128::from(machine.now().0) - UNWRITTEN) * 1000;
    let read = |path: &Path| disk.read(path, 0, Some(LONGEST_LOCK)).map(|(bytes, _)| bytes);
    let is_of = |said: Vec<u8>, there: Vec<u8>| there == said || is_old && said.starts_with(&there);
    (is_lock || item.name == ".lock")
        && read(own).and_then(|said| Ok(is_of(said, read(lock)?))).unwrap_or(false)
}

/// Removes a lock of a process that is gone, under its own name and under the one that
/// others wait for: it is the same file, so that it is certainly ours. Where a file has but
/// one name it says the same, or was cut short when that was written.
fn remove_lock(context: &CommitContext<'_>, own: &Path) {
    let disk = context.host.disk;
    let (Ok(item), Some(folder)) = (disk.look(own), own.parent()) else { return };
    for other in disk.list(folder).unwrap_or_default() {
        let is_ours = (other.generation.device, other.generation.inode)
            == (item.generation.device, item.generation.inode);
        if (is_ours || is_copy(context, &folder.join(&other.name), &other, own)) && other.link.is_none() {
            let _ = disk.remove(&folder.join(&other.name));
        }
    }
}
