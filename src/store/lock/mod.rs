//! How a format keeps writers apart: three protocols, one way to use them.
//!
//! A lock only lowers contention. A write is safe because it compares before it renames and rescues
//! late appends afterwards. No lock helps against an agent that takes none, or one that unlinks a
//! lock because it thinks it is over. Reading never takes, opens or removes a lock.
//!
//! | protocol | specification | files |
//! |---|---|---|
//! | [`LockProtocol::Flock`] | 1, "Concurrency Control" | `.lock` |
//! | [`LockProtocol::Lease`] | 2, §4.2 and §17.1 | `lock` |
//! | [`LockProtocol::Exclusive`] | 4, §4.2; palimp, if a format has none | `.lock`, `<file>.lock` |
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

mod lock_context;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use error::{LockError, LockHolder};
pub use wait::WaitPolicy;

use self::exclusive_file::ExclusiveRules;
use self::lease::LeaseRules;
use crate::disk::{Disk, Machine};
use lock_context::{LockClaimant, LockScene};

/// How a format keeps writers apart, with the absolute paths of its locks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockProtocol {
    /// The kernel's lock on a file that stays. Never broken by force: it ends with its process.
    Flock(PathBuf),
    /// A file created exclusively that says when it ends: five seconds after it was taken.
    Lease(PathBuf),
    /// Files created exclusively, all or none, that hold until they are removed.
    Exclusive(Vec<PathBuf>),
    /// Nothing keeps writers apart.
    None,
}

impl LockProtocol {
    /// Returns the files that exist while it is held.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            LockProtocol::Flock(path) | LockProtocol::Lease(path) => std::slice::from_ref(path),
            LockProtocol::Exclusive(paths) => paths,
            LockProtocol::None => &[],
        }
    }
}

/// Takes a lock, or returns why it could not be taken; then nothing was changed.
///
/// `operation` and `agent` go into the lock file, in formats that have them there. The commit that
/// follows must be short: agents give up after five seconds, and a lease is over by then.
pub fn acquire<'a>(
    disk: &'a dyn Disk,
    machine: &'a dyn Machine,
    protocol: &LockProtocol,
    operation: &str,
    agent: &str,
    patience: &WaitPolicy<'_>,
) -> Result<LockGuard<'a>, LockError> {
    let context = LockScene { disk, machine };
    let who = LockClaimant { process: machine.own_process(), operation, agent };
    let hold = match protocol {
        LockProtocol::Flock(path) => LockHold::Kernel(flock::take(context, path, patience)?),
        LockProtocol::Lease(path) => LockHold::Files(lock_file::take(
            context,
            &LeaseRules,
            std::slice::from_ref(path),
            &who,
            patience,
        )?),
        LockProtocol::Exclusive(paths) => {
            let paths = exclusive_file::in_order(paths);
            LockHold::Files(lock_file::take(context, &ExclusiveRules, &paths, &who, patience)?)
        }
        LockProtocol::None => LockHold::Nothing,
    };
    Ok(LockGuard { hold })
}

/// True if a lock's file names this agent.
pub fn is_of(bytes: &[u8], agent: &str) -> bool {
    lock_content::LockContent::read(bytes).agent.as_deref() == Some(agent)
}

/// Removes a lock of this agent, if `is_known` knows its process and that process is gone (or
/// another one has its number). A newer lock in its place stays.
pub fn remove_left(
    disk: &dyn Disk,
    machine: &dyn Machine,
    path: &Path,
    agent: &str,
    is_known: &dyn Fn(i32) -> bool,
) -> Result<bool, LockError> {
    let context = LockScene { disk, machine };
    let lock_content::LockFileState::Present(found) = lock_content::standing(context, path)? else {
        return Ok(false);
    };
    let said = lock_content::LockContent::read(&found.bytes);
    let taken = lock_content::taken(&found, &said, machine.now());
    let is_left = said.agent.as_deref() == Some(agent)
        && lock_content::is_alive(machine, said.pid, taken) == Some(false);
    match said.pid.filter(|process| is_left && is_known(*process)) {
        Some(_) => lock_file::put_aside(context, path, &found),
        None => Ok(false),
    }
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
    Files(Vec<lock_file::LockClaim<'a>>),
    Nothing,
}

impl LockGuard<'_> {
    /// True if palimp still holds it; asked right before the rename. It is lost if its file was
    /// removed or replaced, or if less than half a second of the lease is left by the wall clock or
    /// by the monotonic one.
    pub fn still_ours(&self) -> bool {
        match &self.hold {
            LockHold::Kernel(locked) => locked.still_ours(),
            LockHold::Files(claims) => claims.iter().all(lock_file::LockClaim::still_ours),
            LockHold::Nothing => true,
        }
    }

    /// Releases it. A lock that palimp has lost stays as it is.
    pub fn release(self) {}
}
