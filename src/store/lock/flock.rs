//! memory-server's lock ("Concurrency Control"): the kernel's lock on `.lock`.
//!
//! Agents remove the file after they let go, so two can hold "the" lock, each on an inode
//! of its own. Hence ours counts only while its file stands at the path, and stays there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::said::{self, stamp};
use super::waiting::{Patience, Waiting};
use super::{LockError, Scene};
use crate::disk::Flock;

const PACE: Duration = Duration::from_millis(50);
/// After which to try again where the file was removed under us.
const AGAIN: Duration = Duration::from_millis(1);
/// So many locks that were removed are kept: as many agents may wait for them.
const REMOVED: usize = 16;
/// So long an agent may need between letting go of the lock and removing its file.
const SETTLED: Duration = Duration::from_millis(20);

/// The kernel's lock on the file at a path.
pub(super) struct Locked<'a> {
    scene: Scene<'a>,
    path: PathBuf,
    lock: Box<dyn Flock + 'a>,
    /// Locks on files that were removed while we waited.
    removed: Vec<Locked<'a>>,
}

impl Locked<'_> {
    /// Whether the locked file is the one that others would lock.
    pub(super) fn still_ours(&self) -> bool {
        self.lock.generation().is_ok_and(|file| self.scene.stands_at(&self.path, file))
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // The file stays: to remove it is what lets two hold the lock.
        let _ = self.lock.fill(b"");
    }
}

enum Attempt<'a> {
    Ours(Locked<'a>),
    Held,
    /// We have one that was removed meanwhile.
    Removed(Locked<'a>),
}

pub(super) fn take<'a>(
    scene: Scene<'a>,
    path: &Path,
    patience: &Patience<'_>,
) -> Result<Locked<'a>, LockError> {
    let mut waiting = Waiting::new(scene.machine, patience);
    let mut removed = Vec::new();
    loop {
        let pace = match attempt(scene, path)? {
            Attempt::Ours(mut locked) => {
                locked.removed = removed;
                return Ok(locked);
            }
            Attempt::Held => {
                removed.clear();
                PACE
            }
            // Agents that wait for it would remove the next one, too, were it let go of now.
            Attempt::Removed(lock) => {
                removed.push(lock);
                removed.drain(..removed.len().saturating_sub(REMOVED));
                AGAIN
            }
        };
        if !waiting.pause(path, false, pace)? {
            let holder = said::holder(scene, path, false);
            return Err(LockError::Busy { path: path.to_owned(), holder, waited: waiting.waited() });
        }
    }
}

fn attempt<'a>(scene: Scene<'a>, path: &Path) -> Result<Attempt<'a>, LockError> {
    if let Ok(Some(what)) = said::strange(scene, path) {
        return Err(LockError::NotALock { path: path.to_owned(), what });
    }
    let Some(lock) = scene.disk.flock(path, Some(0o600)).map_err(Scene::failed(path))? else {
        return Ok(Attempt::Held);
    };
    let mut locked = Locked { scene, path: path.to_owned(), lock, removed: Vec::new() };
    if !locked.still_ours() {
        return Ok(Attempt::Removed(locked));
    }
    scene.machine.sleep(SETTLED);
    if !locked.still_ours() {
        return Ok(Attempt::Removed(locked));
    }
    let text = format!("{} {}\n", scene.machine.own_process(), stamp(scene.machine.now()));
    // The kernel's lock holds whether or not the file says whose it is.
    let _ = locked.lock.fill(text.as_bytes());
    Ok(Attempt::Ours(locked))
}
