//! Temporary files and locks that a killed palimp left behind. Those of other programs stay: an
//! agent may be in the middle of its own rename.

use std::path::Path;

use crate::disk::host::Host;
use crate::disk::{Disk, Item, Machine, ProcessState};
use crate::model::{Role, Store};
use crate::store::write::{CommitContext, CommitError, Vault};
use crate::store::{hidden_names, lock};

/// The longest time between a lock's creation and its content, in microseconds.
const UNWRITTEN: i128 = 10_000_000;
/// The longest lock of ours, in bytes.
const LONGEST_LOCK: u64 = 4096;

/// True if an earlier palimp left something that the next change cleans up first, or if content is kept longer than
/// allowed. Fails if our own data can't be read: something may be left over then.
pub fn is_left_over(
    disk: &dyn Disk,
    machine: &dyn Machine,
    data: &Path,
    store: &Store,
) -> Result<bool, CommitError> {
    let vault = Vault::open_read_only(disk, data, &store.root);
    let journal = vault.journal()?;
    let is_waiting = vault.is_unfinished()? || vault.has_expired(machine.now(), &journal)?;
    Ok(is_waiting || !store.own_files.is_empty())
}

/// Removes our temporary files, and locks of ours whose process has ended. This process has the
/// store, so no other palimp is in the middle of a change.
pub fn remove_leftovers(context: &CommitContext<'_>, store: &Store) {
    for path in &store.own_files {
        let name = path.file_name().unwrap_or_default();
        let whole = context.path(path);
        // Beside the store, palimps that change other stores may be at work.
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

/// Removes a lock that names palimp and an ended process, if our own data says that this process
/// changed this store. A power cut brings such locks back, and other programs may not touch them
/// for half a minute. A lock of any other palimp is judged like a lock of another program.
fn remove_own_lock(context: &CommitContext<'_>, lock: &Path) {
    let Host { disk, machine, .. } = context.host;
    let is_known = |process| context.vault.has_step_of(process);
    if lock::remove_left(disk, machine, lock, &is_known).unwrap_or(false) {
        let _ = lock.parent().map(|folder| disk.sync_folder(folder));
    }
}

/// True if a lock has the content of `own`, or if it is old and has the beginning of it.
fn is_copy(context: &CommitContext<'_>, lock: &Path, item: &Item, own: &Path) -> bool {
    let Host { disk, machine, .. } = context.host;
    let is_lock = item.name == "lock" || lock.extension().is_some_and(|end| end == "lock");
    let is_old = item.generation.modified < (i128::from(machine.now().0) - UNWRITTEN) * 1000;
    let read = |path: &Path| disk.read(path, 0, Some(LONGEST_LOCK)).map(|(bytes, _)| bytes);
    let is_of = |said: Vec<u8>, there: Vec<u8>| there == said || is_old && said.starts_with(&there);
    (is_lock || item.name == ".lock")
        && read(own).and_then(|said| Ok(is_of(said, read(lock)?))).unwrap_or(false)
}

/// Removes a lock of an ended process, under its own name and under the name that others wait for.
/// Both names mean the same file, so it is certainly ours. On a file system without hard links, the
/// other file has the same content, or a crash interrupted its writing.
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
