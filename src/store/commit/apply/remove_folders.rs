//! Removes folders.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{ApplyContext, StagedChange};
use crate::model::Act;
use crate::store::commit::CommitError;

impl ApplyContext<'_, '_> {
    /// Makes the removal of released locks durable if files were removed. Otherwise a power cut
    /// could bring back a folder of locks.
    pub fn tidy(&self, ready: &[StagedChange]) {
        let went = ready.iter().filter(|own| matches!(own.act, Act::Remove(_))).map(StagedChange::folder);
        let went: BTreeSet<&Path> = went.collect();
        went.iter().for_each(|folder| drop(self.host.disk.sync_folder(folder)));
    }

    /// Removes a folder. If it is not empty, it is tried again after everything else.
    pub(super) fn remove_folder(&mut self, own: &StagedChange) -> Result<(), CommitError> {
        self.begin(own);
        match self.host.disk.remove_folder(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            outcome => {
                outcome.map_err(own.io("removed"))?;
                self.host.disk.sync_folder(own.folder()).map_err(own.io("made durable"))
            }
        }
    }
}
