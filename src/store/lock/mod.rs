//! How a format keeps writers apart: three protocols, one way to use them.
//!
//! A lock only lowers contention. What makes a write safe is that it compares before it
//! renames and rescues late appends afterwards: no lock holds against an agent that takes
//! none, nor against one that unlinks a lock which it thinks is over. Reading never takes,
//! opens or removes a lock.
//!
//! | protocol | format | files |
//! |---|---|---|
//! | [`Protocol::Flock`] | memory-server, "Concurrency Control" | `.lock` |
//! | [`Protocol::Lease`] | session-log, §4.2 and §17.1 | `lock` |
//! | [`Protocol::Exclusive`] | bmad, §4.2; ourselves where a format has none | `.lock`, `<file>.lock` |
//!
//! Beside the lock stand, for moments: `.lock.own.<pid>-…` while one is made and held,
//! `.lock.stale.<pid>-…` while one is taken over, `.lock.takeover` around that. The next
//! [`acquire`] in the folder removes those of processes that are no more.

mod error;
mod exclusive;
mod flock;
mod lease;
mod said;
mod sweep;
mod taking;
mod waiting;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use error::{HolderInfo, LockError};
pub use waiting::Patience;

use self::exclusive::Exclusive;
use self::lease::Lease;
use crate::disk::{Disk, Machine, Seen};
use crate::model::snapshot::Generation;

/// So often a lock's place is looked at where the look fails: a network disk may fail once.
const LOOKS: usize = 3;

/// How a format keeps writers apart, with the absolute paths of its locks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protocol {
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

impl Protocol {
    /// The files that are there while it is held.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Protocol::Flock(path) | Protocol::Lease(path) => std::slice::from_ref(path),
            Protocol::Exclusive(paths) => paths,
            Protocol::None => &[],
        }
    }
}

/// The machine that locks are taken on.
#[derive(Clone, Copy)]
struct Scene<'a> {
    disk: &'a dyn Disk,
    machine: &'a dyn Machine,
}

impl Scene<'_> {
    /// Whether that very file is at the path, not one that took its place. A look that fails
    /// says nothing about it and is repeated; where all fail it is not known to be there.
    fn stands_at(&self, path: &Path, file: Generation) -> bool {
        let mut looks = (0..LOOKS).map(|_| Seen::from(self.disk.look(path)));
        let seen = looks.find(|seen| !matches!(seen, Seen::Unreadable(_)));
        let Some(Seen::Read(item)) = seen else { return false };
        let there = item.generation;
        item.link.is_none() && (there.device, there.inode) == (file.device, file.inode)
    }

    /// Removes palimp's lock. A removal that fails is tried once more, because a lock that stays stops
    /// agents.
    fn remove(&self, path: &Path) {
        let _ = self.disk.remove(path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => self.disk.remove(path),
        });
    }

    fn failed(path: &Path) -> impl Fn(std::io::Error) -> LockError + use<> {
        let path = path.to_owned();
        move |source| LockError::Io { path: path.clone(), source }
    }
}

/// Who takes a lock, as its file says.
#[derive(Clone, Copy)]
struct Claimant<'a> {
    process: u32,
    operation: &'a str,
    agent: &'a str,
}

/// Takes a lock, or says why it could not be taken; then nothing was changed.
///
/// `operation` and `agent` are what the lock file says of us, in the formats that say it.
/// The commit that follows is to be short: agents give up after five seconds, and a lease
/// is over by then.
pub fn acquire<'a>(
    disk: &'a dyn Disk,
    machine: &'a dyn Machine,
    protocol: &Protocol,
    operation: &str,
    agent: &str,
    patience: &Patience<'_>,
) -> Result<Held<'a>, LockError> {
    let scene = Scene { disk, machine };
    let who = Claimant { process: machine.own_process(), operation, agent };
    let hold = match protocol {
        Protocol::Flock(path) => Hold::Kernel(flock::take(scene, path, patience)?),
        Protocol::Lease(path) => {
            Hold::Files(taking::take(scene, &Lease, std::slice::from_ref(path), &who, patience)?)
        }
        Protocol::Exclusive(paths) => {
            let paths = exclusive::in_order(paths);
            Hold::Files(taking::take(scene, &Exclusive, &paths, &who, patience)?)
        }
        Protocol::None => Hold::Nothing,
    };
    Ok(Held { hold })
}

/// Whether a lock's file says that an agent of that name took it.
pub fn is_of(bytes: &[u8], agent: &str) -> bool {
    said::Said::read(bytes).agent.as_deref() == Some(agent)
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
    let scene = Scene { disk, machine };
    let said::Standing::There(found) = said::standing(scene, path)? else { return Ok(false) };
    let said = said::Said::read(&found.bytes);
    let taken = said::taken(&found, &said, machine.now());
    let is_left =
        said.agent.as_deref() == Some(agent) && said::is_alive(machine, said.pid, taken) == Some(false);
    match said.pid.filter(|process| is_left && is_known(*process)) {
        Some(_) => taking::put_aside(scene, path, &found),
        None => Ok(false),
    }
}

/// Removes a lock because the user chose to, having been shown `holder`; `false` if it is
/// no longer what was shown, or another is at it, or its protocol is never broken by force.
pub fn break_by_choice(
    disk: &dyn Disk,
    machine: &dyn Machine,
    path: &Path,
    holder: &HolderInfo,
) -> Result<bool, LockError> {
    match &holder.found {
        Some(found) => taking::put_aside(Scene { disk, machine }, path, found),
        None => Ok(false),
    }
}

/// A lock that we hold; dropping it lets go, as far as the system allows.
#[must_use = "dropping it lets go of the lock"]
pub struct Held<'a> {
    hold: Hold<'a>,
}

enum Hold<'a> {
    Kernel(flock::Locked<'a>),
    Files(Vec<taking::Claim<'a>>),
    Nothing,
}

impl Held<'_> {
    /// Whether it is still ours, to be asked right before the rename. It is not if its
    /// file was removed or replaced, or if less than half a second of the lease is left,
    /// by the wall clock or by the one that never goes back.
    pub fn still_ours(&self) -> bool {
        match &self.hold {
            Hold::Kernel(locked) => locked.still_ours(),
            Hold::Files(claims) => claims.iter().all(taking::Claim::still_ours),
            Hold::Nothing => true,
        }
    }

    /// Lets go of it. A lock that is no longer ours stays as it is.
    pub fn release(self) {}
}
