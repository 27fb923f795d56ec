//! How a format keeps writers apart: three protocols, one way to use them.
//!
//! A lock only lowers contention. What makes a write safe is that it compares before it
//! renames and rescues late appends afterwards: no lock holds against an agent that takes
//! none, nor against one that unlinks a lock which it thinks is over. Reading never takes,
//! opens or removes a lock.
//!
//! | protocol | format | files |
//! |---|---|---|
//! | [`LockProtocol::Flock`] | memory-server, "Concurrency Control" | `.lock` |
//! | [`LockProtocol::Lease`] | session-log, §4.2 and §17.1 | `lock` |
//! | [`LockProtocol::Exclusive`] | bmad, §4.2; ourselves where a format has none | `.lock`, `<file>.lock` |
//!
//! Beside the lock stand, for moments: `.lock.own.<pid>-…` while one is made and held,
//! `.lock.stale.<pid>-…` while one is taken over, `.lock.takeover` around that. The next
//! [`acquire`] in the folder removes those of processes that are no more.

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
    /// The kernel's lock on a file that stays. Never broken by force: the kernel lets go
    /// of a dead process's.
    Flock(PathBuf),
    /// A file made exclusively that says when it ends, five seconds after it was taken.
    Lease(PathBuf),
    /// Files made exclusively, all or none, that hold until they are removed.
    Exclusive(Vec<PathBuf>),
    /// Nothing keeps them apart.
    None,
}

impl LockProtocol {
    /// The files that are there while it is held.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            LockProtocol::Flock(path) | LockProtocol::Lease(path) => std::slice::from_ref(path),
            LockProtocol::Exclusive(paths) => paths,
            LockProtocol::None => &[],
        }
    }
}

/// Takes a lock, or says why it could not be taken; then nothing was changed.
///
/// `operation` and `agent` are what the lock file says of us, in the formats that say it.
/// The commit that follows is to be short: agents give up after five seconds, and a lease
/// is over by then.
pub fn acquire<'a>(
    disk: &'a dyn Disk,
    machine: &'a dyn Machine,
    protocol: &LockProtocol,
    operation: &str,
    agent: &str,
    patience: &WaitPolicy<'_>,
) -> Result<LockGuard<'a>, LockError> {
    let scene = LockScene { disk, machine };
    let who = LockClaimant { process: machine.own_process(), operation, agent };
    let hold = match protocol {
        LockProtocol::Flock(path) => LockHold::Kernel(flock::take(scene, path, patience)?),
        LockProtocol::Lease(path) => {
            LockHold::Files(lock_file::take(scene, &LeaseRules, std::slice::from_ref(path), &who, patience)?)
        }
        LockProtocol::Exclusive(paths) => {
            let paths = exclusive_file::in_order(paths);
            LockHold::Files(lock_file::take(scene, &ExclusiveRules, &paths, &who, patience)?)
        }
        LockProtocol::None => LockHold::Nothing,
    };
    Ok(LockGuard { hold })
}

/// Whether a lock's file says that an agent of that name took it.
pub fn is_of(bytes: &[u8], agent: &str) -> bool {
    lock_content::LockContent::read(bytes).agent.as_deref() == Some(agent)
}

/// Removes a lock that an agent of that name took, if `is_known` of the process that it names
/// and that one is gone, or another has its number. What took its place since stays.
pub fn remove_left(
    disk: &dyn Disk,
    machine: &dyn Machine,
    path: &Path,
    agent: &str,
    is_known: &dyn Fn(i32) -> bool,
) -> Result<bool, LockError> {
    let scene = LockScene { disk, machine };
    let lock_content::LockFileState::Present(found) = lock_content::standing(scene, path)? else {
        return Ok(false);
    };
    let said = lock_content::LockContent::read(&found.bytes);
    let taken = lock_content::taken(&found, &said, machine.now());
    let is_left = said.agent.as_deref() == Some(agent)
        && lock_content::is_alive(machine, said.pid, taken) == Some(false);
    match said.pid.filter(|process| is_left && is_known(*process)) {
        Some(_) => lock_file::put_aside(scene, path, &found),
        None => Ok(false),
    }
}

/// Removes a lock because the user chose to, having been shown `holder`; `false` if it is
/// no longer what was shown, or another is at it, or its protocol is never broken by force.
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

/// A lock that we hold; dropping it lets go, as far as the system allows.
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
    /// Whether it is still ours, to be asked right before the rename. It is not if its
    /// file was removed or replaced, or if less than half a second of the lease is left,
    /// by the wall clock or by the one that never goes back.
    pub fn still_ours(&self) -> bool {
        match &self.hold {
            LockHold::Kernel(locked) => locked.still_ours(),
            LockHold::Files(claims) => claims.iter().all(lock_file::LockClaim::still_ours),
            LockHold::Nothing => true,
        }
    }

    /// Lets go of it. A lock that is no longer ours stays as it is.
    pub fn release(self) {}
}
