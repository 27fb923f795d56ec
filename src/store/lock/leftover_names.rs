//! Names of palimp's files beside a lock, and removal of those that ended processes left.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::lock_content::is_alive;
use super::{LockError, LockScene, lock_content};
use crate::disk::{Flock, ItemKind};
use crate::model::Moment;
use crate::store::hidden_names::lock_process;

/// The prefix of palimp's lock before it is taken and while it is held.
pub(super) const OWN: &str = ".lock.own.";
/// The prefix of another's lock that was moved aside.
pub(super) const STALE: &str = ".lock.stale.";
const TAKEOVER: &str = ".lock.takeover";

/// Returns a name beside `lock`, unique in this process. Its process number shows if it is left over.
pub(super) fn unused_name(context: LockScene<'_>, lock: &Path, prefix: &str) -> PathBuf {
    static NAMES: AtomicU64 = AtomicU64::new(0);
    let (process, now) = (context.machine.own_process(), context.machine.monotonic().as_nanos());
    let number = NAMES.fetch_add(1, Ordering::Relaxed);
    lock.with_file_name(format!("{prefix}{process}-{now:x}-{number:x}"))
}

/// Removes what dead processes left beside a lock. What can't be removed stays and does no harm.
pub(super) fn sweep(context: LockScene<'_>, lock: &Path) {
    let Some(folder) = lock.parent() else { return };
    for item in context.disk.list(folder).unwrap_or_default() {
        if item.kind != ItemKind::File || item.link.is_some() {
            continue;
        }
        let modified = i64::try_from(item.generation.modified / 1000).ok().map(Moment);
        let is_gone = |process| is_alive(context.machine, Some(process), modified) == Some(false);
        if item.name == TAKEOVER {
            drop(Takeover::enter(context, lock));
        } else if lock_process(&item.name).is_some_and(is_gone) {
            let _ = context.disk.remove(&folder.join(&item.name));
        }
    }
}

/// The right to take over a lock. In each folder one process has it at a time.
pub(super) struct Takeover<'a> {
    context: LockScene<'a>,
    path: PathBuf,
    lock: Box<dyn Flock + 'a>,
}

impl<'a> Takeover<'a> {
    /// Returns `None` while another process has it.
    pub(super) fn enter(context: LockScene<'a>, lock: &Path) -> Result<Option<Self>, LockError> {
        let path = lock.with_file_name(TAKEOVER);
        if let Ok(Some(what)) = lock_content::strange(context, &path) {
            return Err(LockError::NotALock(path, what));
        }
        let Some(lock) = context.disk.flock(&path, Some(0o600)).map_err(LockScene::failed(&path))? else {
            return Ok(None);
        };
        let takeover = Takeover { context, path, lock };
        // A takeover file that was removed excludes nobody.
        Ok(takeover.is_the_one().then_some(takeover))
    }

    fn is_the_one(&self) -> bool {
        self.lock.generation().is_ok_and(|file| self.context.stands_at(&self.path, file))
    }
}

impl Drop for Takeover<'_> {
    /// Removes the file before its lock ends. A waiting process then sees a file without a name,
    /// and tries again.
    fn drop(&mut self) {
        if self.is_the_one() {
            let _ = self.context.disk.remove(&self.path);
        }
    }
}
