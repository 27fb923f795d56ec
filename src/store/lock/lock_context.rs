//! What taking a lock needs, and who takes it.

use super::error::LockError;
use crate::disk::{Disk, Lookup, Machine};
use crate::model::snapshot::Generation;
use std::path::Path;

/// So often a lock's place is looked at where the look fails: a network disk may fail once.
pub(super) const LOOKS: usize = 3;

/// The machine that locks are taken on.
#[derive(Clone, Copy)]
pub(super) struct LockScene<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) machine: &'a dyn Machine,
}

impl LockScene<'_> {
    /// Whether that very file is at the path, not one that took its place. A look that fails
    /// says nothing about it and is repeated; where all fail it is not known to be there.
    pub(super) fn stands_at(&self, path: &Path, file: Generation) -> bool {
        let mut looks = (0..LOOKS).map(|_| Lookup::from(self.disk.look(path)));
        let seen = looks.find(|seen| !matches!(seen, Lookup::Unreadable(_)));
        let Some(Lookup::Read(item)) = seen else { return false };
        let there = item.generation;
        item.link.is_none() && (there.device, there.inode) == (file.device, file.inode)
    }

    /// Removes palimp's lock. A removal that fails is tried once more, because a lock that stays stops
    /// agents.
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
