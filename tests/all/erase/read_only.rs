//! Erasures in folders that can't be written.

use std::io;
use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use palimp::disk::{Disk, Flock, Item, WritableFile};
use palimp::model::Generation;
use palimp::store::{CommitError, FilesState};

use super::cut_short::{ROOT, erase_of, load, on_faulty};
use crate::support::passed_on::passed_on;

/// A disk on which nobody may write to the folders of the store.
struct ReadOnly<'a>(&'a Faulty);

impl Disk for ReadOnly<'_> {
    passed_on! {
        self => self.0;
        list look real_path read create append blank rename rename_new make_folder open_folder link
        exchange remove remove_folder sync_folder flock
    }

    fn check_writable(&self, folder: &Path) -> io::Result<()> {
        match folder.starts_with(ROOT) {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(()),
        }
    }
}

#[test]
fn an_erasure_in_a_folder_that_cant_be_written_is_refused_before_it_begins() {
    let disk = on_faulty();
    let store = load(&disk);
    let refused = erase_of(&ReadOnly(&disk), &store, b"k-1").unwrap_err();
    assert!(matches!(refused, CommitError::Io { files: FilesState::Untouched, .. }), "{refused}");
    assert!(refused.to_string().contains(ROOT), "{refused}");
    // An erasure that was left pending would refuse the next.
    assert_eq!(erase_of(&disk, &store, b"k-1").unwrap().left, Vec::<String>::new());
}
