//! The lock of specification 1 ("Concurrency Control"): the kernel's lock on `.lock`.
//!
//! Agents remove the file after they release it, so two can hold "the" lock, each on its own inode.
//! So palimp's lock counts only while its file is at the path, and palimp leaves the file there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock_content::{self, stamp};
use super::wait::{LockWait, WaitPolicy};
use super::{LockError, LockScene};
use crate::disk::Flock;
use crate::model::snapshot::Generation;

const PACE: Duration = Duration::from_millis(50);
/// The pause before the next try if the file was removed.
const AGAIN: Duration = Duration::from_millis(1);
/// Tries in a row without a pause while the lock changes hands: some milliseconds, in which busy
/// agents append once or twice. In between it is free for microseconds, which a later look misses.
const SPINS: u32 = 512;
/// At most this many removed locks are kept: as many agents may wait for them.
const REMOVED: usize = 64;
/// The longest time that agents wait because of locks that palimp can't use.
const HINDERED: Duration = Duration::from_secs(1);
/// An agent may need 20 ms from the release of the lock to the removal of its file. The first looks
/// are early: the sooner palimp sees a removal, the sooner it takes the next file.
const SETTLING: [Duration; 3] =
    [Duration::from_millis(1), Duration::from_millis(4), Duration::from_millis(15)];

pub(super) struct FlockGuard<'a> {
    context: LockScene<'a>,
    path: PathBuf,
    lock: Box<dyn Flock + 'a>,
    /// True if the file says who holds it.
    is_filled: bool,
    /// Locks on files that were removed during the wait.
    removed: Vec<FlockGuard<'a>>,
}

impl FlockGuard<'_> {
    /// True if the locked file is the one that others would lock.
    pub(super) fn still_ours(&self) -> bool {
        self.lock.generation().is_ok_and(|file| self.context.stands_at(&self.path, file))
    }
}

impl Drop for FlockGuard<'_> {
    fn drop(&mut self) {
        // The file stays: if it were removed, two could hold the lock.
        if self.is_filled {
            let _ = self.lock.fill(b"");
        }
    }
}

enum FlockAttempt<'a> {
    Ours(FlockGuard<'a>),
    Held,
    /// The file was removed while palimp held it: agents may wait for it.
    Removed(FlockGuard<'a>),
    /// The file had been removed before.
    AlreadyRemoved,
}

/// How often the lock was seen to change hands: each use changes the inode or the time of its file.
#[derive(Default)]
struct HandoverCount {
    last: Option<Generation>,
    count: u32,
}

impl HandoverCount {
    fn look(&mut self, context: LockScene<'_>, path: &Path) {
        let now = context.disk.look(path).ok().map(|item| item.generation);
        if self.last.as_ref().is_some_and(|last| now.as_ref() != Some(last)) {
            self.count = self.count.saturating_add(1);
        }
        self.last = now;
    }
}

pub(super) fn take<'a>(
    context: LockScene<'a>,
    path: &Path,
    patience: WaitPolicy,
) -> Result<FlockGuard<'a>, LockError> {
    let mut waiting = LockWait::new(context.machine, patience);
    let mut removed = Vec::new();
    let mut hands = HandoverCount::default();
    let (mut spins, mut spun) = (0, 0);
    loop {
        let outcome = attempt(context, path, patience.settles)?;
        if !matches!(outcome, FlockAttempt::Ours(_)) {
            hands.look(context, path);
        }
        // A lock that was held for a while took time, which counts as waited.
        let may_spin = !patience.wait.is_zero() && !matches!(outcome, FlockAttempt::Removed(_));
        let pace = match outcome {
            FlockAttempt::Ours(mut locked) => {
                locked.removed = removed.into_iter().map(|(_, lock)| lock).collect();
                return Ok(locked);
            }
            FlockAttempt::Held => PACE,
            // Agents may wait for this file. If it were released, they would remove the next file, too.
            FlockAttempt::Removed(lock) => {
                removed.push((context.machine.monotonic(), lock));
                AGAIN
            }
            FlockAttempt::AlreadyRemoved => AGAIN,
        };
        let now = context.machine.monotonic();
        removed.retain(|(since, _)| now.saturating_sub(*since) < HINDERED);
        removed.drain(..removed.len().saturating_sub(REMOVED));
        if may_spin && hands.count > spun && spins < SPINS {
            spins += 1;
            continue;
        }
        (spins, spun) = (0, hands.count);
        if !waiting.pause(false, hands.count, pace) {
            let holder = lock_content::holder(context, path, false);
            return Err(LockError::Busy { path: path.to_owned(), holder, waited: waiting.waited() });
        }
    }
}

fn attempt<'a>(context: LockScene<'a>, path: &Path, settles: bool) -> Result<FlockAttempt<'a>, LockError> {
    if let Ok(Some(what)) = lock_content::strange(context, path) {
        return Err(LockError::NotALock(path.to_owned(), what));
    }
    let Some(lock) = context.disk.flock(path, Some(0o600)).map_err(LockScene::failed(path))? else {
        return Ok(FlockAttempt::Held);
    };
    let mut locked =
        FlockGuard { context, path: path.to_owned(), lock, is_filled: false, removed: Vec::new() };
    if !locked.still_ours() {
        return Ok(FlockAttempt::AlreadyRemoved);
    }
    for time in SETTLING.into_iter().filter(|_| settles) {
        context.machine.sleep(time);
        if !locked.still_ours() {
            return Ok(FlockAttempt::Removed(locked));
        }
    }
    let text = format!("{} {}\n", context.machine.own_process(), stamp(context.machine.now()));
    // The kernel's lock holds even if the file does not say who holds it.
    locked.is_filled = true;
    let _ = locked.lock.fill(text.as_bytes());
    Ok(FlockAttempt::Ours(locked))
}
