//! Folders that go.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{ApplyContext, StagedChange};
use crate::model::Act;
use crate::store::commit::CommitError;

impl ApplyContext<'_, '_> {
    /// After the locks were let go of: where files went the locks' removal is made durable, or a
    /// power cut would bring a folder of locks back.
    pub fn tidy(&self, ready: &[StagedChange]) {
        let went = ready.iter().filter(|own| matches!(own.act, Act::Remove(_))).map(StagedChange::folder);
        let went: BTreeSet<&Path> = went.collect();
        went.iter().for_each(|folder| drop(self.host.disk.sync_folder(folder)));
    }

    /// What still holds something is tried once more when everything else is done.
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
