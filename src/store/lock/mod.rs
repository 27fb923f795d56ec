//! How a format keeps writers apart: three protocols, one way to use them.
//!
//! A lock only lowers contention. A write is safe because it compares before it renames and rescues
//! late appends afterwards. No lock helps against an agent that takes none, or one that unlinks a
//! lock because it thinks it is over. Reading never takes, opens or removes a lock.
//!
//! | protocol | specification | files |
//! |---|---|---|
//! | [`Lock::Flock`] | 1, "Concurrency Control" | `.lock` |
//! | [`Lock::Lease`] | 2, §4.2 and §17.1 | `lock` |
//! | [`Lock::Exclusive`] | 4, §4.2; palimp, if a format has none | `.lock`, `<file>.lock` |
//!
//! Some files exist beside the lock for moments: `.lock.own.<pid>-…` while one is made and held,
//! `.lock.stale.<pid>-…` while one is taken over, `.lock.takeover` around that. The next
//! [`acquire`] in the folder removes those of dead processes.

mod error;
mod exclusive_file;
mod flock;
mod lease;
mod leftover_names;
mod lock_content;
mod lock_file;
mod wait;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use error::{LockError, LockHolder};
pub use wait::WaitPolicy;

use crate::disk::{Disk, Machine};
use crate::model::Lock;
use lock_content::{AGENT, LockScene};

/// Takes a lock, by absolute paths, or returns why it could not be taken; then nothing was changed.
///
/// The commit that follows must be short: agents give up after five seconds, and a lease is over by then.
pub fn acquire<'a>(
    disk: &'a dyn Disk,
    machine: &'a dyn Machine,
    protocol: &Lock,
    patience: WaitPolicy,
) -> Result<LockGuard<'a>, LockError> {
    let context = LockScene { disk, machine };
    let hold = match protocol {
        Lock::Flock(path) => LockHold::Kernel(flock::take(context, path, patience)?),
        Lock::Lease(path) => {
            let paths = std::slice::from_ref(path);
            LockHold::Files(lock_file::take(context, &lease::RULES, paths, patience)?)
        }
        Lock::Exclusive(paths) => {
            // Everyone takes them in this order, so that no two wait for one another.
            let mut paths = paths.clone();
            paths.sort();
            paths.dedup();
            LockHold::Files(lock_file::take(context, &exclusive_file::RULES, &paths, patience)?)
        }
        Lock::None => LockHold::Files(Vec::new()),
    };
    Ok(LockGuard { hold })
}

/// True if a lock's file names palimp.
pub fn is_ours(bytes: &[u8]) -> bool {
    lock_content::LockContent::read(bytes).agent.as_deref() == Some(AGENT)
}

/// Removes a lock that names palimp, if `is_known` knows its process and that process is gone (or
/// another one has its number). A newer lock in its place stays.
pub fn remove_left(
    disk: &dyn Disk,
    machine: &dyn Machine,
    path: &Path,
    is_known: &dyn Fn(i32) -> bool,
) -> Result<bool, LockError> {
    let context = LockScene { disk, machine };
    let lock_content::LockFileState::Present(found) = lock_content::standing(context, path)? else {
        return Ok(false);
    };
    let said = lock_content::LockContent::read(&found.bytes);
    let taken = lock_content::taken(&found, &said, machine.now());
    let is_left = said.agent.as_deref() == Some(AGENT)
        && lock_content::is_alive(machine, said.pid, taken) == Some(false);
    let is_ours = said.pid.is_some_and(|process| is_left && is_known(process));
    if is_ours { lock_file::put_aside(context, path, &found) } else { Ok(false) }
}

/// Removes a lock because the user chose to after seeing `holder`. Returns `false` if the lock has
/// changed since, if another process is at it, or if its protocol is never broken by force.
pub fn break_by_choice(
    disk: &dyn Disk,
    machine: &dyn Machine,
    path: &Path,
    holder: &LockHolder,
) -> Result<bool, LockError> {
    match &holder.found {
        Some(found) => lock_file::put_aside(LockScene { disk, machine }, path, found),
        None => Ok(false),
    }
}

/// A lock that palimp holds. Dropping it releases it, as far as the system allows.
#[must_use = "dropping it lets go of the lock"]
pub struct LockGuard<'a> {
    hold: LockHold<'a>,
}

enum LockHold<'a> {
    Kernel(flock::FlockGuard<'a>),
    /// None if nothing keeps writers apart.
    Files(Vec<lock_file::LockClaim<'a>>),
}

impl LockGuard<'_> {
    /// True if palimp still holds it; asked right before the rename. It is lost if its file was
    /// removed or replaced, or if less than half a second of the lease is left by the wall clock or
    /// by the monotonic one.
    pub fn still_ours(&self) -> bool {
        match &self.hold {
            LockHold::Kernel(locked) => locked.still_ours(),
            LockHold::Files(claims) => claims.iter().all(lock_file::LockClaim::still_ours),
        }
    }

    /// Releases it. A lock that palimp has lost stays as it is.
    pub fn release(self) {}
}
