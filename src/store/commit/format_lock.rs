//! The format's lock, with the waiting times of the store's config.

use std::path::Path;

use super::CommitContext;
use crate::disk::host::Host;
use crate::format::tuning::StoreTuning;
use crate::model::Lock;
use crate::store::lock::{LockError, LockGuard, LockProtocol, WaitPolicy, acquire};

impl<'a> CommitContext<'a> {
    /// Returns how long to wait for other programs.
    pub(super) fn patience(&self) -> WaitPolicy<'static> {
        let StoreTuning { lock_timeout, lock_backoff: pause, .. } = self.tuning;
        WaitPolicy { pause, ..WaitPolicy::of(lock_timeout) }
    }

    /// Takes the format's lock for these files.
    pub(super) fn lock(&self, files: &[&Path]) -> Result<LockGuard<'a>, LockError> {
        self.lock_as(files, self.patience())
    }

    /// Takes the same lock only to append lines: they need not wait until the lock settles.
    pub(super) fn lock_to_add(&self, files: &[&Path]) -> Result<LockGuard<'a>, LockError> {
        self.lock_as(files, WaitPolicy { settles: false, ..self.patience() })
    }

    pub(super) fn lock_as(
        &self,
        files: &[&Path],
        patience: WaitPolicy<'_>,
    ) -> Result<LockGuard<'a>, LockError> {
        let Host { disk, machine, .. } = self.host;
        acquire(disk, machine, &self.protocol(files), "write", "palimp", &patience)
    }

    /// Returns the format's lock for these files, with full paths.
    pub(super) fn protocol(&self, files: &[&Path]) -> LockProtocol {
        match self.format.lock(files) {
            Lock::None => LockProtocol::None,
            Lock::Flock(file) => LockProtocol::Flock(self.path(&file)),
            Lock::Lease(file) => LockProtocol::Lease(self.path(&file)),
            Lock::Exclusive(files) => {
                LockProtocol::Exclusive(files.iter().map(|file| self.path(file)).collect())
            }
        }
    }
}
