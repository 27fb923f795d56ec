//! Folders that go, and what locks of ours leave in them.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{Ready, Scene};
use crate::disk::Item;
use crate::model::Act;
use crate::store::commit::{CommitError, hidden};
use crate::store::lock;

impl Scene<'_, '_> {
    /// After the locks were let go of: folders go that they stood in, and where files went the
    /// locks' removal is made durable, or a power cut would bring a folder of locks back.
    pub fn tidy(&self, ready: &[Ready]) {
        let disk = self.host.disk;
        let went = ready.iter().filter(|own| matches!(own.act, Act::Remove(_))).map(Ready::folder);
        let went: BTreeSet<&Path> = went.collect();
        went.iter().for_each(|folder| drop(disk.sync_folder(folder)));
        for own in ready.iter().filter(|own| own.act == Act::RemoveFolder) {
            if disk.remove_folder(&own.path).is_ok() {
                let _ = disk.sync_folder(own.folder());
            }
        }
    }

    /// Whether what stands in a folder goes by itself: files of ours, and locks of ours.
    fn is_passing(&self, folder: &Path, item: &Item) -> bool {
        let path = folder.join(&item.name);
        let is_lock = item.name == ".lock" || item.name.as_encoded_bytes().ends_with(b".lock");
        let says_ours = || {
            let read = self.host.disk.read(&path, 0, Some(4096));
            read.is_ok_and(|(bytes, _)| lock::is_of(&bytes, "palimp"))
        };
        hidden::is_ours(&item.name) || self.locks.contains(&path) || (is_lock && says_ours())
    }

    pub(super) fn remove_folder(&mut self, own: &Ready) -> Result<(), CommitError> {
        self.begin(own);
        match self.host.disk.remove_folder(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                let left = self.host.disk.list(&own.path).unwrap_or_default();
                let mut others = left.iter().filter(|item| !self.is_passing(&own.path, item));
                // What is ours goes in a moment, and the folder with it.
                if let Some(other) = others.next() {
                    let (folder, name) = (own.path.display(), Path::new(&other.name).display());
                    self.carried.notes.push(format!("{folder} holds other files ({name}) and stays"));
                }
                Ok(())
            }
            outcome => {
                outcome.map_err(own.io("removed"))?;
                let parent = own.folder();
                self.host.disk.sync_folder(parent).map_err(own.io("made durable"))
            }
        }
    }
}
