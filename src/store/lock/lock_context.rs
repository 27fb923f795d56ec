//! The machine that locks are taken on, and who takes them.

use super::error::LockError;
use crate::disk::{Disk, Lookup, Machine};
use crate::model::snapshot::Generation;
use std::path::Path;

/// The number of looks at a lock's place if looks fail: a network disk may fail once.
pub(super) const LOOKS: usize = 3;

/// The machine that locks are taken on.
#[derive(Clone, Copy)]
pub(super) struct LockScene<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) machine: &'a dyn Machine,
}

impl LockScene<'_> {
    /// True if this very file is at the path. A failed look is repeated; if all fail, returns false.
    pub(super) fn stands_at(&self, path: &Path, file: Generation) -> bool {
        let mut looks = (0..LOOKS).map(|_| Lookup::from(self.disk.look(path)));
        let seen = looks.find(|seen| !matches!(seen, Lookup::Unreadable(_)));
        let Some(Lookup::Read(item)) = seen else { return false };
        let there = item.generation;
        item.link.is_none() && (there.device, there.inode) == (file.device, file.inode)
    }

    /// Removes palimp's lock. Tries twice, because a lock that stays stops agents.
    pub(super) fn remove(&self, path: &Path) {
        let _ = self.disk.remove(path).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => self.disk.remove(path),
        });
    }

    pub(super) fn failed(path: &Path) -> impl Fn(std::io::Error) -> LockError + use<> {
        let path = path.to_owned();
        move |source| LockError::Io { path: path.clone(), source }
    }
}

/// Who takes a lock, as its file says.
#[derive(Clone, Copy)]
pub(super) struct LockClaimant<'a> {
    pub(super) process: u32,
    pub(super) operation: &'a str,
    pub(super) agent: &'a str,
}
