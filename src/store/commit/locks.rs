//! The format's lock, as the store's config has it waited for.

use std::path::Path;

use super::{Host, Writer};
use crate::format::tuning::Tuning;
use crate::model::Lock;
use crate::store::lock::{Held, LockError, Patience, Protocol, acquire};

impl<'a> Writer<'a> {
    /// How long others are waited for.
    pub(super) fn patience(&self) -> Patience<'static> {
        let Tuning { lock_timeout, pause, .. } = self.tuning;
        Patience { pause, ..Patience::of(lock_timeout) }
    }

    /// Takes the format's lock for those files.
    pub(super) fn lock(&self, files: &[&Path]) -> Result<Held<'a>, LockError> {
        self.lock_as(files, self.patience())
    }

    /// The same for lines that are added, and nothing else.
    pub(super) fn lock_to_add(&self, files: &[&Path]) -> Result<Held<'a>, LockError> {
        self.lock_as(files, Patience { settles: false, ..self.patience() })
    }

    pub(super) fn lock_as(&self, files: &[&Path], patience: Patience<'_>) -> Result<Held<'a>, LockError> {
        let Host { disk, machine, .. } = self.host;
        acquire(disk, machine, &self.protocol(files), "write", "palimp", &patience)
    }

    /// The format's lock for those files, with whole paths.
    pub(super) fn protocol(&self, files: &[&Path]) -> Protocol {
        match self.format.lock(files) {
            Lock::None => Protocol::None,
            Lock::Flock(file) => Protocol::Flock(self.path(&file)),
            Lock::Lease(file) => Protocol::Lease(self.path(&file)),
            Lock::Exclusive(files) => Protocol::Exclusive(files.iter().map(|file| self.path(file)).collect()),
        }
    }
}
